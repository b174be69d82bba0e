"""A game as the store has it, and what follows from it.

A game's state is never stored: it is a pure function of its options, its seed and its log. Whoever
holds a game knows its state once it was asked for, and so does a later copy of the game that was
told of the earlier one.
"""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from engine import EngineError, Rules, State, Status, Step, apply, begin, from_log, steps

if TYPE_CHECKING:
    from collections.abc import Sequence


class Mode(StrEnum):
    """Where a game's seed comes from, which decides where it is ranked."""

    STANDARD = "standard"
    SEEDED = "seeded"


class UnreadableGame(Exception):
    """There is a game, but it is damaged, or written by a later release; the message says how."""


class NewGame(NamedTuple):
    """What a game is created from."""

    id: str
    rules: Rules
    seed: str
    mode: Mode
    player: str | None
    locked: bool


class _Stored(NamedTuple):
    id: str
    rules: Rules
    seed: str
    mode: Mode
    player: str | None
    locked: bool
    created_at: int
    updated_at: int
    expires_at: int | None
    log: str


class Game(_Stored):
    """A game as the store has it. Times are milliseconds since 1970 by the store's clock.

    What it is asked for raises UnreadableGame if the log does not hold what it should.
    """

    @cached_property
    def deal(self) -> Step:
        """The state before the first action, and its events."""
        return begin(self.seed, self.rules.options)

    @cached_property
    def state(self) -> State:
        """The state after the whole log."""
        return _play_on(self.deal.state, self.log)

    @property
    def over(self) -> bool:
        """Whether the game is won or lost; its last action was the finish."""
        return self.state.status is not Status.PLAYING

    def steps(self) -> Sequence[Step]:
        """Return the steps so far: the deal, and one for each action."""
        try:
            return tuple(steps(self.seed, from_log(self.log), self.rules.options))
        except EngineError as error:
            raise UnreadableGame(type(error).__name__) from error

    def follow(self, earlier: Game) -> None:
        """Go on from an earlier copy's state, if that is known and this is the same game later."""
        known: State | None = earlier.__dict__.get("state")
        same = (self.seed, self.rules) == (earlier.seed, earlier.rules)
        if known and same and self.log.startswith(earlier.log):
            with suppress(UnreadableGame):  # whoever asks for the state will hear of it
                self.state = _play_on(known, self.log[len(earlier.log) :])


def _play_on(state: State, log: str) -> State:
    try:
        for action in from_log(log):
            state = apply(state, action).state
    except EngineError as error:
        raise UnreadableGame(type(error).__name__) from error
    return state
