"""What the running app was built with, and the request that it is answering."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flask import current_app
from flask.globals import request_ctx

if TYPE_CHECKING:
    from api.requests import Request
    from api.store import Store


def request() -> Request:
    """Return the request: once is cheaper than a look through Flask's proxy each time."""
    return cast("Request", request_ctx.request)


def store() -> Store:
    """Return the store of the running app."""
    return cast("Store", current_app.extensions["store"])
