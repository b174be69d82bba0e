"""Structured logs: if asked for, every line is a JSON object, and every request leaves one.

A line never holds a path, an id of a game, a name, a key or a token; the route's template and the
request's id are what it is found by.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING

import orjson
from flask import has_request_context
from flask.logging import default_handler

from api.current import request
from api.jsonlines import JsonFormatter, dropped, timestamp
from api.outlet import Outlet
from api.routes import method_name, route_name

if TYPE_CHECKING:
    from flask import Flask

    from api.app import App
    from api.requests import Request
    from api.responses import Response

_STDOUT, _STDERR = 1, 2


def register_plain(app: Flask) -> None:
    """Have the app's log written as text: of trouble alone, and holding nobody up."""
    handler = logging.StreamHandler(Outlet(_STDERR))
    handler.setFormatter(default_handler.formatter)
    app.logger.handlers[:] = [handler]


def register(app: App, descriptor: int = _STDOUT) -> None:
    """Have the app's log written as JSON, with a line for every request."""
    out = Outlet(descriptor, partial(dropped, "api.requests"))
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(_add_request_id)
    app.logger.handlers[:] = [handler]
    app.logger.propagate = False

    def log_request(asking: Request, response: Response) -> None:
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

    app.watchers.append(log_request)


def _add_request_id(record: logging.LogRecord) -> bool:
    if has_request_context():
        record.request_id = request().id
    return True
