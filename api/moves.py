"""Applying actions exactly once: which of the checks answers, in the order of the contract."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from api.access import check_token
from api.problems import (
    GAME_OVER,
    REVEALS_CARDS,
    STORE_UNAVAILABLE,
    VERSION_MISMATCH,
    Problem,
    illegal,
)
from api.representation import game_body
from api.store import LogMoved
from engine import DRAW, CardsDrawn, IllegalAction, Status, Step, apply, to_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.store import Game, Store
    from engine import Action, Event, State

ATTEMPTS = 2


class Played(NamedTuple):
    """The game, its state right after the actions asked for, and the events they caused."""

    game: Game
    state: State
    events: Sequence[Event]
    replayed: bool


def play(store: Store, game_id: str, version: int, actions: Sequence[Action]) -> Played:
    """Apply ``actions`` to the game as it is at ``version``, all or none, and only once.

    Raises GameNotFound, and Problem for what the contract refuses.
    """
    game = None
    known = store.games.recall(game_id)
    if known and len(known.log) == version:
        # One round trip where all is well. Only what lies in the store decides on all else.
        try:
            return _append(store, known, version, actions)
        except LogMoved as moved:
            game = moved.game
        except Problem:
            pass
    game = game or store.games.read(game_id)
    for _ in range(ATTEMPTS):
        check_token(game)
        if played := _already_played(game, version, actions):
            if game.over:
                # Whoever played the last action may have died before the game was settled.
                store.settle(game)
            return played
        try:
            return _append(store, game, version, actions)
        except LogMoved as moved:
            game = moved.game
    raise Problem(STORE_UNAVAILABLE, "Others kept playing this game at the same moment.")


def _append(store: Store, game: Game, version: int, actions: Sequence[Action]) -> Played:
    check_token(game)
    after, events = _decide(game, version, actions)
    return Played(store.append(game, actions, after), after, events, replayed=False)


def _already_played(game: Game, version: int, actions: Sequence[Action]) -> Played | None:
    """Return what came of these very actions if the log holds them from ``version`` on."""
    end = version + len(actions)
    if end > len(game.log) or game.log[version:end] != to_log(actions):
        return None
    steps = game.steps()[version + 1 : end + 1]
    events = tuple(chain.from_iterable(step.events for step in steps))
    return Played(game, steps[-1].state, events, replayed=True)


def _decide(game: Game, version: int, actions: Sequence[Action]) -> Step:
    after = game.state
    if version != len(game.log):
        raise Problem(
            VERSION_MISMATCH,
            f"The game is at version {len(game.log)}, not {version}.",
            state=game_body(game, after),
        )
    if after.status is not Status.PLAYING:
        raise Problem(GAME_OVER, f"The game is {after.status}.")
    events: tuple[Event, ...] = ()
    revealed = False
    for index, action in enumerate(actions):
        try:
            after, caused = apply(after, action)
        except IllegalAction as refused:
            if revealed:
                raise Problem(REVEALS_CARDS, REVEALS_CARDS.meaning, index=index) from None
            raise illegal(refused, index) from None
        if revealed and action is not DRAW:
            raise Problem(REVEALS_CARDS, REVEALS_CARDS.meaning, index=index)
        events += caused
        revealed = revealed or any(isinstance(event, CardsDrawn) for event in caused)
    return Step(after, events)
