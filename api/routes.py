"""How a request is named in logs and metrics: by its route, which no client can make up."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Request

UNMATCHED = "unmatched"
OTHER = "OTHER"

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def route_name(request: Request) -> str:
    """Return a request's route as the contract writes it, ``/v1/games/{game_id}``.

    Never the path, which may hold the id of a game; a request that no route takes is ``unmatched``.
    """
    return _template(request.url_rule.rule) if request.url_rule else UNMATCHED


def method_name(request: Request) -> str:
    """Return a request's method, or ``OTHER`` for a word that a client has made up."""
    return request.method if request.method in _METHODS else OTHER


@cache
def _template(rule: str) -> str:
    return re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule)
