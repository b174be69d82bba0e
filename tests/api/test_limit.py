"""The limit on new games per client, shared by all workers and servers."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from api.games import limits
from tests.api.client import Api, refused
from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from redis import Redis

    from tests.api.documented import Document
    from tests.servers import Reply

AMOUNT, SECONDS = 3, 60
LIMIT = f"{AMOUNT}/{SECONDS} seconds"
KEYS = iter(f"key-of-the-limit-{number}" for number in range(1000))
ADDRESSES = iter(f"203.0.113.{number}" for number in range(256))


@pytest.fixture(scope="module")
def limited(store_server: StoreServer, document: Document) -> Iterator[list[Api]]:
    """Two servers with two workers each and a creation limit, behind one proxy (the test)."""
    with (
        serving(store_server, create_limit=LIMIT, proxy_hops="1") as one,
        serving(store_server, create_limit=LIMIT, proxy_hops="1") as other,
    ):
        yield [Api(one, document), Api(other, document)]


@pytest.fixture(scope="module")
def short_limited(store_server: StoreServer, document: Document) -> Iterator[Api]:
    """A server with a limit per few seconds, so that a test can wait for it to reset."""
    with serving(store_server, create_limit="2/3 seconds", proxy_hops="1") as server:
        yield Api(server, document)


@pytest.fixture
def address() -> str:
    """An address that no other test uses."""
    return next(ADDRESSES)


def create(api: Api, forwarded_for: str, **headers: str) -> Reply:
    """Create a game from an address, forwarded as by a proxy."""
    sent = {"X-Forwarded-For": forwarded_for, **headers}
    return api.request("POST", "/v1/games", {}, headers=sent)


def exhaust(api: Api, address: str) -> None:
    for _ in range(AMOUNT):
        assert create(api, address).status == 201


def create_until_refused(api: Api, address: str) -> tuple[dict[str, str], Reply]:
    """Create games until one is refused; return its key header and the response."""
    for _ in range(100):
        key = {"Idempotency-Key": next(KEYS)}
        reply = create(api, address, **key)
        if reply.status == 429:
            return key, reply
    raise AssertionError("no request was refused")


def rate_limit(reply: Reply) -> tuple[int, int]:
    """Return the remaining requests and the seconds until the reset."""
    assert reply.headers["RateLimit-Policy"] == f'"create";q={AMOUNT};w={SECONDS}'
    match = re.fullmatch(r'"create";r=(\d+);t=(\d+)', reply.headers["RateLimit"])
    assert match
    return int(match[1]), int(match[2])


def test_a_creation_returns_the_remaining_quota(limited: list[Api], address: str) -> None:
    assert [rate_limit(create(limited[0], address))[0] for _ in range(AMOUNT)] == [2, 1, 0]


def test_one_creation_too_many_is_refused_with_retry_after(
    limited: list[Api], address: str
) -> None:
    exhaust(limited[0], address)
    reply = create(limited[0], address)
    assert refused(reply) == (429, "rate_limited")
    assert set(reply.json) == {"type", "title", "status", "detail", "code", "request_id"}
    assert rate_limit(reply) == (0, int(reply.headers["Retry-After"]))
    assert 1 <= int(reply.headers["Retry-After"]) <= SECONDS


def test_a_refused_creation_stores_nothing(limited: list[Api], address: str, stored: Redis) -> None:
    exhaust(limited[0], address)
    before = set(stored.scan_iter("*"))
    key = next(KEYS)
    assert create(limited[0], address, **{"Idempotency-Key": key}).status == 429
    assert set(stored.scan_iter("*")) <= before


def test_a_creation_succeeds_after_waiting_for_retry_after(
    short_limited: Api, address: str
) -> None:
    key, reply = create_until_refused(short_limited, address)
    assert 1 <= int(reply.headers["Retry-After"]) <= 3
    time.sleep(int(reply.headers["Retry-After"]))
    later = create(short_limited, address, **key)
    assert later.status == 201
    assert "Idempotent-Replayed" not in later.headers


def test_all_workers_of_two_servers_share_one_count(limited: list[Api], address: str) -> None:
    def one(number: int) -> int:
        return create(limited[number % 2], address).status

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(one, range(16)))
    assert statuses.count(201) == AMOUNT
    assert statuses.count(429) == 16 - AMOUNT


def test_another_address_has_its_own_quota(limited: list[Api], address: str) -> None:
    exhaust(limited[0], address)
    assert create(limited[0], next(ADDRESSES)).status == 201


def test_a_forged_header_neither_evades_the_limit_nor_uses_the_quota_of_others(
    limited: list[Api], address: str
) -> None:
    victim = next(ADDRESSES)
    for forged in (victim, "198.51.100.1", "unknown"):
        assert create(limited[0], f"{forged}, {address}").status == 201
    assert create(limited[0], f"198.51.100.2, {address}").status == 429
    assert rate_limit(create(limited[0], victim))[0] == AMOUNT - 1


def test_the_addresses_of_one_ipv6_network_are_one_client(limited: list[Api]) -> None:
    for host in ("1", "2", "ffff:1:2"):
        assert create(limited[0], f"2001:db8:0:7::{host}").status == 201
    assert create(limited[0], "2001:db8:0:7:8::").status == 429
    assert create(limited[0], "2001:db8:0:8::1").status == 201


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "20010db800000000"),
        ("2001:DB8:0:0:ffff::", "20010db800000000"),
        ("fe80::1%eth0", "fe80000000000000"),
        ("::1", "0"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_a_client_is_identified_by_address_or_ipv6_network(address: str, site: str) -> None:
    assert limits.site(address) == site


def test_a_repeated_creation_is_not_counted(limited: list[Api], address: str) -> None:
    key = {"Idempotency-Key": next(KEYS)}
    first = create(limited[0], address, **key)
    for _ in range(AMOUNT):
        again = create(limited[1], address, **key)
        assert (again.status, again.headers["Idempotent-Replayed"]) == (201, "true")
        assert again.json["id"] == first.json["id"]
        assert "RateLimit" not in again.headers
    for remaining in (1, 0):
        assert rate_limit(create(limited[0], address))[0] == remaining
    assert create(limited[0], address).status == 429
    assert create(limited[0], address, **key).status == 201


def test_an_invalid_creation_is_not_counted(limited: list[Api], address: str) -> None:
    for _ in range(AMOUNT + 1):
        reply = limited[0].request(
            "POST", "/v1/games", {"colour": "red"}, headers={"X-Forwarded-For": address}
        )
        assert reply.status == 422
    assert rate_limit(create(limited[0], address))[0] == AMOUNT - 1


def test_a_game_can_be_played_when_the_limit_is_reached(limited: list[Api], address: str) -> None:
    game: dict[str, Any] = create(limited[0], address).json
    for _ in range(AMOUNT - 1):
        create(limited[0], address)
    assert create(limited[0], address).status == 429
    for _ in range(AMOUNT + 2):
        reply = limited[0].request(
            "POST",
            f"/v1/games/{game['id']}/actions",
            {"version": game["version"], "actions": game["actions"][-1:]},
            headers={"X-Forwarded-For": address},
        )
        assert reply.status == 200
        game = reply.json
        if not game["actions"]:
            break


def test_the_store_contains_no_address_and_the_counts_expire(
    limited: list[Api], stored: Redis
) -> None:
    addresses = [next(ADDRESSES), "2001:db8:1:2:3::4"]
    for address in addresses:
        exhaust(limited[0], address)
    counts = list(stored.scan_iter("limit:*"))
    assert len(counts) >= len(addresses)
    for key in counts:
        assert not any(part in key for part in (*addresses, "203.0.113", "2001", "20010db8"))
        assert 0 < stored.pttl(key) <= SECONDS * 1000
        assert stored.llen(key) <= AMOUNT


def test_without_a_limit_there_are_no_headers_and_no_counts(
    api: Api, stored: Redis, address: str
) -> None:
    stored.delete(*stored.scan_iter("limit:*"), "none")
    for _ in range(AMOUNT + 1):
        reply = create(api, address)
        assert reply.status == 201
        assert not {"RateLimit", "RateLimit-Policy"} & set(reply.headers)
    assert not list(stored.scan_iter("limit:*"))


def test_a_limited_creation_without_the_store_is_store_unavailable(
    document: Document, tmp_path: Path
) -> None:
    missing = StoreServer(valkey_binary())
    missing.url = f"unix://{tmp_path}/none"
    with serving(missing, workers=1, create_limit=LIMIT) as server:
        reply = create(Api(server, document), "192.0.2.1")
    assert refused(reply) == (503, "store_unavailable")
