"""What the processes do that race on a store."""

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
    """What became of a move."""

    APPLIED = auto()
    REPLAYED = auto()  # somebody else had made the same one
    REFUSED = auto()


class Answer(NamedTuple):
    """How a move was answered."""

    version: int
    char: str
    outcome: Outcome


def meet(url: str, place: str) -> None:
    """Wait until all racers are at a place, so that they go on at the same moment."""
    deadline = time.monotonic() + PATIENCE
    with Redis.from_url(url) as redis:
        redis.incr(place)
        while int(redis.get(place) or 0) < RACERS:
            assert time.monotonic() < deadline, "the others do not come"


def contest(url: str, game_ids: Sequence[str]) -> list[list[Answer]]:
    """Play games to their end while others do; return each game's answers."""
    random = Random()
    answers = []
    store = Store(url)
    for game_id in game_ids:
        meet(url, f"meet:{game_id}")
        answers.append(_contest(store, game_id, random))
    return answers


def _contest(store: Store, game_id: str, random: Random) -> list[Answer]:
    answers = []
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
        answers.append(Answer(version, action.char, outcome))
    return answers


def create_all(url: str, game_ids: Sequence[str]) -> list[tuple[str, bool]]:
    """Create games while others do; return each game's seed and whether it is of our making."""
    store = Store(url)
    answers = []
    for game_id in game_ids:
        meet(url, f"meet:{game_id}")
        game, created = store.games.create(new_game(id=game_id, seed=f"seed-{os.getpid()}"))
        answers.append((game.seed, created))
    return answers


def finish_all(url: str, game_ids: Sequence[str], version: int, last: str) -> list[bool]:
    """Play the last move of games while others do; return whether it was applied by us."""
    store = Store(url)
    answers = []
    for game_id in game_ids:
        meet(url, f"meet:{game_id}")
        answers.append(not play(store, game_id, version, [parse_action(last)]).replayed)
    return answers


def derive(url: str) -> bytes:
    """Derive something from the secret, which nobody may have made yet."""
    store = Store(url)
    meet(url, "meet")
    return store.secret.derive(Purpose.ID, "x")


def play_on(url: str, number: int) -> None:
    """Create and finish games until somebody ends the process."""
    store = Store(url)
    for luck in count(number * 1_000_000):
        record = random_record(luck, seed="same" if luck % 2 else None)
        mode = Mode.SEEDED if luck % 2 else Mode.STANDARD
        # Most games are short, so that the end often comes while one is being finished.
        game = one_short(store, record, mode=mode) if luck % 5 else create(store, record, mode=mode)
        for version in range(len(game.log), len(record.actions)):
            play(store, game.id, version, record.actions[version : version + 1])
        if luck % 7 == 0:
            store.ledger.sweep()
