"""The server's secret, shared by all processes, and the values derived from it."""

from __future__ import annotations

import hmac
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from api.store import UNAVAILABLE, Purpose, Store, WrongSecret

if TYPE_CHECKING:
    from redis import Redis

    from tests.servers import StoreServer

CONFIGURED = b"thirty-two bytes or more of noise"
OTHER = b"other thirty-two bytes or more of noise"


def test_a_derived_value_is_an_hmac_of_purpose_and_text(server: StoreServer) -> None:
    secret = Store(server.url, secret=CONFIGURED).secret
    for purpose in Purpose:
        message = purpose.value.encode() + b"\0" + "Größe".encode()
        assert secret.derive(purpose, "Größe") == hmac.digest(CONFIGURED, message, "sha256")


def test_each_purpose_derives_a_different_value(store: Store) -> None:
    assert len({store.secret.derive(purpose, "same") for purpose in Purpose}) == len(Purpose)


def test_without_a_configured_secret_all_processes_share_one(server: StoreServer) -> None:
    one, other = Store(server.url), Store(server.url)
    assert one.secret.derive(Purpose.ID, "x") == other.secret.derive(Purpose.ID, "x")


def test_the_shared_secret_is_random(server: StoreServer, redis: Redis) -> None:
    before = Store(server.url).secret.derive(Purpose.ID, "x")
    redis.flushall()
    assert Store(server.url).secret.derive(Purpose.ID, "x") != before


def test_the_shared_secret_has_at_least_32_bytes(store: Store, redis: Redis) -> None:
    store.secret.check()
    # Base64 has six bits per character.
    assert len(str(redis.get("secret"))) * 6 >= 32 * 8


def test_a_configured_secret_is_not_written_to_the_store(server: StoreServer, redis: Redis) -> None:
    Store(server.url, secret=CONFIGURED).secret.check()
    for key in redis.scan_iter():
        assert CONFIGURED.decode() not in str(redis.get(key))


@pytest.mark.parametrize("secret", [OTHER, None], ids=["another", "none"])
def test_a_store_used_with_one_secret_refuses_any_other(
    server: StoreServer, secret: bytes | None
) -> None:
    Store(server.url, secret=CONFIGURED).secret.check()
    for _ in range(2):
        with pytest.raises(WrongSecret):
            Store(server.url, secret=secret).secret.check()
    Store(server.url, secret=CONFIGURED).secret.check()


def test_a_secret_lost_in_a_failover_is_not_replaced_by_a_guessable_one(
    store: Store, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = False

    def get(key: str) -> object:
        nonlocal lost
        if not lost:
            redis.delete("secret")
            lost = True
        return redis.get(key)

    monkeypatch.setattr(store._client.redis, "get", get)
    derived = None
    with suppress(*UNAVAILABLE):
        derived = store.secret.derive(Purpose.ID, "x")
    assert lost
    assert derived != hmac.digest(b"None", b"id\0x", "sha256")


def test_a_probe_restores_the_secret_of_a_store_that_lost_its_data(
    server: StoreServer, redis: Redis
) -> None:
    store = Store(server.url)
    before = store.secret.derive(Purpose.ID, "x")
    redis.flushall()
    store.probe()
    assert Store(server.url).secret.derive(Purpose.ID, "x") == before


def test_a_probe_refuses_a_store_now_used_with_another_secret(
    server: StoreServer, redis: Redis
) -> None:
    store = Store(server.url)
    store.probe()
    redis.flushall()
    Store(server.url, secret=OTHER).secret.check()
    with pytest.raises(WrongSecret):
        store.probe()


def test_a_refused_server_leaves_no_secret_behind(server: StoreServer, redis: Redis) -> None:
    Store(server.url, secret=CONFIGURED).secret.check()
    with pytest.raises(WrongSecret):
        Store(server.url).secret.check()
    assert not redis.exists("secret")
