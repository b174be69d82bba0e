"""The score of a game and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.cards import Kind
from engine.rules import LossCounts, Overkill
from engine.state import State, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.cards import Card


class Score(NamedTuple):
    """The score of a game and its parts.

    ``score`` is None while the game is being played. ``bonus`` is the value that the last potion
    adds to the score of a won game, otherwise 0. ``remaining`` is the total value of the remaining
    monsters, according to the option ``loss_counts``; a lost game's score subtracts it.
    """

    score: int | None
    health: int
    bonus: int
    remaining: int


def score(state: State) -> Score:
    """Return the score of ``state`` and its parts."""
    remaining = _strength(state.dungeon)
    if state.options.loss_counts is LossCounts.DUNGEON_AND_ROOM:
        remaining += _strength(state.room)
    health = state.health
    match state.status:
        case Status.PLAYING:
            return Score(None, health, 0, remaining)
        case Status.WON:
            return Score(health + state.bonus, health, state.bonus, remaining)
        case Status.LOST:
            counted = 0 if state.options.overkill is Overkill.IGNORED else health
            return Score(counted - remaining, health, 0, remaining)


def _strength(cards: Iterable[Card]) -> int:
    return sum(card.value for card in cards if card.kind is Kind.MONSTER)
