"""The web client in ``clients/web``: its page at ``/``, its files below ``/play``.

The page refers to the files relative to itself, so it also works below a path prefix.
"""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from api.site.files import file_response, files_below

DIRECTORY = Path(__file__).parents[2] / "clients" / "web"
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

web_client = Blueprint("web_client", __name__)


@web_client.get("/")
def page() -> Response:
    """Return the page."""
    if not request.environ["PATH_INFO"]:
        # Without the slash, relative links would miss the prefix.
        return Response(
            status=HTTPStatus.PERMANENT_REDIRECT, headers={"Location": f"{request.script_root}/"}
        )
    return _file(PAGE)


@web_client.get("/play/<path:name>")
def part(name: str) -> Response:
    """Return one of the page's files."""
    return _file(name)


def _file(name: str) -> Response:
    if name not in FILES:
        raise NotFound
    # Over plain HTTP browsers ignore this policy with a warning.
    isolated = {"Cross-Origin-Opener-Policy": "same-origin"} if request.is_secure else {}
    return file_response(FILES[name], {**_HEADERS, **isolated})
