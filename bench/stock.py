"""Games to measure with: played by the engine, and put into a store."""

from __future__ import annotations

import secrets
from itertools import count, cycle, islice
from typing import TYPE_CHECKING

from api.store import Mode, NewGame
from engine import parse_action, replay
from tests.playing import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from api.store import Game, Store
    from tests.playing import Record

    Begun = tuple[Game, Sequence[str]]

LENGTH = 30
MOST = 8_000
"""More moves than one worker makes in a second."""
DIFFERENT = 300
"""How many games there are; the others are these once more, mostly at other stages."""


def games_for(seconds: int, workers: int = 1) -> list[Record]:
    """Return games with more moves than are made in some seconds; the same ones each time."""
    records: list[Record] = []
    left = MOST * seconds * workers
    for number, played in enumerate(cycle(long_games(DIFFERENT))):
        if left <= 0:
            break
        records.append(played)
        left -= len(played.actions) - _stage(number, played)
    return records


def long_games(number: int) -> list[Record]:
    """Return games in which the player got somewhere; the same ones each time."""
    return list(islice(_long_games(), number))


def _long_games() -> Iterator[Record]:
    for number in count():
        played = record(f"floor-{number}")
        if len(played.actions) >= LENGTH:
            yield played


def begin_all(store: Store, records: Sequence[Record]) -> list[Begun]:
    """Put games into the store, each at another stage, and return them with all their actions."""
    games = []
    for number, played in enumerate(records):
        new = NewGame(
            secrets.token_urlsafe(16), played.rules, played.seed, Mode.SEEDED, None, False
        )
        game, _ = store.games.create(new)
        line = [parse_action(text) for text in played.actions[: _stage(number, played)]]
        if line:
            game = store.games.append(game, line, replay(game.seed, line, game.rules.options))
        games.append((game, played.actions))
    return games


def _stage(number: int, played: Record) -> int:
    return number % len(played.actions)
