"""The resources: one module each, with its operations and their schemas."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from api.http.contract import Blueprint


def blueprints() -> Iterator[Blueprint]:
    """Yield the blueprint of each module here, which is its attribute ``blp``."""
    for module in iter_modules(__path__):
        yield import_module(f"{__name__}.{module.name}").blp
