"""The web client, served as it lies in ``clients/web``: the page at ``/``, the rest at ``/play/``.

The page names everything else relative to itself, so a path prefix in front changes nothing.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from flask import Blueprint, Response, abort, redirect, request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.wrappers import Response as AnyResponse

DIRECTORY = Path(__file__).parents[1] / "clients" / "web"
PAGE = "index.html"

_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
_NOT_SERVED = ("tooling",)

_HEADERS = MappingProxyType(
    {
        # Nothing from anywhere else, nothing inline, no frame around it, no form sent anywhere.
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
)

web = Blueprint("web", __name__)


class _File(NamedTuple):
    body: bytes
    tag: str
    media_type: str


@web.get("/")
def page() -> AnyResponse:
    """Return the page that plays."""
    if not request.environ["PATH_INFO"]:
        # Without the slash what it names would be looked for beside the prefix, not below it.
        return redirect(f"{request.script_root}/", HTTPStatus.PERMANENT_REDIRECT)
    return _answer(PAGE)


@web.get("/play/<path:name>")
def part(name: str) -> AnyResponse:
    """Return one of the files that the page is made of."""
    return _answer(name)


def files(directory: Path = DIRECTORY) -> Mapping[str, Path]:
    """Return the files that are served, by their names below the directory."""
    return {
        path.relative_to(directory).as_posix(): path
        for path in directory.rglob("*")
        if path.suffix in _MEDIA_TYPES
        and path.relative_to(directory).parts[0] not in _NOT_SERVED
        and path.is_file()
    }


_FILES = files()


def _answer(name: str) -> AnyResponse:
    path = _FILES.get(name)
    if path is None:
        abort(HTTPStatus.NOT_FOUND)
    file = _read(path, path.stat().st_mtime_ns)
    response = Response(file.body, content_type=file.media_type, headers=dict(_HEADERS))
    response.set_etag(file.tag)
    response.cache_control.no_cache = True
    return response.make_conditional(request)


@lru_cache(maxsize=128)
def _read(path: Path, _modified: int) -> _File:
    body = path.read_bytes()
    return _File(body, hashlib.sha256(body).hexdigest()[:24], _MEDIA_TYPES[path.suffix])
