"""Responses: how JSON is written, entity tags, and the headers that all responses have."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson
from flask import Response
from flask.json.provider import JSONProvider

from api.http.context import current_request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

_EXPOSED = (
    "ETag, Location, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, "
    "X-Request-ID"
)
_ALWAYS = (
    ("X-Content-Type-Options", "nosniff"),
    # A game's id is a capability: no page that is linked to may learn it.
    ("Referrer-Policy", "no-referrer"),
    # Also without an Origin: a cache may serve this response to a request that has one.
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", _EXPOSED),
)
_PREFLIGHT = {
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, "
    "If-None-Match, Last-Event-ID",
    "Access-Control-Max-Age": "86400",
}


class OrjsonProvider(JSONProvider):
    """Flask's JSON, written and read by orjson."""

    def dumps(self, obj: Any, **_: Any) -> str:  # noqa: ANN401  # Flask's signature
        """Write JSON."""
        return orjson.dumps(obj).decode()

    def loads(self, s: str | bytes, **_: Any) -> Any:  # noqa: ANN401  # Flask's signature
        """Read JSON."""
        return orjson.loads(s)


def register(app: Flask) -> None:
    """Add the headers that all responses have."""

    @app.after_request
    def add_headers(response: Response) -> Response:
        headers = response.headers
        headers.setdefault("Cache-Control", "no-cache")
        headers.setdefault("X-Request-ID", current_request().id)
        for name, value in _ALWAYS:
            headers.setdefault(name, value)
        return response


def has_current(tag: str) -> bool:
    """Whether ``If-None-Match`` says that the client has the response with this entity tag."""
    request = current_request()
    return (
        "HTTP_IF_NONE_MATCH" in request.environ
        and request.method in {"GET", "HEAD"}
        and request.if_none_match.contains_weak(tag.strip('"'))
    )


def not_modified(tag: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response 304."""
    return _empty(HTTPStatus.NOT_MODIFIED, {"ETag": tag, **(headers or {})})


def options_response(allowed: str) -> Response:
    """Return the response to OPTIONS, which may be a browser's preflight request."""
    headers = {"Allow": allowed}
    if "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in current_request().environ:
        headers |= {"Access-Control-Allow-Methods": allowed, **_PREFLIGHT}
    return _empty(HTTPStatus.NO_CONTENT, headers)


def sorted_methods(allowed: str) -> str:
    """Sort the methods of an ``Allow`` header: Flask lists them in a different order each time."""
    return ", ".join(sorted(allowed.split(", ")))


def _empty(status: HTTPStatus, headers: Mapping[str, str]) -> Response:
    response = Response(status=status, headers=headers)
    del response.headers["Content-Type"]
    return response
