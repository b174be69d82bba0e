"""Applying actions exactly once. The order of the checks is part of the contract."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from api.games.access import check_token
from api.games.errors import (
    ConcurrentMoves,
    GameError,
    GameFinished,
    RevealsCards,
    VersionMismatch,
)
from api.store import LogMoved
from engine import DRAW, CardsDrawn, IllegalAction, Status, Step, apply_all, to_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.store import Game, Store
    from engine import Action, Event, State

ATTEMPTS = 2


class Played(NamedTuple):
    """The game, the state right after the actions, and the events that they caused."""

    game: Game
    state: State
    events: Sequence[Event]
    replayed: bool


def play(
    store: Store, game_id: str, version: int, actions: Sequence[Action], token: str | None = None
) -> Played:
    """Apply ``actions`` to the game at ``version``, all or none, and only once.

    Raises GameNotFound, a GameError, or the engine's IllegalAction with its ``index``.
    """
    game = None
    copy = store.games.recall(game_id)
    if copy and len(copy.log) == version:
        # One round trip if all is well. Any other result is decided on the stored game alone.
        try:
            return _append(store, copy, version, actions, token)
        except LogMoved as moved:
            game = moved.game
        except (GameError, IllegalAction):
            pass
    game = game or store.games.read(game_id)
    for _ in range(ATTEMPTS):
        check_token(store.secret, game, token)
        if played := _already_played(game, version, actions):
            if game.over:
                # The worker that applied the last action may have died before it settled the game.
                store.settle(game)
            return played
        try:
            return _append(store, game, version, actions, token)
        except LogMoved as moved:
            game = moved.game
    raise ConcurrentMoves


def _append(
    store: Store, game: Game, version: int, actions: Sequence[Action], token: str | None
) -> Played:
    check_token(store.secret, game, token)
    after, events = _decide(game, version, actions)
    return Played(store.append(game, actions, after), after, events, replayed=False)


def _already_played(game: Game, version: int, actions: Sequence[Action]) -> Played | None:
    """Return the result of these very actions if the log contains them from ``version`` on."""
    end = version + len(actions)
    if end > len(game.log) or game.log[version:end] != to_log(actions):
        return None
    steps = game.steps[version + 1 : end + 1]
    events = tuple(chain.from_iterable(step.events for step in steps))
    return Played(game, steps[-1].state, events, replayed=True)


def _decide(game: Game, version: int, actions: Sequence[Action]) -> Step:
    """Return the state after ``actions``, and all events."""
    state = game.state
    if version != len(game.log):
        raise VersionMismatch(game, version)
    if state.status is not Status.PLAYING:
        raise GameFinished(state.status)
    events: tuple[Event, ...] = ()
    revealed = False
    try:
        for index, step in enumerate(apply_all(state, actions)):
            if revealed and actions[index] is not DRAW:
                raise RevealsCards(index)
            state = step.state
            events += step.events
            revealed = revealed or any(isinstance(event, CardsDrawn) for event in step.events)
    except IllegalAction as refused:
        if revealed:  # whether it is legal may depend on the new cards
            raise RevealsCards(refused.index) from None
        raise
    return Step(state, events)
