"""What is wrong with a store is told as UNAVAILABLE, and is over as soon as the store is back."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from api.moves import play
from api.store import UNAVAILABLE, Board, Purpose, Store
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
    from collections.abc import Callable, Iterator, Mapping

    from redis import Redis

    from api.store import Game
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


@pytest.fixture
def game(store: Store) -> Game:
    """A game one action short of its end, in a store that knows all scripts."""
    finish(store)
    return one_short(store)


READS: Mapping[str, Callable[[Store, Game], object]] = {
    "read": lambda store, game: store.games.read(game.id),
    "read_all": lambda store, game: store.games.read_all([game.id, "unknown"]),
    "page": lambda store, _game: store.ledger.page(ORIGINAL, 5),
}
WRITES: Mapping[str, Callable[[Store, Game], object]] = {
    "create": lambda store, _game: create(store),
    "append": lambda store, game: move(store, game, LOST.actions[-1:]),
    "append first": lambda store, game: move(store, _begun(game), LOST.actions[:1]),
    "play": lambda store, game: play(store, game.id, len(game.log), LOST.actions[-1:]),
    "sweep": lambda store, _game: store.ledger.sweep(),
    "secret": lambda store, _game: store.secret.derive(Purpose.ID, "x"),
    "probe": lambda store, _game: store.probe(),
}
CALLS = {**READS, **WRITES}


def _begun(game: Game) -> Game:
    return game._replace(log="")


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
    own_server: StoreServer, game: Game, call: Callable[[Store, Game], object]
) -> None:
    own_server.kill()
    with _unavailable("not there"):
        call(Store(own_server.url), game)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_killed_store_is_unavailable_and_works_again_once_it_is_back(
    own_server: StoreServer, store: Store, game: Game, call: Callable[[Store, Game], object]
) -> None:
    own_server.kill()
    with _unavailable("killed"):
        call(store, game)
    own_server.start()
    assert store.games.read(game.id) == game
    move(store, game, LOST.actions[-1:])


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_store_that_was_killed_and_is_back_at_once_is_not_missed(
    own_server: StoreServer, store: Store, game: Game, call: Callable[[Store, Game], object]
) -> None:
    """Idle connections to the store that is gone are tried and made anew."""
    if call is WRITES["append first"]:
        game = create(store)
    own_server.kill()
    own_server.start()
    call(store, game)


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_frozen_store_is_unavailable_and_works_again_once_it_goes_on(
    own_server: StoreServer, store: Store, game: Game, call: Callable[[Store, Game], object]
) -> None:
    own_server.kill(signal.SIGSTOP)
    try:
        with _unavailable("frozen"):
            call(store, game)
    finally:
        own_server.kill(signal.SIGCONT)
    assert store.games.read(game.id).log.startswith(game.log)
    store.probe()


def test_a_move_sent_to_a_frozen_store_and_repeated_is_applied_once(
    own_server: StoreServer, store: Store, redis: Redis, game: Game
) -> None:
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
def full(redis: Redis, game: Game) -> Game:
    """A game in a store that has no memory left."""
    redis.config_set("maxmemory-policy", "noeviction")
    redis.config_set("maxmemory", 1)
    return game


@pytest.mark.parametrize("call", WRITES.values(), ids=WRITES)
def test_a_full_store_is_unavailable_for_what_takes_memory(
    store: Store, redis: Redis, full: Game, call: Callable[[Store, Game], object]
) -> None:
    if call is WRITES["append first"]:
        redis.config_set("maxmemory", 0)
        full = create(store)
        redis.config_set("maxmemory", 1)
    if call is WRITES["sweep"]:
        redis.config_set("maxmemory", 0)
        redis.zadd("pending", {full.id: 1})
        redis.config_set("maxmemory", 1)
    before = redis.hgetall(f"game:{full.id}"), redis.pexpiretime(f"game:{full.id}")
    with _unavailable("full"):
        call(store, full)
    after = redis.hgetall(f"game:{full.id}"), redis.pexpiretime(f"game:{full.id}")
    assert after == before


@pytest.mark.parametrize("call", READS.values(), ids=READS)
def test_a_full_store_is_still_read(
    store: Store, full: Game, call: Callable[[Store, Game], object]
) -> None:
    assert call(store, full)


def test_a_store_that_has_memory_again_works_again(store: Store, redis: Redis, full: Game) -> None:
    with _unavailable("full"):
        store.probe()
    redis.config_set("maxmemory", 0)
    store.probe()
    assert move(store, full, LOST.actions[-1:]).over


def test_a_replica_is_unavailable_though_it_answers(store: Store, redis: Redis, game: Game) -> None:
    redis.replicaof("127.0.0.1", 1)
    with _unavailable("replica"):
        store.probe()
    with _unavailable("replica"):
        move(store, game, LOST.actions[-1:])
    assert redis.ping()
    redis.replicaof("NO", "ONE")
    store.probe()
    assert move(store, game, LOST.actions[-1:]).over


def test_a_store_that_forgot_the_scripts_is_told_them_again(
    store: Store, redis: Redis, game: Game
) -> None:
    for call in (
        lambda: create(store),
        lambda: move(store, game, LOST.actions[-1:]),
        lambda: store.ledger.sweep(),
    ):
        redis.script_flush()
        call()
    assert boards_read(store, redis) == replayed_boards(store, redis)


def test_a_script_is_sent_whole_only_to_a_store_that_does_not_know_it(
    own_server: StoreServer, game: Game
) -> None:
    with linked(own_server) as link:
        worker = Store(link.url)
        assert move(worker, game, LOST.actions[-1:]).over
        worker.forget_connections()
    assert "EVALSHA" in link.commands
    assert "EVAL" not in link.commands


def test_connections_are_dropped_when_asked_to(store: Store, redis: Redis, game: Game) -> None:
    def connections() -> int:
        return len(redis.client_list())

    before = connections()
    store.forget_connections()
    wait_until(lambda: connections() == before - 1)
    assert store.games.read(game.id) == game


@pytest.mark.parametrize("fate", [Fate.LOST, Fate.CARRIED_OUT])
def test_a_creation_whose_answer_is_lost_is_made_good_at_once(
    own_server: StoreServer, store: Store, redis: Redis, game: Game, fate: Fate
) -> None:
    new = new_game()
    with linked(own_server) as link:
        worker = Store(link.url)
        link.begin_again(lambda number: Fate.ANSWERED if number else fate)
        created, _ = worker.games.create(new)
        worker.forget_connections()
    assert created == store.games.read(new.id)
    assert created.seed == new.seed
    assert redis.exists(f"game:{game.id}")


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
