"""How many games a client may create: a moving window per client, kept by the library ``limits``.

The store holds the times of the client's last creations until the window has passed.
"""

from __future__ import annotations

from functools import cached_property
from math import ceil
from time import time
from typing import TYPE_CHECKING, NamedTuple, cast

from limits.storage import RedisStorage
from limits.strategies import MovingWindowRateLimiter

from api.store.observer import timed

if TYPE_CHECKING:
    from limits import RateLimitItem
    from limits.typing import RedisClient

    from api.store.client import Client


class Allowance(NamedTuple):
    """Whether a creation is granted, how many more are, and the seconds until another one is."""

    limit: RateLimitItem
    granted: bool
    remaining: int
    seconds: int


class CreateLimit:
    """The limit, for all servers together. The servers' clocks must agree."""

    def __init__(self, client: Client, limit: RateLimitItem) -> None:
        self._client = client
        self.limit = limit

    @timed("create_limit")
    def take(self, who: str) -> Allowance:
        """Count a creation of a client, unless it has reached the limit."""
        granted = self._window.hit(self.limit, who)
        resets_at, remaining = self._window.get_window_stats(self.limit, who)
        return Allowance(self.limit, granted, remaining, max(1, ceil(resets_at - time())))

    @cached_property
    def _window(self) -> MovingWindowRateLimiter:
        return MovingWindowRateLimiter(_Storage(self._client))


class _Storage(RedisStorage):
    """The library's scripts over our own connections, to one node or a Cluster."""

    STORAGE_SCHEME: list[str] = []  # noqa: RUF012  # as the library declares it; no URL uses it

    def __init__(self, client: Client) -> None:
        self._client = client
        super().__init__("redis://", key_prefix="limit")  # does not connect

    def get_connection(self, readonly: bool = False) -> RedisClient:  # noqa: ARG002  # the library's signature
        return cast("RedisClient", self._client.redis)
