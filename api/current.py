"""What the running app was built with."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flask import current_app

if TYPE_CHECKING:
    from api.store import Store


def store() -> Store:
    """Return the store of the running app."""
    return cast("Store", current_app.extensions["store"])
