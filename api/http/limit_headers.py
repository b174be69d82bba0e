"""The headers about the limit on new games: the IETF's draft "RateLimit header fields for HTTP"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from api.store import Allowance


def limit_headers(allowance: Allowance | None) -> dict[str, str]:
    """Return the headers that describe an allowance; none without a limit."""
    if allowance is None:
        return {}
    limit, _, remaining, seconds = allowance
    return {
        "RateLimit-Policy": f'"create";q={limit.amount};w={limit.get_expiry()}',
        "RateLimit": f'"create";r={remaining};t={seconds}',
    }
