"""The current request and the store of the current app, with their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import flask

if TYPE_CHECKING:
    from api.http.requests import Request
    from api.store import Store


def current_request() -> Request:
    """Return the request that is being answered."""
    return cast("Request", flask.request)


def current_store() -> Store:
    """Return the store of the running app."""
    return cast("Store", flask.current_app.extensions["store"])
