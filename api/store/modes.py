"""Modes: where a game's seed comes from, and all that follows from that. One entry a mode."""

from __future__ import annotations

import secrets
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from api.store.board import Board
from engine import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SEED_BYTES = 24


class Mode(StrEnum):
    """The name of a mode."""

    STANDARD = "standard"
    SEEDED = "seeded"


class ModePolicy(NamedTuple):
    """The rules of a mode."""

    meaning: str
    """A sentence for the API's documentation."""
    draw_seed: Callable[[], str] | None
    """Draws the seed; None if the client names it."""
    board: Callable[[str, str], Board | None]
    """Returns the board for a ruleset and a seed; a custom game is on none."""
    seed_is_public: Callable[[Status], bool]
    """Whether the seed may be shown."""
    is_kept: bool
    """Whether finished games outlive :data:`api.store.game.UNFINISHED_DAYS`."""

    def seed(self, named: str | None) -> str:
        """Return the seed of a new game. Raises ValueError if the client must name one."""
        if self.draw_seed is not None:
            return self.draw_seed()
        if named is None:
            raise ValueError("the mode requires a seed")
        return named


MODES: Mapping[Mode, ModePolicy] = {
    Mode.STANDARD: ModePolicy(
        meaning="the server draws the seed, and the game is ranked on its ruleset's board",
        draw_seed=lambda: secrets.token_urlsafe(SEED_BYTES),
        board=lambda ruleset, _seed: Board(ruleset),
        seed_is_public=lambda status: status is not Status.PLAYING,
        is_kept=True,
    ),
    Mode.SEEDED: ModePolicy(
        meaning="the client names the seed, and the game is ranked among those of that ruleset "
        "and seed",
        draw_seed=None,
        board=Board,
        seed_is_public=lambda status: status is not Status.PLAYING,
        is_kept=False,
    ),
}
"""The policy of every mode."""
