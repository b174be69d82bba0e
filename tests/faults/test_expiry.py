"""A game that expires while a move is made stays gone: nothing brings a part of it back."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest

from tests.playing import Connection, Record, act, begin, record
from tests.servers import StoreServer, serving
from tests.store.link import Fate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from tests.servers import Reply
    from tests.store.link import Link

SEED = "expiring"
GAME: Record = record(SEED)


@pytest.fixture(scope="module")
def client(store: StoreServer, link: Link) -> Iterator[Connection]:
    """A connection to an API whose commands to the store go over the link."""
    with serving(store, workers=1, redis_url=link.url) as api:
        connection = Connection(api.port)
        yield connection
        connection.close()


@pytest.fixture(scope="module")
def redis(store: StoreServer) -> Iterator[Redis]:
    with store.client as redis:
        yield redis


def expire(redis: Redis, game_id: str) -> None:
    """Have a game expire, and wait until it has."""
    redis.pexpire(f"game:{game_id}", 1)
    while redis.exists(f"game:{game_id}"):
        time.sleep(0.001)


def move(
    client: Connection, link: Link, redis: Redis, version: int, expiring: int | None
) -> tuple[str, Reply, int]:
    """Make the move after a version, and have the game expire right before one of its commands.

    Returns the game, the answer, and how many commands there were.
    """
    game_id, _body = begin(client, GAME)
    for played in range(version):
        assert act(client, game_id, played, GAME.actions[played]).status == HTTPStatus.OK

    def fate(number: int) -> Fate:
        if number == expiring:
            expire(redis, game_id)
        return Fate.ANSWERED

    link.begin_again(fate)
    reply = act(client, game_id, version, GAME.actions[version])
    commands = len(link.commands)
    link.fate = lambda _number: Fate.ANSWERED
    return game_id, reply, commands


@pytest.mark.parametrize("version", [0, 1, len(GAME.actions) - 1], ids=["first", "next", "last"])
def test_a_game_that_expires_during_a_move_stays_gone(
    client: Connection, link: Link, redis: Redis, version: int
) -> None:
    for _ in range(2):  # the first time the store may have to be told the scripts
        _game_id, reply, commands = move(client, link, redis, version, None)
        assert reply.status == HTTPStatus.OK
    statuses = []
    for expiring in range(commands):
        game_id, reply, _commands = move(client, link, redis, version, expiring)
        statuses.append(reply.status)
        assert not redis.exists(f"game:{game_id}")
        assert client.request("GET", f"/v1/games/{game_id}").status == HTTPStatus.NOT_FOUND
        again = act(client, game_id, version, GAME.actions[version])
        assert again.status == HTTPStatus.NOT_FOUND
        ledger = client.request("GET", f"/v1/ledger?seed={SEED}")
        assert ledger.status == HTTPStatus.OK
        assert game_id not in ledger.body.decode()
    # Not found until the move is carried out; what comes after that cannot take it back.
    not_found = statuses.count(HTTPStatus.NOT_FOUND)
    assert not_found
    assert statuses == [HTTPStatus.NOT_FOUND] * not_found + [HTTPStatus.OK] * (commands - not_found)
