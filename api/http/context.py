"""The current request and the store of the current app, with their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import flask

if TYPE_CHECKING:
    from api.http.requests import Request
    from api.store import Store


def current_request() -> Request:
    """Return the request that is being answered."""
    # As Flask documents it: not the proxy, of which each use is another look-up.
    return cast("Request", flask.request._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001  # see above


def current_store() -> Store:
    """Return the store of the running app."""
    return cast("Store", flask.current_app.extensions["store"])
