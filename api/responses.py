"""What every response has in common: how its JSON is written and which headers go with it."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

import orjson
from flask import Response, g, request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def json_bytes(body: Any) -> bytes:  # noqa: ANN401  # whatever JSON has
    """Write ``body`` as JSON."""
    return orjson.dumps(body)


def json_response(
    body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the response whose body is ``body`` as JSON."""
    response = Response(json_bytes(body), status, content_type="application/json")
    if headers:
        response.headers.update(headers)
    return response


def register(app: Flask) -> None:
    """Give every request an id, and every response the headers that all of them have."""

    @app.before_request
    def take_request_id() -> None:
        given = request.headers.get("X-Request-ID", "")
        g.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)

    @app.after_request
    def add_headers(response: Response) -> Response:
        headers = response.headers
        headers["X-Request-ID"] = g.request_id
        headers["X-Content-Type-Options"] = "nosniff"
        # A game's id is a capability: no page that a link leads to may learn it.
        headers["Referrer-Policy"] = "no-referrer"
        headers.setdefault("Cache-Control", "no-cache")
        return response
