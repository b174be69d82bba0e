"""A store with a replica: what a failover must not take back is waited for."""

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
    """The store that is written to."""
    port = str(free_port())
    with StoreServer(binary, "--port", port, "--repl-diskless-sync-delay", "0") as server:
        yield server


@pytest.fixture(scope="module")
def replica(binary: str, primary: StoreServer) -> Iterator[StoreServer]:
    """Its only replica."""
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
    """A client to look behind the store, which is empty, and has its replica."""
    replica.kill(signal.SIGCONT)
    with primary.client as client:
        client.flushall()
        wait_until(lambda: client.wait(1, 1000))
        yield client
    replica.kill(signal.SIGCONT)


@pytest.fixture
def waiting(redis: Redis, primary: StoreServer) -> Iterator[Store]:
    """The store of an API that waits for the replica."""
    assert redis
    store = Store(primary.url, wait_replicas=1)
    yield store
    store.forget_connections()


@pytest.fixture
def hasty(redis: Redis, primary: StoreServer) -> Iterator[Store]:
    """The store of one that waits for none."""
    assert redis
    store = Store(primary.url)
    yield store
    store.forget_connections()


def _log(redis: Redis, game: Game) -> str:
    return str(redis.hget(f"game:{game.id}", "a"))


def test_a_finished_game_is_on_the_replica_when_it_is_acknowledged(
    waiting: Store, replica: StoreServer
) -> None:
    game = move(waiting, one_short(waiting), LAST)
    with replica.client as client:
        assert _log(client, game) == game.log


def test_a_last_move_that_the_replica_has_not_got_is_not_acknowledged(
    waiting: Store, replica: StoreServer
) -> None:
    game = one_short(waiting)
    replica.kill(signal.SIGSTOP)
    with pytest.raises(UNAVAILABLE, match="0 of 1 replicas"):
        play(waiting, game.id, len(game.log), LAST)


def test_it_is_played_all_the_same_and_acknowledged_when_it_is_repeated(
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


def test_a_repeated_last_move_waits_for_what_another_process_wrote(
    waiting: Store, hasty: Store, replica: StoreServer
) -> None:
    game = one_short(hasty)
    replica.kill(signal.SIGSTOP)
    play(hasty, game.id, len(game.log), LAST)
    for _ in range(2):
        with pytest.raises(UNAVAILABLE, match="0 of 1 replicas"):
            play(waiting, game.id, len(game.log), LAST)


def test_no_other_move_waits(waiting: Store, replica: StoreServer) -> None:
    game = create(waiting)
    replica.kill(signal.SIGSTOP)
    for version in range(len(LOST.actions) - 1):
        play(waiting, game.id, version, LOST.actions[version : version + 1])


def test_nobody_waits_who_is_not_told_to(hasty: Store, replica: StoreServer) -> None:
    replica.kill(signal.SIGSTOP)
    assert move(hasty, one_short(hasty), LAST).over


def test_more_replicas_than_there_are_acknowledge_nothing(
    primary: StoreServer, redis: Redis
) -> None:
    assert redis
    store = Store(primary.url, wait_replicas=2)
    with pytest.raises(UNAVAILABLE, match="1 of 2 replicas"):
        move(store, one_short(store), LAST)
    store.forget_connections()


def test_a_game_that_a_failover_set_back_meanwhile_is_not_acknowledged(
    waiting: Store, redis: Redis
) -> None:
    game = move(waiting, one_short(waiting), LAST)
    redis.hset(f"game:{game.id}", "a", game.log[:-1])
    with pytest.raises(UNAVAILABLE, match="set back"):
        waiting.settle(game)
    redis.delete(f"game:{game.id}")
    with pytest.raises(UNAVAILABLE, match="set back"):
        waiting.settle(game)
    assert not redis.exists(f"game:{game.id}")


def test_an_api_that_is_set_to_wait_answers_that_the_store_is_unavailable(
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
