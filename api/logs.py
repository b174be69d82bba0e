"""Structured logs: if asked for, every line is a JSON object, and every request leaves one.

A line never holds a path, an id of a game, a name, a key or a token; the route's template and the
request's id are what it is found by.
"""

from __future__ import annotations

import logging
import sys
import time
from typing import TYPE_CHECKING

import orjson
from flask import g, has_request_context
from flask.globals import request_ctx

from api.jsonlines import JsonFormatter, timestamp
from api.routes import method_name, route_name

if TYPE_CHECKING:
    from flask import Flask

    from api.responses import Response


def register(app: Flask) -> None:
    """Have the app's log written as JSON, with a line for every request.

    Call it before whatever else looks at responses, so that it sees them as they are sent.
    """
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(_add_request_id)
    app.logger.handlers[:] = [handler]
    app.logger.propagate = False
    out = sys.stdout

    @app.before_request
    def note_the_time() -> None:
        g.log_began = time.perf_counter()

    @app.after_request
    def log_request(response: Response) -> Response:
        request = request_ctx.request  # once, for each look through the proxy costs
        # Written as it is: the logging package costs three times as much for the same line.
        line = {
            "time": timestamp(time.time()),
            "level": "info",
            "logger": "api.requests",
            "message": "request",
            "request_id": g.request_id,
            "method": method_name(request),
            "route": route_name(request),
            "status": response.status_code,
            "duration_ms": round((time.perf_counter() - g.log_began) * 1000, 3),
        }
        if "problem_code" in g:
            line["code"] = g.problem_code
        out.write(orjson.dumps(line).decode() + "\n")
        out.flush()
        return response


def _add_request_id(record: logging.LogRecord) -> bool:
    if has_request_context() and "request_id" in g:
        record.request_id = g.request_id
    return True
