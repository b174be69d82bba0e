"""What is wrong with a store is told as UNAVAILABLE, and is over as soon as the store is back."""

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
    """A game that nobody has moved in yet, and one that is one action short of its end."""

    new: Game
    last: Game


@pytest.fixture
def games(store: Store, redis: Redis) -> Games:
    """Games in a store that knows all scripts, has a board, and something to sweep."""
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
    """Expect the store to be unavailable, and print how long it took to find out."""
    began = time.monotonic()
    with pytest.raises(UNAVAILABLE) as error:
        yield
    took = time.monotonic() - began
    print(f"{what}: {error.type.__name__} after {took:.2f} s")  # noqa: T201  # a figure


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_store_that_was_never_there_is_unavailable(
    own_server: StoreServer, games: Games, call: Call
) -> None:
    own_server.kill()
    with _unavailable("not there"):
        call(Store(own_server.url), games)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_killed_store_is_unavailable_and_works_again_once_it_is_back(
    own_server: StoreServer, store: Store, games: Games, call: Call
) -> None:
    own_server.kill()
    with _unavailable("killed"):
        call(store, games)
    own_server.start()
    assert store.games.read(games.last.id) == games.last
    assert move(store, games.last, LOST.actions[-1:]).over


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_store_that_was_killed_and_is_back_at_once_is_not_missed(
    own_server: StoreServer, store: Store, games: Games, call: Call
) -> None:
    """Idle connections to the store that is gone are tried and made anew."""
    own_server.kill()
    own_server.start()
    call(store, games)


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_frozen_store_is_unavailable_and_works_again_once_it_goes_on(
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


def test_a_move_sent_to_a_frozen_store_and_repeated_is_applied_once(
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


def test_what_was_acknowledged_before_a_kill_is_there_after_it(
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
    """Games in a store that has no memory left."""
    redis.config_set("maxmemory-policy", "noeviction")
    redis.config_set("maxmemory", 1)
    return games


@pytest.mark.parametrize("call", WRITES.values(), ids=WRITES)
def test_a_full_store_is_unavailable_for_what_takes_memory_and_keeps_what_it_has(
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
def test_a_full_store_is_still_read(store: Store, full: Games, call: Call) -> None:
    assert call(store, full)


def test_a_store_that_has_memory_again_works_again(store: Store, redis: Redis, full: Games) -> None:
    with _unavailable("full"):
        store.probe()
    redis.config_set("maxmemory", 0)
    store.probe()
    assert move(store, full.last, LOST.actions[-1:]).over


@pytest.mark.parametrize("call", WRITES.values(), ids=WRITES)
def test_a_replica_is_unavailable_until_it_is_promoted(
    store: Store, redis: Redis, games: Games, call: Call
) -> None:
    redis.replicaof("127.0.0.1", 1)
    with _unavailable("replica"):
        call(store, games)
    assert redis.ping()
    redis.replicaof("NO", "ONE")
    call(store, games)


@pytest.mark.parametrize("call", WRITES.values(), ids=WRITES)
def test_a_store_that_forgot_the_scripts_is_told_them_again(
    store: Store, redis: Redis, games: Games, call: Call
) -> None:
    redis.script_flush()
    call(store, games)
    assert boards_read(store, redis) == replayed_boards(store, redis)


def test_a_script_is_sent_whole_only_to_a_store_that_does_not_know_it(
    own_server: StoreServer, games: Games
) -> None:
    with linked(own_server) as link:
        worker = Store(link.url)
        assert move(worker, games.last, LOST.actions[-1:]).over
        worker.forget_connections()
    assert "EVALSHA" in link.commands
    assert "EVAL" not in link.commands


def test_connections_are_dropped_when_asked_to(store: Store, redis: Redis, games: Games) -> None:
    def connections() -> int:
        return len(redis.client_list())

    before = connections()
    store.forget_connections()
    wait_until(lambda: connections() == before - 1)
    assert store.games.read(games.last.id) == games.last


@pytest.mark.parametrize("fate", [Fate.LOST, Fate.CARRIED_OUT])
def test_a_creation_whose_answer_is_lost_is_made_good_at_once(
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
def test_a_move_whose_answers_are_lost_is_unavailable_and_repeated_applied_once(
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
