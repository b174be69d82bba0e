"""Boards and their members as values: their names, and their text forms in the store."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine import RULESETS, SEED_PATTERN

# Wide enough for every score, which lies between health - 208 and health + 10.
_BEST, _SCORE_WIDTH = 500, 3
_TIME_WIDTH = 13

CURSOR_PATTERN = f"[0-9]{{{_SCORE_WIDTH + _TIME_WIDTH}}}[A-Za-z0-9_-]{{22}}"
"""The pattern of a cursor, which is a member of a board."""


class Board(NamedTuple):
    """The ranking of a ruleset's games, or of those with one seed that clients named."""

    ruleset: str
    seed: str | None = None

    @property
    def name(self) -> str:
        """The board's name: ``original``, or ``original/demo-1`` for a seed."""
        return self.ruleset if self.seed is None else f"{self.ruleset}/{self.seed}"

    @classmethod
    def parse(cls, name: str) -> Board:
        """Parse a board's name. Raises ValueError if there can be no such board."""
        ruleset, slash, seed = name.partition("/")
        if ruleset not in RULESETS or (slash and not re.fullmatch(SEED_PATTERN, seed)):
            raise ValueError(f"there is no board named {name}")
        return cls(ruleset, seed if slash else None)


class Member(NamedTuple):
    """A finished game on a board: what it is ranked by, and its id.

    As text it begins with the score, written so that a better one sorts first, then the time of the
    finish, so that of equal scores the earlier ranks higher, then the id.
    """

    score: int
    finished_at: int
    game_id: str

    def __str__(self) -> str:
        """Return the text form."""
        return (
            f"{_BEST - self.score:0{_SCORE_WIDTH}}{self.finished_at:0{_TIME_WIDTH}}{self.game_id}"
        )

    @classmethod
    def parse(cls, text: str) -> Member:
        """Parse the text form."""
        time = _SCORE_WIDTH + _TIME_WIDTH
        return cls(_BEST - int(text[:_SCORE_WIDTH]), int(text[_SCORE_WIDTH:time]), text[time:])
