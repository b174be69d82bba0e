"""The web client, as it lies in ``clients/web``: its page at ``/``, its parts below ``/play``.

The page names everything else relative to itself, so a path prefix in front changes nothing.
"""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType

from flask import Blueprint, request
from werkzeug.exceptions import NotFound

from api.files import file_response, files_below
from api.responses import Response

DIRECTORY = Path(__file__).parents[1] / "clients" / "web"
PAGE = "index.html"

_HEADERS = MappingProxyType(
    {
        # Nothing from anywhere else, nothing inline, no frame around it, no form sent anywhere.
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
)
FILES = files_below(DIRECTORY, leave_out=("tooling",))

web = Blueprint("web", __name__)


@web.get("/")
def page() -> Response:
    """Return the page that plays."""
    if not request.environ["PATH_INFO"]:
        # Without the slash what it names would be looked for beside the prefix, not below it.
        there = {"Location": f"{request.script_root}/"}
        return Response(b"", HTTPStatus.PERMANENT_REDIRECT, headers=there)
    return _file(PAGE)


@web.get("/play/<path:name>")
def part(name: str) -> Response:
    """Return one of the files that the page is made of."""
    return _file(name)


def _file(name: str) -> Response:
    if name not in FILES:
        raise NotFound
    # A browser ignores the opener's policy over plain HTTP, and complains.
    isolated = {"Cross-Origin-Opener-Policy": "same-origin"} if request.is_secure else {}
    return file_response(FILES[name], {**_HEADERS, **isolated})
