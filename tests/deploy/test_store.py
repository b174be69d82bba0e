"""The shipped configuration of the store, run by Debian's redis-server."""

from __future__ import annotations

import signal
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from api.store import Store
from tests.deploy.shipped import SHIPPED, RedisServer
from tests.playing import play_through, record
from tests.servers import ApiServer, redis_binary
from tests.store.play import finish, longest, move, new_game, random_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(redis_binary() is None, reason="no redis-server"),
]


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    server = RedisServer()
    try:
        yield server.start()
    finally:
        server.close()


def played(redis: RedisServer, games: int) -> dict[str, dict[str, str]]:
    """Play games, and return all that lies in the store."""
    store = Store(redis.url)
    for luck in range(games):
        finish(store, random_record(luck))
    store.forget_connections()
    return content(redis)


def content(redis: RedisServer) -> dict[str, dict[str, str]]:
    with redis.client as client:
        return {key: client.hgetall(key) for key in map(str, client.scan_iter("game:*"))}


def test_a_game_is_played_on_it(redis: RedisServer) -> None:
    api = ApiServer({"SCOUNDREL_REDIS_URL": redis.url}, workers=1)
    try:
        play_through(api.start(), record("on-the-shipped-store"))
    finally:
        api.close()


def test_it_writes_every_move_down_and_forgets_none_for_want_of_memory(redis: RedisServer) -> None:
    with redis.client as client:
        assert client.config_get("appendonly", "appendfsync", "maxmemory-policy", "save") == {
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
            "save": "",
        }
        assert int(client.config_get("maxmemory")["maxmemory"]) > 0


def test_the_longest_game_is_kept_in_the_small_encoding(redis: RedisServer) -> None:
    store = Store(redis.url)
    game_record = longest()
    game, _created = store.games.create(
        new_game(game_record, player="é" * 24, seed=game_record.seed.ljust(64, "0"), locked=True)
    )
    with redis.client as client:
        client.hset(f"game:{game.id}", "s", game_record.seed)
        game = move(store, store.games.read(game.id), game_record.actions)
        assert client.object("encoding", f"game:{game.id}") == "listpack"
    store.forget_connections()


def test_games_outlive_a_kill(redis: RedisServer) -> None:
    before = played(redis, 50)
    redis.stop(signal.SIGKILL)
    redis.start()
    assert content(redis) == before


def test_a_backup_taken_while_games_go_on_restores_all_that_were_over(
    redis: RedisServer, tmp_path: Path
) -> None:
    before = played(redis, 50)
    stop = threading.Event()

    def go_on() -> None:
        store = Store(redis.url)
        luck = 1000
        while not stop.is_set():
            finish(store, random_record(luck))
            luck += 1
        store.forget_connections()

    player = threading.Thread(target=go_on)
    player.start()
    archive = tmp_path / "games.tar.gz"
    try:
        subprocess.run(
            [SHIPPED / "backup.sh", redis.directory, archive, "-p", str(redis.port)], check=True
        )
    finally:
        stop.set()
        player.join()
    with redis.client as client:
        assert client.config_get("auto-aof-rewrite-percentage") == {
            "auto-aof-rewrite-percentage": "100"
        }
    restored = RedisServer()
    try:
        subprocess.run(["tar", "-xzf", archive, "-C", restored.directory], check=True)
        restored.start()
        after = content(restored)
        assert {key: after[key] for key in before} == before
        store = Store(restored.url)
        assert list(store.ledger.audit.differences()) == []
        store.forget_connections()
    finally:
        restored.close()
