"""The count of a client's creations in the store."""

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


def test_so_many_are_granted_and_no_more(server: StoreServer) -> None:
    limit = limit_of(server)
    taken = [limit.take("somebody") for _ in range(AMOUNT + 2)]
    assert [allowance.granted for allowance in taken] == [True] * AMOUNT + [False] * 2
    assert [allowance.remaining for allowance in taken] == [2, 1, 0, 0, 0]
    assert all(0 < allowance.seconds <= 60 for allowance in taken)


def test_two_stores_count_together_and_clients_apart(server: StoreServer) -> None:
    one, other = limit_of(server), limit_of(server)
    assert [limit.take("somebody").remaining for limit in (one, other, one)] == [2, 1, 0]
    assert other.take("somebody else").remaining == 2


def test_a_refusal_writes_nothing(server: StoreServer, redis: Redis) -> None:
    limit = limit_of(server)
    for _ in range(AMOUNT):
        limit.take("somebody")
    (key,) = redis.scan_iter("*")
    before = redis.lrange(key, 0, -1), redis.pexpiretime(key)
    assert not limit.take("somebody").granted
    assert (redis.lrange(key, 0, -1), redis.pexpiretime(key)) == before


def test_the_count_goes_with_its_time(server: StoreServer, redis: Redis) -> None:
    limit = Store(server.url, create_limit=RateLimitItemPerSecond(1)).create_limit
    assert limit is not None
    limit.take("somebody")
    assert redis.dbsize() == 1
    wait_until(lambda: redis.dbsize() == 0)
    assert limit.take("somebody").granted


def test_a_store_that_forgot_the_scripts_is_told_them_again(
    server: StoreServer, redis: Redis
) -> None:
    limit = limit_of(server)
    limit.take("somebody")
    redis.script_flush()
    assert limit.take("somebody").remaining == 1


def test_a_store_that_is_away_is_unavailable_and_counts_again_once_it_is_back(
    own_server: StoreServer,
) -> None:
    limit = limit_of(own_server)
    limit.take("somebody")
    own_server.kill()
    with pytest.raises(UNAVAILABLE):
        limit.take("somebody")
    own_server.start()
    assert limit.take("somebody").remaining == 1
