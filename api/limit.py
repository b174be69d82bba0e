"""The limit on new games: who is counted as one client, and what the headers tell of it.

The headers are those of the IETF's draft "RateLimit header fields for HTTP".
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING

from api.access import client_name
from api.current import request, store
from api.problems import RATE_LIMITED, Problem
from api.store import GameNotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

SITE_BITS = 64
"""How much of an IPv6 address is its site's: a household, not a machine, has one of these."""


def limit_creation(game_id: str, *, repeatable: bool) -> Mapping[str, str]:
    """Count a creation for the client, if there is a limit; return the headers that tell of it.

    A ``repeatable`` one whose game is there already creates none: it is neither counted nor
    refused. Raises the problem 429 if the client has had its share.
    """
    limit = store().create_limit
    if limit is None or (repeatable and _is_there(game_id)):
        return {}
    granted, remaining, seconds = limit.take(client_name(site_of(request().remote_addr or "")))
    headers = {
        "RateLimit-Policy": f'"create";q={limit.limit.amount};w={limit.limit.get_expiry()}',
        "RateLimit": f'"create";r={remaining};t={seconds}',
    }
    if not granted:
        raise Problem(
            RATE_LIMITED, RATE_LIMITED.meaning, headers={**headers, "Retry-After": str(seconds)}
        )
    return headers


def site_of(address: str) -> str:
    """Return what of an address is one client: all of it, but of IPv6 the network alone."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address  # of a proxy that has its own way to say it
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return f"{int(parsed) >> SITE_BITS:x}"


def _is_there(game_id: str) -> bool:
    try:
        store().games.read(game_id)
    except GameNotFound:
        return False
    return True
