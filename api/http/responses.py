"""Responses: JSON, entity tags, and the headers that all responses have."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import flask
import orjson

from api.http.context import current_request
from api.http.requests import JSON, request_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from werkzeug.datastructures import Headers

_EXPOSED = (
    "ETag, Location, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, "
    "X-Request-ID"
)
_COMMON = (
    ("Cache-Control", "no-cache"),
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


class Response(flask.Response):
    """A response whose headers are correct as they are."""

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:  # noqa: ARG002  # Werkzeug's signature
        """Return the headers, without the copy in which Werkzeug corrects them."""
        return self.headers


class CommonHeaders:
    """WSGI middleware that adds the headers of all responses, except those that are already set."""

    def __init__(self, wsgi_app: WSGIApplication) -> None:
        self._wsgi_app = wsgi_app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Call the app."""

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:  # noqa: ANN401  # WSGI's signature
            names = {name.lower() for name, _ in headers}
            common = (("X-Request-ID", request_id(environ)), *_COMMON)
            added = [header for header in common if header[0].lower() not in names]
            return start_response(status, [*headers, *added], *exc_info)

        return self._wsgi_app(environ, start)


def json_response(
    body: Any,  # noqa: ANN401  # any JSON
    status: int = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    content_type: str = JSON,
) -> Response:
    """Return a JSON response."""
    return Response(orjson.dumps(body), status, headers, content_type=content_type)


def has_current(tag: str) -> bool:
    """Whether ``If-None-Match`` says that the client has the response with this entity tag."""
    request = current_request()
    return (
        "HTTP_IF_NONE_MATCH" in request.environ
        and request.method in {"GET", "HEAD"}
        and request.if_none_match.contains_weak(tag.strip('"'))
    )


def not_modified(tag: str, headers: Mapping[str, str] | None = None) -> flask.Response:
    """Return the response 304."""
    return _empty(HTTPStatus.NOT_MODIFIED, {"ETag": tag, **(headers or {})})


def options_response(allowed: str) -> flask.Response:
    """Return the response to OPTIONS, which may be a browser's preflight request."""
    headers = {"Allow": allowed}
    if "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in current_request().environ:
        headers |= {"Access-Control-Allow-Methods": allowed, **_PREFLIGHT}
    return _empty(HTTPStatus.NO_CONTENT, headers)


def sorted_methods(allowed: str) -> str:
    """Sort the methods of an ``Allow`` header: Flask lists them in a different order each time."""
    return ", ".join(sorted(allowed.split(", ")))


def _empty(status: HTTPStatus, headers: Mapping[str, str]) -> flask.Response:
    response = flask.Response(status=status, headers=headers)
    del response.headers["Content-Type"]
    return response
