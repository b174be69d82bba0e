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
from flask import has_request_context

from api.current import request
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

    @app.after_request
    def log_request(response: Response) -> Response:
        asking = request()
        # Written as it is: the logging package costs three times as much for the same line.
        line = {
            "time": timestamp(time.time()),
            "level": "info",
            "logger": "api.requests",
            "message": "request",
            "request_id": asking.id,
            "method": method_name(asking),
            "route": route_name(asking),
            "status": response.status_code,
            "duration_ms": round((time.perf_counter() - asking.began) * 1000, 3),
        }
        if asking.problem_code:
            line["code"] = asking.problem_code
        out.write(orjson.dumps(line).decode() + "\n")
        out.flush()
        return response


def _add_request_id(record: logging.LogRecord) -> bool:
    if has_request_context():
        record.request_id = request().id
    return True
