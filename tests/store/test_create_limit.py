"""The limit on games created per client, counted in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from limits import RateLimitItemPerMinute, RateLimitItemPerSecond

from api.store import UNAVAILABLE, Store
from tests.servers import wait_until

if TYPE_CHECKING:
    from redis import Redis

    from api.store.create_limit import CreateLimit
    from tests.servers import StoreServer

AMOUNT = 3


def limit_of(server: StoreServer) -> CreateLimit:
    limit = Store(server.url, create_limit=RateLimitItemPerMinute(AMOUNT)).create_limit
    assert limit is not None
    return limit


def test_creations_beyond_the_limit_are_refused(server: StoreServer) -> None:
    limit = limit_of(server)
    taken = [limit.take("client") for _ in range(AMOUNT + 2)]
    assert [allowance.granted for allowance in taken] == [True] * AMOUNT + [False] * 2
    assert [allowance.remaining for allowance in taken] == [2, 1, 0, 0, 0]
    assert all(0 < allowance.seconds <= 60 for allowance in taken)


def test_stores_share_a_count_and_clients_have_separate_counts(server: StoreServer) -> None:
    one, other = limit_of(server), limit_of(server)
    assert [limit.take("client").remaining for limit in (one, other, one)] == [2, 1, 0]
    assert other.take("another client").remaining == 2


def test_a_refusal_writes_nothing(server: StoreServer, redis: Redis) -> None:
    limit = limit_of(server)
    for _ in range(AMOUNT):
        limit.take("client")
    (key,) = redis.scan_iter("*")
    before = redis.lrange(key, 0, -1), redis.pexpiretime(key)
    assert not limit.take("client").granted
    assert (redis.lrange(key, 0, -1), redis.pexpiretime(key)) == before


def test_the_count_expires_with_its_period(server: StoreServer, redis: Redis) -> None:
    limit = Store(server.url, create_limit=RateLimitItemPerSecond(1)).create_limit
    assert limit is not None
    limit.take("client")
    assert redis.dbsize() == 1
    wait_until(lambda: redis.dbsize() == 0)
    assert limit.take("client").granted


def test_scripts_are_loaded_again_after_the_store_loses_them(
    server: StoreServer, redis: Redis
) -> None:
    limit = limit_of(server)
    limit.take("client")
    redis.script_flush()
    assert limit.take("client").remaining == 1


def test_the_limit_is_unavailable_during_an_outage_and_keeps_its_count(
    own_server: StoreServer,
) -> None:
    limit = limit_of(own_server)
    limit.take("client")
    own_server.kill()
    with pytest.raises(UNAVAILABLE):
        limit.take("client")
    own_server.start()
    assert limit.take("client").remaining == 1
