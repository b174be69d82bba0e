"""Logs. As JSON, every line is an object, and every request has a line.

A line never contains a path, a game's id, a name, a key or a token. The route and the request's id
identify a request.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
from flask import has_request_context

from api.http.context import current_request
from api.observe.json_lines import JsonFormatter, dropped, timestamp, without_message
from api.observe.log_stream import LogStream

if TYPE_CHECKING:
    from flask import Flask, Response

_STDOUT, _STDERR = 1, 2
_FORMAT = "[%(asctime)s] %(levelname)s in %(module)s: %(message)s"  # Flask's own


class _PlainFormatter(logging.Formatter):
    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802  # logging's signature
        return without_message(ei)


def register(app: Flask, form: str) -> None:
    """Log in the form ``plain``: problems as text; or ``json``: also every request."""
    if form == "json":
        log_json(app)
    else:
        _log_plain(app)


def _log_plain(app: Flask) -> None:
    handler = logging.StreamHandler(LogStream(_STDERR))
    handler.setFormatter(_PlainFormatter(_FORMAT))
    app.logger.handlers[:] = [handler]


def log_json(app: Flask, descriptor: int = _STDOUT) -> None:
    """Log as JSON to a file descriptor."""
    stream = LogStream(descriptor, partial(dropped, "api.http.requests"))
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(_add_request_id)
    app.logger.handlers[:] = [handler]
    app.logger.propagate = False

    @app.after_request
    def log_request(response: Response) -> Response:
        request = current_request()
        # Written directly: the logging package takes three times as long for the same line.
        line = {
            "time": timestamp(time.time()),
            "level": "info",
            "logger": "api.http.requests",
            "message": "request",
            "request_id": request.id,
            "method": request.known_method,
            "route": request.route,
            "status": response.status_code,
            "duration_ms": round((time.perf_counter() - request.began) * 1000, 3),
        }
        if request.problem_code:
            line["code"] = request.problem_code
        stream.write(orjson.dumps(line).decode() + "\n")
        return response


def _add_request_id(record: logging.LogRecord) -> bool:
    if has_request_context():
        record.request_id = current_request().id
    return True
