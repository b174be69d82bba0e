"""A game as a value, as it is stored.

The state is never stored: it is a pure function of the options, the seed and the log. A copy of a
game may be given the state of an earlier version, so that it applies only the actions since then.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from api.store.board import Board, Member
from api.store.modes import MODES, Mode, ModePolicy
from engine import EngineError, Rules, State, Status, Step, apply_all, begin, from_log, score

if TYPE_CHECKING:
    from collections.abc import Sequence

DAY = 24 * 60 * 60 * 1000
"""A day in milliseconds."""
NEVER_PLAYED_DAYS = 1
UNFINISHED_DAYS = 30


class UnreadableGame(Exception):
    """A stored game is damaged, or was written by a later release; the message says how."""


@dataclass(frozen=True, kw_only=True)
class NewGame:
    """All that a game is created from."""

    id: str
    rules: Rules
    seed: str
    mode: Mode
    player: str | None
    locked: bool

    @property
    def policy(self) -> ModePolicy:
        """The policy of the game's mode."""
        return MODES[self.mode]

    @property
    def requested(self) -> tuple[object, ...]:
        """What the client asked for; a seed that the server drew is not part of it."""
        seed = self.seed if self.policy.draw_seed is None else None
        return self.rules, self.mode, seed, self.player, self.locked


@dataclass(frozen=True, kw_only=True)
class Game(NewGame):
    """A stored game. Times are milliseconds since 1970 by the store's clock.

    Properties that depend on the log raise UnreadableGame if it is damaged.
    """

    created_at: int
    updated_at: int
    expires_at: int | None
    log: str
    known: State | None = field(default=None, repr=False, compare=False)
    """The state of this game after ``known.version`` actions, if it is known."""

    @cached_property
    def deal(self) -> Step:
        """The state before the first action, and its events."""
        return begin(self.seed, self.rules.options)

    @cached_property
    def state(self) -> State:
        """The state after the whole log."""
        state = self.known or self.deal.state
        for step in self._steps_from(state):
            state = step.state
        return state

    @property
    def steps(self) -> Sequence[Step]:
        """All steps: the deal, and one for each action."""
        return self.deal, *self._steps_from(self.deal.state)

    @property
    def over(self) -> bool:
        """Whether the game is won or lost; its last action was the finish."""
        return self.state.status is not Status.PLAYING

    @property
    def public_seed(self) -> str | None:
        """The seed if it may be shown."""
        return self.seed if self.policy.seed_is_public(self.state.status) else None

    @property
    def board(self) -> Board | None:
        """The board that the game is ranked on once it is over; None if it is custom."""
        return None if self.rules.custom else self.policy.board(self.rules.ruleset, self.seed)

    @property
    def member(self) -> Member:
        """The game's entry on its board. Raises ValueError if it is not over."""
        total = score(self.state).score
        if total is None:
            raise ValueError("a game that is not over has no score")
        return Member(total, self.updated_at, self.id)

    def knowing(self, earlier: Game) -> Game:
        """Return this game with the state of an earlier copy, if that is the same game."""
        if self == earlier:
            return earlier
        known = earlier.__dict__.get("state", earlier.known)
        same = (self.seed, self.rules) == (earlier.seed, earlier.rules)
        if known is None or not same or not self.log.startswith(earlier.log[: known.version]):
            return self
        return replace(self, known=known)

    def _steps_from(self, state: State) -> Sequence[Step]:
        try:
            return tuple(apply_all(state, from_log(self.log[state.version :])))
        except EngineError as error:
            raise UnreadableGame(type(error).__name__) from error


def lifetime(game: NewGame, status: Status | None, keep_lost_days: int) -> int:
    """Return for how many milliseconds a game is kept from now on, 0 for ever.

    ``status`` is None for a game that has never been played.
    """
    if status is None:
        return NEVER_PLAYED_DAYS * DAY
    if status is Status.PLAYING or game.rules.custom or not game.policy.is_kept:
        return UNFINISHED_DAYS * DAY
    return 0 if status is Status.WON else keep_lost_days * DAY
