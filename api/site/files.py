"""Responses with static files and rendered pages, and entity tags made of their content."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING

from flask import Response

from api.http.responses import has_current, not_modified

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

_NONE: Mapping[str, str] = MappingProxyType({})

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
"""The files that are served, by their suffix."""


def files_below(directory: Path, leave_out: Collection[str] = ()) -> Mapping[str, Path]:
    """Return the files to serve by their path below ``directory``, except some top folders.

    Only these are ever opened: a client's path is looked up here, and never joined to a directory.
    """
    return {
        path.relative_to(directory).as_posix(): path
        for path in directory.rglob("*")
        if path.suffix in MEDIA_TYPES
        and path.relative_to(directory).parts[0] not in leave_out
        and path.is_file()
    }


def file_response(
    path: Path, headers: Mapping[str, str] = _NONE, caching: str = "no-cache"
) -> Response:
    """Return a file as it is now."""
    tag, body = _read(path, path.stat().st_mtime_ns)
    return _tagged(tag, body, MEDIA_TYPES[path.suffix], {**headers, "Cache-Control": caching})


def page_response(page: str, headers: Mapping[str, str]) -> Response:
    """Return an HTML page."""
    body = page.encode()
    return _tagged(_tag(body), body, MEDIA_TYPES[".html"], headers)


def _tagged(tag: str, body: bytes, content_type: str, headers: Mapping[str, str]) -> Response:
    if has_current(tag):
        return not_modified(tag, headers)
    return Response(body, content_type=content_type, headers={"ETag": tag, **headers})


@lru_cache(maxsize=256)
def _read(path: Path, _modified: int) -> tuple[str, bytes]:
    body = path.read_bytes()
    return _tag(body), body


def _tag(body: bytes) -> str:
    return f'"{sha256(body).hexdigest()[:32]}"'
