"""What every response has in common: how its JSON is written and which headers go with it."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import flask
import orjson

from api.current import request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from wsgiref.types import WSGIEnvironment

    from api.requests import Request

JSON = "application/json"
TEXT = "text/plain"

_EXPOSED = (
    "ETag, Location, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, "
    "X-Request-ID"
)
_ALWAYS = (
    ("X-Content-Type-Options", "nosniff"),
    # A game's id is a capability: no page that a link leads to may learn it.
    ("Referrer-Policy", "no-referrer"),
    # Also without an Origin, for a cache may answer one that has one from what it stored.
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", _EXPOSED),
)
_REPLAYED = (("Idempotent-Replayed", "true"),)
_PREFLIGHT = {
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, "
    "If-None-Match, Last-Event-ID",
    "Access-Control-Max-Age": "86400",
}


class Response(flask.Response):
    """A response that is whole when it is made, and sent as it is, with what all of them have."""

    caching = "no-cache"
    """Its ``Cache-Control``."""
    replayed = False
    """Whether it tells again what was done before, and says so."""

    def __call__(
        self, environ: WSGIEnvironment, start_response: Callable[..., object]
    ) -> Iterable[bytes]:
        """Send it: without the second look at headers that others need, and their copy."""
        asking: Request = environ["werkzeug.request"]
        own = (("X-Request-ID", asking.id), ("Cache-Control", self.caching))
        told = _REPLAYED if self.replayed else ()
        start_response(self.status, [*self.headers, *told, *own, *_ALWAYS])
        return () if environ["REQUEST_METHOD"] == "HEAD" else self.iter_encoded()


def json_bytes(body: Any) -> bytes:  # noqa: ANN401  # whatever JSON has
    """Write ``body`` as JSON."""
    return orjson.dumps(body)


def json_response(
    body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the response whose body is ``body`` as JSON."""
    response = Response(json_bytes(body), status, content_type=JSON)
    if headers:
        response.headers.update(headers)
    return response


def tagged_json_response(tag: str, body: Mapping[str, Any]) -> Response:
    """Return the response whose body is ``body`` as JSON and is known by an entity tag."""
    return json_response(body, headers={"ETag": tag})


def known_to_client(tag: str) -> bool:
    """Whether a client that asks for it again has what the tag stands for."""
    asking = request()
    return (
        "HTTP_IF_NONE_MATCH" in asking.environ
        and asking.method in {"GET", "HEAD"}
        and asking.if_none_match.contains_weak(tag.strip('"'))
    )


def not_modified(tag: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response that says so."""
    response = Response(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": tag, **(headers or {})})
    del response.headers["Content-Type"]
    return response


def options_response(allowed: str) -> Response:
    """Return the answer to a plain OPTIONS, which may be a browser asking what a page may do."""
    headers = {"Allow": allowed}
    if "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request().environ:
        headers |= {"Access-Control-Allow-Methods": allowed, **_PREFLIGHT}
    response = Response(status=HTTPStatus.NO_CONTENT, headers=headers)
    del response.headers["Content-Type"]
    return response


def sorted_methods(allowed: str) -> str:
    """Return the methods of an ``Allow`` header in order: Flask has them in another each time."""
    return ", ".join(sorted(allowed.split(", ")))
