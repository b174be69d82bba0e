"""Races between processes, and processes killed at random moments."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from random import Random
from signal import SIGKILL
from typing import TYPE_CHECKING, TypeVar

import pytest

from api.store import Game
from api.store.ledger import GRACE
from tests.store import workers
from tests.store.play import (
    LOST,
    age,
    boards_read,
    clock,
    create,
    one_short,
    pending,
    replayed_boards,
)
from tests.store.workers import RACERS, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redis import Redis

    from api.store import Store
    from tests.servers import StoreServer

pytestmark = pytest.mark.slow

T = TypeVar("T")

# Forks children from a process that has only imported the modules.
PROCESSES = multiprocessing.get_context("forkserver")


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    PROCESSES.set_forkserver_preload([workers.__name__])
    with ProcessPoolExecutor(RACERS, PROCESSES) as executor:
        yield executor


def _race(pool: ProcessPoolExecutor, work: Callable[..., T], *arguments: object) -> list[T]:
    """Run ``work`` in all processes at once, and return their results."""
    futures = [pool.submit(work, *arguments) for _ in range(RACERS)]
    return [future.result() for future in futures]


def _sweep(store: Store, redis: Redis) -> None:
    """Age all notes, and sweep until none is left to handle."""
    age(redis, 3 * GRACE)
    while redis.zcount("pending", "-inf", clock(redis) - 2 * GRACE):
        store.ledger.sweep()


def test_concurrent_moves_are_neither_lost_nor_applied_twice(
    pool: ProcessPoolExecutor, server: StoreServer, store: Store, redis: Redis
) -> None:
    games = [create(store, seed=f"race-{number}") for number in range(20)]
    racers = _race(pool, workers.contest, server.url, [game.id for game in games])
    refused = 0
    for game, *answers in zip(games, *racers, strict=True):
        log = store.games.read(game.id).log
        moves: dict[Outcome, list[tuple[int, str]]] = {outcome: [] for outcome in Outcome}
        for version, char, outcome in chain.from_iterable(answers):
            moves[outcome].append((version, char))
        assert sorted(moves[Outcome.APPLIED]) == list(enumerate(log))
        assert set(moves[Outcome.REPLAYED]) <= set(enumerate(log))
        refused += len(moves[Outcome.REFUSED])
    # Otherwise, there was no race.
    assert refused > len(games)
    _sweep(store, redis)
    assert boards_read(store, redis) == replayed_boards(store, redis)
    assert redis.zcard("board:original") == len(games)
    assert not redis.exists("pending")


def test_concurrent_creations_with_one_id_create_one_game(
    pool: ProcessPoolExecutor, server: StoreServer, store: Store
) -> None:
    game_ids = [f"shared-{number}" for number in range(100)]
    racers = _race(pool, workers.create_all, server.url, game_ids)
    makers = set()
    for game_id, *answers in zip(game_ids, *racers, strict=True):
        seed = store.games.read(game_id).seed
        assert {seed_read for seed_read, _created in answers} == {seed}
        assert sum(created for _seed, created in answers) == 1
        makers.add(seed)
    # Otherwise, there was no race.
    assert len(makers) > 1


def test_a_game_finished_concurrently_is_entered_once(
    pool: ProcessPoolExecutor, server: StoreServer, store: Store, redis: Redis
) -> None:
    games = [one_short(store) for _ in range(100)]
    version, last = len(LOST.actions) - 1, str(LOST.actions[-1])
    game_ids = [game.id for game in games]
    racers = _race(pool, workers.finish_all, server.url, game_ids, version, last)
    for applied in zip(*racers, strict=True):
        assert sum(applied) == 1
    # Otherwise, there was no race.
    assert sum(map(any, racers)) > 1
    assert redis.zcard("board:original") == len(games)
    _sweep(store, redis)
    assert boards_read(store, redis) == replayed_boards(store, redis)
    assert not redis.exists("pending")


def test_concurrent_processes_create_one_secret(
    pool: ProcessPoolExecutor, server: StoreServer, redis: Redis
) -> None:
    made = set()
    for _ in range(10):
        redis.flushall()
        (derived,) = set(_race(pool, workers.derive, server.url))
        made.add(derived)
    assert len(made) == 10


def test_a_sweep_corrects_the_boards_after_workers_are_killed(
    server: StoreServer, store: Store, redis: Redis
) -> None:
    PROCESSES.set_forkserver_preload([workers.__name__])
    random = Random(7)
    killed = 0
    for number in range(0, 45, 3):
        players = [
            PROCESSES.Process(target=workers.play_on, args=(server.url, number + one))
            for one in range(3)
        ]
        for player in players:
            player.start()
        enough = redis.dbsize() + random.randrange(1, 60)
        while redis.dbsize() < enough:
            assert all(player.is_alive() for player in players)
        for player in players:
            player.kill()
            player.join()
            killed += player.exitcode == -SIGKILL
    assert killed == 45
    left = redis.zcard("pending")
    unranked = replayed_boards(store, redis) != boards_read(store, redis)
    print(f"{left} notes left, boards wrong before: {unranked}")  # noqa: T201  # a figure
    _sweep(store, redis)
    assert boards_read(store, redis) == replayed_boards(store, redis)
    games = store.games.read_all(pending(redis))
    assert not any(isinstance(game, Game) and game.over for game in games)
