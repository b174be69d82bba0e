"""A store with a replica: the last move waits until the replica has it."""

from __future__ import annotations

import signal
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest

from api.games.play import play
from api.store import UNAVAILABLE, Board, Store
from tests.playing import act, insist
from tests.ports import free_port
from tests.servers import StoreServer, serving, wait_until
from tests.store.play import LOST, create, move, one_short, pending

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from api.store import Game

pytestmark = pytest.mark.slow

ORIGINAL = Board("original")
LAST = LOST.actions[-1:]


@pytest.fixture(scope="module")
def primary(binary: str) -> Iterator[StoreServer]:
    """The server that accepts writes."""
    port = str(free_port())
    with StoreServer(binary, "--port", port, "--repl-diskless-sync-delay", "0") as server:
        yield server


@pytest.fixture(scope="module")
def replica(binary: str, primary: StoreServer) -> Iterator[StoreServer]:
    """The only replica of the primary."""
    with primary.client as client:
        port = str(client.config_get("port")["port"])
    server = StoreServer(binary, "--replicaof", "127.0.0.1", port)
    try:
        server.start()
        with server.client as client:
            wait_until(lambda: "connected" in map(str, client.role()))
        yield server
    finally:
        server.close()


@pytest.fixture
def redis(primary: StoreServer, replica: StoreServer) -> Iterator[Redis]:
    """A client that reads the primary directly; it is empty and its replica is connected."""
    replica.kill(signal.SIGCONT)
    with primary.client as client:
        client.flushall()
        wait_until(lambda: client.wait(1, 1000))
        yield client
    replica.kill(signal.SIGCONT)


@pytest.fixture
def waiting(redis: Redis, primary: StoreServer) -> Iterator[Store]:
    """A store that waits for the replica."""
    assert redis
    store = Store(primary.url, wait_replicas=1)
    yield store
    store.forget_connections()


@pytest.fixture
def not_waiting(redis: Redis, primary: StoreServer) -> Iterator[Store]:
    """A store that does not wait for replicas."""
    assert redis
    store = Store(primary.url)
    yield store
    store.forget_connections()


def _log(redis: Redis, game: Game) -> str:
    return str(redis.hget(f"game:{game.id}", "a"))


def test_an_acknowledged_finish_is_on_the_replica(waiting: Store, replica: StoreServer) -> None:
    game = move(waiting, one_short(waiting), LAST)
    with replica.client as client:
        assert _log(client, game) == game.log


def test_a_last_move_missing_on_the_replica_is_not_acknowledged(
    waiting: Store, replica: StoreServer
) -> None:
    game = one_short(waiting)
    replica.kill(signal.SIGSTOP)
    with pytest.raises(UNAVAILABLE, match="0 of 1 replicas"):
        play(waiting, game.id, len(game.log), LAST)


def test_an_unacknowledged_last_move_is_stored_and_acknowledged_when_repeated(
    waiting: Store, replica: StoreServer, redis: Redis
) -> None:
    game = one_short(waiting)
    replica.kill(signal.SIGSTOP)
    with pytest.raises(UNAVAILABLE):
        play(waiting, game.id, len(game.log), LAST)
    assert waiting.games.read(game.id).over
    assert (waiting.ledger.page(ORIGINAL, 20).total, pending(redis)) == (0, [game.id])
    replica.kill(signal.SIGCONT)
    redis.wait(1, 5000)
    played = play(waiting, game.id, len(game.log), LAST)
    assert (played.game.over, played.replayed) == (True, True)
    assert (waiting.ledger.page(ORIGINAL, 20).total, pending(redis)) == (1, [])


def test_a_repeated_last_move_waits_for_the_writes_of_another_process(
    waiting: Store, not_waiting: Store, replica: StoreServer
) -> None:
    game = one_short(not_waiting)
    replica.kill(signal.SIGSTOP)
    play(not_waiting, game.id, len(game.log), LAST)
    for _ in range(2):
        with pytest.raises(UNAVAILABLE, match="0 of 1 replicas"):
            play(waiting, game.id, len(game.log), LAST)


def test_moves_before_the_last_do_not_wait(waiting: Store, replica: StoreServer) -> None:
    game = create(waiting)
    replica.kill(signal.SIGSTOP)
    for version in range(len(LOST.actions) - 1):
        play(waiting, game.id, version, LOST.actions[version : version + 1])


def test_a_store_without_wait_replicas_does_not_wait(
    not_waiting: Store, replica: StoreServer
) -> None:
    replica.kill(signal.SIGSTOP)
    assert move(not_waiting, one_short(not_waiting), LAST).over


def test_a_finish_is_not_acknowledged_with_too_few_replicas(
    primary: StoreServer, redis: Redis
) -> None:
    assert redis
    store = Store(primary.url, wait_replicas=2)
    with pytest.raises(UNAVAILABLE, match="1 of 2 replicas"):
        move(store, one_short(store), LAST)
    store.forget_connections()


def test_a_game_set_back_by_a_failover_is_not_acknowledged(waiting: Store, redis: Redis) -> None:
    game = move(waiting, one_short(waiting), LAST)
    redis.hset(f"game:{game.id}", "a", game.log[:-1])
    with pytest.raises(UNAVAILABLE, match="set back"):
        waiting.settle(game)
    redis.delete(f"game:{game.id}")
    with pytest.raises(UNAVAILABLE, match="set back"):
        waiting.settle(game)
    assert not redis.exists(f"game:{game.id}")


def test_the_api_responds_store_unavailable_until_the_replica_has_the_finish(
    redis: Redis, primary: StoreServer, replica: StoreServer
) -> None:
    assert redis
    *before, last = map(str, LOST.actions)
    with serving(primary, wait_replicas="1") as api:
        game_id = api.post("/v1/games", {"seed": LOST.seed}).json["id"]
        for version, action in enumerate(before):
            assert act(api, game_id, version, action).status == HTTPStatus.OK
        replica.kill(signal.SIGSTOP)
        refused = act(api, game_id, len(before), last)
        assert (refused.status, refused.json["code"]) == (503, "store_unavailable")
        assert refused.headers["Retry-After"]
        replica.kill(signal.SIGCONT)
        acknowledged = insist(api, game_id, len(before), last)
    assert acknowledged.status == HTTPStatus.OK
    assert acknowledged.headers["Idempotent-Replayed"] == "true"
