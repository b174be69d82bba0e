"""Sample games, played in advance by the engine and created in a store."""

from __future__ import annotations

import secrets
from itertools import count, cycle, islice
from typing import TYPE_CHECKING

from api.store import Mode, NewGame
from bench.load import moves
from engine import parse_action, replay
from tests.playing import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from api.store import Game, Store
    from bench.load import Request
    from tests.playing import Record

    StartedGame = tuple[Game, Sequence[str]]
    """A game in the store, and all its actions to the end."""

MIN_ACTIONS = 30
MOVES_PER_SECOND = 8_000
"""Moves to prepare for each worker: several times its speed, as connections get unequal shares."""
DISTINCT_GAMES = 300
"""Number of distinct games. Further games repeat them, mostly at other stages."""


def games_for(seconds: int, workers: int = 1) -> list[Record]:
    """Return games with enough moves for a load of some seconds; the same games every time."""
    records: list[Record] = []
    left = MOVES_PER_SECOND * seconds * workers
    for number, played in enumerate(cycle(long_games(DISTINCT_GAMES))):
        if left <= 0:
            break
        records.append(played)
        left -= len(played.actions) - _stage(number, played)
    return records


def long_games(number: int) -> list[Record]:
    """Return games with at least ``MIN_ACTIONS`` actions; the same games every time."""
    records = (record(f"floor-{number}") for number in count())
    return list(islice((game for game in records if len(game.actions) >= MIN_ACTIONS), number))


def start_games(store: Store, records: Sequence[Record]) -> list[StartedGame]:
    """Create games in the store, at different stages."""
    games = []
    for number, played in enumerate(records):
        new = NewGame(
            id=secrets.token_urlsafe(16),
            rules=played.rules,
            seed=played.seed,
            mode=Mode.SEEDED,
            player=None,
            locked=False,
        )
        game, _ = store.games.create(new)
        log = [parse_action(text) for text in played.actions[: _stage(number, played)]]
        if log:
            game = store.games.append(game, log, replay(game.seed, log, game.rules.options))
        games.append((game, played.actions))
    return games


def fresh_moves(store: Store, records: Sequence[Record]) -> Iterator[Request]:
    """Create games in the store and yield their remaining moves."""
    return moves(start_games(store, records))


def _stage(number: int, played: Record) -> int:
    return number % len(played.actions)
