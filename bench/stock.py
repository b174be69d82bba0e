"""Games to measure with: played by the engine, and put into a store."""

from __future__ import annotations

import secrets
from itertools import count, islice
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
        line = [parse_action(text) for text in played.actions[: number % len(played.actions)]]
        if line:
            game = store.games.append(game, line, replay(game.seed, line, game.rules.options))
        games.append((game, played.actions))
    return games
