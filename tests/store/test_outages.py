"""An outage raises UNAVAILABLE, and the store works again as soon as it is back."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import pytest

from api.games.play import play
from api.store import UNAVAILABLE, Board, Game, Purpose, Store
from engine import to_log
from tests.servers import wait_until
from tests.store.link import Fate, linked
from tests.store.play import (
    LOST,
    boards_read,
    create,
    finish,
    move,
    new_game,
    one_short,
    replayed_boards,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from tests.servers import StoreServer

ORIGINAL = Board("original")


@pytest.fixture
def store(own_server: StoreServer) -> Iterator[Store]:
    store = Store(own_server.url)
    yield store
    store.forget_connections()


@pytest.fixture
def redis(own_server: StoreServer) -> Iterator[Redis]:
    with own_server.client as client:
        yield client


class Games(NamedTuple):
    """A game without moves, and one that lacks only its last action."""

    new: Game
    last: Game


@pytest.fixture
def games(store: Store, redis: Redis) -> Games:
    """Games in a store with all scripts loaded, a board, and a note to sweep."""
    finish(store)
    games = Games(create(store), one_short(store))
    redis.zadd("pending", {games.new.id: 1})
    store.ledger.sweep()
    redis.zadd("pending", {games.new.id: 1})
    return games


Call = Callable[[Store, Games], object]

READS: Mapping[str, Call] = {
    "read": lambda store, games: store.games.read(games.last.id),
    "read_all": lambda store, games: store.games.read_all([games.last.id, "unknown"]),
    "page": lambda store, _games: store.ledger.page(ORIGINAL, 5),
}
WRITES: Mapping[str, Call] = {
    "create": lambda store, _games: create(store),
    "first move": lambda store, games: move(store, games.new, LOST.actions[:1]),
    "last move": lambda store, games: move(store, games.last, LOST.actions[-1:]),
    "play": lambda store, games: play(store, games.new.id, 0, LOST.actions[:1]),
    "sweep": lambda store, _games: store.ledger.sweep(),
    "secret": lambda store, _games: store.secret.derive(Purpose.ID, "x"),
    "probe": lambda store, _games: store.probe(),
}
CALLS = {**READS, **WRITES}


@contextmanager
def _unavailable(what: str) -> Iterator[None]:
    """Expect the store to be unavailable, and print how long it took to notice."""
    began = time.monotonic()
    with pytest.raises(UNAVAILABLE) as error:
        yield
    took = time.monotonic() - began
    print(f"{what}: {error.type.__name__} after {took:.2f} s")  # noqa: T201  # a figure


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_store_that_was_never_reachable_is_unavailable(
    own_server: StoreServer, games: Games, call: Call
) -> None:
    own_server.kill()
    with _unavailable("not reachable"):
        call(Store(own_server.url), games)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_killed_store_is_unavailable_until_it_restarts(
    own_server: StoreServer, store: Store, games: Games, call: Call
) -> None:
    own_server.kill()
    with _unavailable("killed"):
        call(store, games)
    own_server.start()
    assert store.games.read(games.last.id) == games.last
    assert move(store, games.last, LOST.actions[-1:]).over


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_restarted_store_is_reconnected_without_an_error(
    own_server: StoreServer, store: Store, games: Games, call: Call
) -> None:
    """Stale idle connections are replaced by new ones."""
    own_server.kill()
    own_server.start()
    call(store, games)


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_frozen_store_is_unavailable_until_it_resumes(
    own_server: StoreServer, store: Store, games: Games, call: Call
) -> None:
    own_server.kill(signal.SIGSTOP)
    try:
        with _unavailable("frozen"):
            call(store, games)
    finally:
        own_server.kill(signal.SIGCONT)
    assert store.games.read(games.last.id).log.startswith(games.last.log)
    store.probe()


def test_a_move_repeated_after_a_freeze_is_applied_once(
    own_server: StoreServer, store: Store, redis: Redis
) -> None:
    game = one_short(store)
    own_server.kill(signal.SIGSTOP)
    try:
        with _unavailable("frozen"):
            move(store, game, LOST.actions[-1:])
    finally:
        own_server.kill(signal.SIGCONT)
    played = play(store, game.id, len(game.log), LOST.actions[-1:])
    assert played.game.log == to_log(LOST.actions)
    assert store.games.read(game.id) == played.game
    assert boards_read(store, redis) == replayed_boards(store, redis)
    assert not redis.exists("pending")


def test_acknowledged_writes_survive_a_kill(
    own_server: StoreServer, store: Store, redis: Redis
) -> None:
    games = [finish(store), one_short(store), create(store, player="Zoë", locked=True)]
    derived = store.secret.derive(Purpose.ID, "x")
    boards = boards_read(store, redis)
    own_server.kill()
    own_server.start()
    assert [store.games.read(game.id) for game in games] == games
    assert Store(own_server.url).secret.derive(Purpose.ID, "x") == derived
    assert boards_read(store, redis) == boards
    assert [int(redis.pexpiretime(f"game:{game.id}")) for game in games] == [
        game.expires_at for game in games
    ]


@pytest.fixture
def full(redis: Redis, games: Games) -> Games:
    """Games in a store without free memory."""
    redis.config_set("maxmemory-policy", "noeviction")
    redis.config_set("maxmemory", 1)
    return games


@pytest.mark.parametrize("call", WRITES.values(), ids=WRITES)
def test_a_full_store_refuses_writes_and_keeps_its_games(
    store: Store, redis: Redis, full: Games, call: Call
) -> None:
    def kept() -> list[object]:
        keys = sorted(map(str, redis.scan_iter("game:*")))
        return [(key, redis.hgetall(key), redis.pexpiretime(key)) for key in keys]

    before = kept()
    with _unavailable("full"):
        call(store, full)
    assert kept() == before


@pytest.mark.parametrize("call", READS.values(), ids=READS)
def test_a_full_store_can_still_be_read(store: Store, full: Games, call: Call) -> None:
    assert call(store, full)


def test_a_full_store_works_again_once_it_has_memory(
    store: Store, redis: Redis, full: Games
) -> None:
    with _unavailable("full"):
        store.probe()
    redis.config_set("maxmemory", 0)
    store.probe()
    assert move(store, full.last, LOST.actions[-1:]).over


@pytest.mark.parametrize("call", WRITES.values(), ids=WRITES)
def test_a_replica_refuses_writes_until_it_is_promoted(
    store: Store, redis: Redis, games: Games, call: Call
) -> None:
    redis.replicaof("127.0.0.1", 1)
    with _unavailable("replica"):
        call(store, games)
    assert redis.ping()
    redis.replicaof("NO", "ONE")
    call(store, games)


@pytest.mark.parametrize("call", WRITES.values(), ids=WRITES)
def test_scripts_are_loaded_again_after_the_store_loses_them(
    store: Store, redis: Redis, games: Games, call: Call
) -> None:
    redis.script_flush()
    call(store, games)
    assert boards_read(store, redis) == replayed_boards(store, redis)


def test_a_script_the_store_knows_is_called_by_its_hash(
    own_server: StoreServer, games: Games
) -> None:
    with linked(own_server) as link:
        worker = Store(link.url)
        assert move(worker, games.last, LOST.actions[-1:]).over
        worker.forget_connections()
    assert "EVALSHA" in link.commands
    assert "EVAL" not in link.commands


def test_forget_connections_drops_the_connections(store: Store, redis: Redis, games: Games) -> None:
    def connections() -> int:
        return len(redis.client_list())

    before = connections()
    store.forget_connections()
    wait_until(lambda: connections() == before - 1)
    assert store.games.read(games.last.id) == games.last


@pytest.mark.parametrize("fate", [Fate.LOST, Fate.CARRIED_OUT])
def test_a_creation_is_retried_when_its_reply_is_lost(
    own_server: StoreServer, store: Store, fate: Fate
) -> None:
    create(store)
    new = new_game()
    with linked(own_server) as link:
        worker = Store(link.url)
        link.begin_again(lambda number: Fate.ANSWERED if number else fate)
        created, _ = worker.games.create(new)
        worker.forget_connections()
    assert created == store.games.read(new.id)


@pytest.mark.parametrize("fate", [Fate.LOST, Fate.CARRIED_OUT])
def test_a_move_with_lost_replies_is_unavailable_and_applied_once_when_repeated(
    own_server: StoreServer, store: Store, fate: Fate
) -> None:
    finish(store)
    game = create(store)
    with linked(own_server) as link:
        worker = Store(link.url)
        link.begin_again(lambda _number: fate)
        with _unavailable("no answer"):
            move(worker, game, LOST.actions[:1])
        worker.forget_connections()
    played = play(store, game.id, 0, LOST.actions[:1])
    assert played.replayed == (fate is Fate.CARRIED_OUT)
    assert store.games.read(game.id).log == to_log(LOST.actions[:1])
