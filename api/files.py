"""Bodies that are handed out as they are: files of ours, and pages made from templates.

Each is known by a tag of its content, so that a client that has it is told so.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING

from api.responses import Response, known_to_client, not_modified

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
"""What may be handed out, by the end of its name."""


def files_below(directory: Path, leave_out: Collection[str] = ()) -> Mapping[str, Path]:
    """Return the files that may be handed out, by their path below ``directory``.

    No other is ever opened, whatever a client asks for. ``leave_out`` names folders at its top.
    """
    return {
        path.relative_to(directory).as_posix(): path
        for path in directory.rglob("*")
        if path.suffix in MEDIA_TYPES
        and path.relative_to(directory).parts[0] not in leave_out
        and path.is_file()
    }


def file_response(
    path: Path, headers: Mapping[str, str] = _NONE, caching: str = Response.caching
) -> Response:
    """Return the answer that holds a file, as it lies there now."""
    tag, body = _read(path, path.stat().st_mtime_ns)
    response = _tagged(tag, body, MEDIA_TYPES[path.suffix], headers)
    response.caching = caching
    return response


def page_response(page: str, headers: Mapping[str, str]) -> Response:
    """Return the answer that holds a page of HTML."""
    body = page.encode()
    return _tagged(_tag(body), body, MEDIA_TYPES[".html"], headers)


def _tagged(tag: str, body: bytes, content_type: str, headers: Mapping[str, str]) -> Response:
    if known_to_client(tag):
        return not_modified(tag, headers)
    return Response(body, content_type=content_type, headers={"ETag": tag, **headers})


@lru_cache(maxsize=256)
def _read(path: Path, _modified: int) -> tuple[str, bytes]:
    body = path.read_bytes()
    return _tag(body), body


def _tag(body: bytes) -> str:
    return f'"{sha256(body).hexdigest()[:32]}"'
