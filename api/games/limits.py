"""The limit on new games: how clients are told apart."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING

from api.games.access import client_name
from api.games.errors import RateLimited

if TYPE_CHECKING:
    from api.store import Allowance, Store

SITE_BITS = 64
"""The part of an IPv6 address that is one client: a /64 belongs to one household."""


def count_creation(store: Store, address: str) -> Allowance | None:
    """Count a new game for the client at ``address``; return what is left, None without a limit.

    Raises RateLimited if nothing was left.
    """
    if store.create_limit is None:
        return None
    allowance = store.create_limit.take(client_name(store.secret, site(address)))
    if not allowance.granted:
        raise RateLimited(allowance)
    return allowance


def site(address: str) -> str:
    """Return the part of an address that is one client: all of IPv4, the /64 of IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address  # some proxies name clients in their own way
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return f"{int(parsed) >> SITE_BITS:x}"
