"""The current request and the store of the current app, with their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import flask

if TYPE_CHECKING:
    from werkzeug.local import LocalProxy

    from api.http.requests import Request
    from api.store import Store

_request = cast("LocalProxy[Request]", flask.request)


def current_request() -> Request:
    """Return the current request.

    It is not the proxy, each use of which looks the request up again.
    """
    return _request._get_current_object()  # noqa: SLF001  # Flask documents it


def current_store() -> Store:
    """Return the store of the running app."""
    store: Store = flask.current_app.extensions["store"]
    return store
