"""Work done by the processes that race on a store."""

from __future__ import annotations

import os
import time
from enum import Enum, auto
from itertools import count
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from redis import Redis

from api.games.errors import ConcurrentMoves, GameFinished, VersionMismatch
from api.games.play import play
from api.store import Mode, Purpose, Store
from engine import parse_action
from tests.store.play import create, new_game, one_short, random_record

if TYPE_CHECKING:
    from collections.abc import Sequence

RACERS = 8
PATIENCE = 60


class Outcome(Enum):
    """Outcome of a move."""

    APPLIED = auto()
    REPLAYED = auto()  # another process had made the same move
    REFUSED = auto()


class Attempt(NamedTuple):
    """A move and its outcome."""

    version: int
    char: str
    outcome: Outcome


def meet(url: str, place: str) -> None:
    """Wait until all racers have arrived, so that they continue at the same moment."""
    deadline = time.monotonic() + PATIENCE
    with Redis.from_url(url) as redis:
        redis.incr(place)
        while int(redis.get(place) or 0) < RACERS:
            assert time.monotonic() < deadline, "the other racers did not arrive"


def contest(url: str, game_ids: Sequence[str]) -> list[list[Attempt]]:
    """Play games to their end in competition; return the outcomes for each game."""
    random = Random()
    attempts = []
    store = Store(url)
    for game_id in game_ids:
        meet(url, f"meet:{game_id}")
        attempts.append(_contest(store, game_id, random))
    return attempts


def _contest(store: Store, game_id: str, random: Random) -> list[Attempt]:
    attempts = []
    while not (game := store.games.read(game_id)).over:
        version = len(game.log)
        action = random.choice(game.state.legal)
        try:
            played = play(store, game_id, version, [action])
        except (ConcurrentMoves, GameFinished, VersionMismatch):
            outcome = Outcome.REFUSED
        else:
            assert played.state.version == version + 1
            outcome = Outcome.REPLAYED if played.replayed else Outcome.APPLIED
        attempts.append(Attempt(version, action.char, outcome))
    return attempts


def create_all(url: str, game_ids: Sequence[str]) -> list[tuple[str, bool]]:
    """Create games in competition; return each game's seed and whether this process created it."""
    store = Store(url)
    attempts = []
    for game_id in game_ids:
        meet(url, f"meet:{game_id}")
        game, created = store.games.create(new_game(id=game_id, seed=f"seed-{os.getpid()}"))
        attempts.append((game.seed, created))
    return attempts


def finish_all(url: str, game_ids: Sequence[str], version: int, last: str) -> list[bool]:
    """Play last moves in competition; return whether this process applied each."""
    store = Store(url)
    attempts = []
    for game_id in game_ids:
        meet(url, f"meet:{game_id}")
        attempts.append(not play(store, game_id, version, [parse_action(last)]).replayed)
    return attempts


def derive(url: str) -> bytes:
    """Derive a value from the secret, which may not exist yet."""
    store = Store(url)
    meet(url, "meet")
    return store.secret.derive(Purpose.ID, "x")


def play_on(url: str, number: int) -> None:
    """Create and finish games until the process is killed."""
    store = Store(url)
    for luck in count(number * 1_000_000):
        record = random_record(luck, seed="same" if luck % 2 else None)
        mode = Mode.SEEDED if luck % 2 else Mode.STANDARD
        # Most games lack one move, so the process is often killed while finishing one.
        game = one_short(store, record, mode=mode) if luck % 5 else create(store, record, mode=mode)
        for version in range(len(game.log), len(record.actions)):
            play(store, game.id, version, record.actions[version : version + 1])
        if luck % 7 == 0:
            store.ledger.sweep()
