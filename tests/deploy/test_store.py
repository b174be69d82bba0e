"""The shipped configuration of the store, with Debian's redis-server."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from api.store import Store
from tests.deploy.nginx import NOBODY
from tests.deploy.shipped import SHIPPED, RedisServer
from tests.playing import play_through, record
from tests.servers import ROOT, ApiServer, redis_binary
from tests.store.play import finish, longest, move, new_game, random_record

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(redis_binary() is None, reason="requires redis-server"),
]


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


def played(redis: RedisServer, games: int) -> dict[str, dict[str, str]]:
    """Play games, and return the content of the store."""
    store = Store(redis.url)
    for luck in range(games):
        finish(store, random_record(luck))
    store.forget_connections()
    return content(redis)


def content(redis: RedisServer) -> dict[str, dict[str, str]]:
    with redis.client as client:
        return {key: client.hgetall(key) for key in map(str, client.scan_iter("game:*"))}


def test_a_game_is_played(redis: RedisServer) -> None:
    api = ApiServer({"SCOUNDREL_REDIS_URL": redis.url}, workers=1)
    try:
        play_through(api.start(), record("on-the-shipped-store"))
    finally:
        api.close()


def test_every_move_is_persisted_and_nothing_is_evicted(redis: RedisServer) -> None:
    with redis.client as client:
        assert client.config_get("appendonly", "appendfsync", "maxmemory-policy", "save") == {
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
            "save": "",
        }
        assert int(client.config_get("maxmemory")["maxmemory"]) > 0


def test_the_longest_game_has_the_small_encoding(redis: RedisServer) -> None:
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


def test_games_survive_a_kill(redis: RedisServer) -> None:
    before = played(redis, 50)
    redis.stop(signal.SIGKILL)
    redis.start()
    assert content(redis) == before


def listening(process: int) -> set[str]:
    """Return the listening addresses of a process."""
    sockets = {
        str(link.readlink()).removeprefix("socket:[").removesuffix("]")
        for link in Path(f"/proc/{process}/fd").iterdir()
    }
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[9] in sockets}


LOOPBACK = {"0100007F", "00000000000000000000000001000000"}


@pytest.mark.parametrize("conf", ["redis.conf", "cluster/redis.conf"])
def test_it_listens_on_loopback_only(conf: str) -> None:
    # A Cluster node also listens on its port plus 10,000.
    server = RedisServer(SHIPPED / conf, bus=10_000)
    try:
        server.start()
        assert server.process
        assert listening(server.process.pid) <= LOOPBACK
        with server.client as client:
            assert client.config_get("protected-mode") == {"protected-mode": "yes"}
    finally:
        server.close()


def test_with_the_compose_files_options_it_listens_on_its_network() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    program, _conf, *options = compose["services"]["redis"]["command"]
    assert program == "redis-server"
    server = RedisServer(SHIPPED / "redis.conf", *options)
    try:
        server.start()
        assert server.process
        assert "00000000" in listening(server.process.pid)
        with server.client as client:
            assert client.config_get("protected-mode") == {"protected-mode": "no"}
            assert client.config_get("appendonly") == {"appendonly": "yes"}
    finally:
        server.close()


def restore(archive: Path, directory: Path) -> None:
    subprocess.run(["tar", "--numeric-owner", "-xpzf", archive, "-C", directory], check=True)


def backup(
    redis: RedisServer, archive: Path, *options: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SHIPPED / "backup.sh", redis.directory, archive, *options],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(os.getuid() != 0, reason="requires root")
def test_root_can_restore_the_store_of_another_user(tmp_path: Path) -> None:
    first, second = (RedisServer(user=NOBODY) for _ in range(2))
    archive = tmp_path / "games.tar.gz"
    try:
        before = played(first.start(), 5)
        assert backup(first, archive, "-p", str(first.port)).returncode == 0
        assert archive.stat().st_mode & 0o077 == 0
        restore(archive, second.directory)
        second.start()
        assert content(second) == before
        played(second, 7)
    finally:
        first.close()
        second.close()


def test_a_backup_uses_the_configured_redis_cli(redis: RedisServer, tmp_path: Path) -> None:
    archive = tmp_path / "games.tar.gz"
    named = f"env redis-cli -p {redis.port}"
    done = backup(redis, archive, REDIS_CLI=named)
    assert (done.returncode, done.stderr) == (0, "")
    assert archive.exists()


def test_a_backup_without_the_password_fails_with_a_reason(
    redis: RedisServer, tmp_path: Path
) -> None:
    archive = tmp_path / "games.tar.gz"
    with redis.client as client:
        client.config_set("requirepass", "secret")
    done = backup(redis, archive, "-p", str(redis.port))
    assert done.returncode == 1
    assert "NOAUTH" in done.stderr
    assert not archive.exists()
    done = backup(redis, archive, "-p", str(redis.port), REDISCLI_AUTH="secret")
    assert (done.returncode, done.stderr) == (0, "")
    assert archive.exists()


@pytest.mark.parametrize("refused", ["config|set", "info"])
def test_a_backup_without_permissions_fails_with_a_reason(
    redis: RedisServer, tmp_path: Path, refused: str
) -> None:
    archive = tmp_path / "games.tar.gz"
    with redis.client as client:
        client.execute_command("ACL", "SETUSER", "default", f"-{refused}")
    done = backup(redis, archive, "-p", str(redis.port))
    assert done.returncode == 1
    assert "NOPERM" in done.stderr
    assert not archive.exists()


def test_a_backup_of_a_stopped_store_fails(redis: RedisServer, tmp_path: Path) -> None:
    redis.stop()
    done = backup(redis, tmp_path / "games.tar.gz", "-p", str(redis.port))
    assert done.returncode == 1
    assert "does not respond" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_backup_during_play_restores_all_finished_games(
    redis: RedisServer, tmp_path: Path
) -> None:
    before = played(redis, 50)
    stop = threading.Event()

    def play() -> None:
        store = Store(redis.url)
        luck = 1000
        while not stop.is_set():
            finish(store, random_record(luck))
            luck += 1
        store.forget_connections()

    player = threading.Thread(target=play)
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
        restore(archive, restored.directory)
        restored.start()
        after = content(restored)
        assert {key: after[key] for key in before} == before
        store = Store(restored.url)
        assert list(store.ledger.audit.differences()) == []
        store.forget_connections()
    finally:
        restored.close()
