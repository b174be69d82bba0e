"""Boards: finished games in the order of their rank.

A board is a sorted set whose scores are all 0, so that its members lie in the order of their
bytes. A member begins with the score, written so that a better one comes first, then the time of
the finish, so that of equal scores the earlier ranks higher, then the game's id. A board is only
an index: every entry follows from its game, and from when the board was cleared last, which has a
key of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from api.store.client import Script
from api.store.game import Game, Mode
from api.store.games import DAY
from api.store.watch import timed
from engine import RULESETS, SEED_PATTERN, score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from api.store.client import Client

SEEDED_BOARD_DAYS = 30

_BATCH = 500
_ENTER = Script("enter", keys=2)
_CLEAR = Script("clear", keys=2)

# Wide enough for every score; a game's lie between health - 208 and health + 10.
_BEST, _WIDTH = 500, 3
_TIME_WIDTH = 13

CURSOR_PATTERN = f"[0-9]{{{_WIDTH + _TIME_WIDTH}}}[A-Za-z0-9_-]{{22}}"
"""What a cursor looks like: a member of a board."""


class Board(NamedTuple):
    """The games of a ruleset, or only those of one seed that players named themselves."""

    ruleset: str
    seed: str | None = None

    @property
    def name(self) -> str:
        """The board's name: ``original``, or ``original/demo-1`` for a seed."""
        return self.ruleset if self.seed is None else f"{self.ruleset}/{self.seed}"

    @classmethod
    def parse(cls, name: str) -> Board:
        """Read a board's name. Raises ValueError if no board can have it."""
        ruleset, slash, seed = name.partition("/")
        if ruleset not in RULESETS or (slash and not re.fullmatch(SEED_PATTERN, seed)):
            raise ValueError(f"no board is called {name}")
        return cls(ruleset, seed if slash else None)


class Member(NamedTuple):
    """One entry of a board, all that is ranked by and the game it stands for."""

    score: int
    finished_at: int
    game_id: str

    def __str__(self) -> str:
        """Write the member as it lies in the sorted set."""
        return f"{_BEST - self.score:0{_WIDTH}}{self.finished_at:0{_TIME_WIDTH}}{self.game_id}"

    @classmethod
    def parse(cls, text: str) -> Member:
        """Read a member of the sorted set."""
        time = _WIDTH + _TIME_WIDTH
        return cls(_BEST - int(text[:_WIDTH]), int(text[_WIDTH:time]), text[time:])


def board_of(game: Game) -> Board | None:
    """Return the board that a game is ranked on once it is over; a custom game's on none."""
    if game.rules.custom:
        return None
    return Board(game.rules.ruleset, game.seed if game.mode is Mode.SEEDED else None)


def member_of(game: Game) -> Member:
    """Return what stands for a game that is over on its board."""
    total = score(game.state).score
    if total is None:
        raise ValueError("a game that is not over has no score")
    return Member(total, game.updated_at, game.id)


class Boards:
    """The boards in the store."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @timed("board_enter")
    def enter(self, board: Board, member: Member) -> None:
        """Enter a finished game unless the board was cleared since. Repeating changes nothing."""
        expires = member.finished_at + SEEDED_BOARD_DAYS * DAY if board.seed is not None else 0
        keys = _key(board), _cleared_key(board)
        self._client.run(_ENTER, *keys, str(member), expires, member.finished_at)

    @timed("board_rank")
    def rank(self, board: Board, member: Member) -> int | None:
        """Return a member's rank from 1, None if it is not on the board."""
        place: int | None = self._client.redis.zrank(_key(board), str(member))  # type: ignore[assignment]  # a list only if asked WITHSCORE
        return None if place is None else place + 1

    @timed("board_total")
    def total(self, board: Board) -> int:
        """Return how many games are on the board."""
        return self._client.redis.zcard(_key(board))

    @timed("board_after")
    def after(self, board: Board, cursor: str, limit: int) -> tuple[int, list[Member]]:
        """Return up to ``limit`` members behind ``cursor`` and the rank of the first of them.

        A cursor is a member, still good when that member is gone; the empty one begins at the top.
        """
        key = _key(board)
        start = f"({cursor}" if cursor else "-"
        pipeline = self._client.redis.pipeline(transaction=False)
        pipeline.zlexcount(key, "-", f"[{cursor}" if cursor else "-")
        pipeline.zrangebylex(key, start, "+", 0, limit)
        above, members = pipeline.execute()
        return above + 1, [Member.parse(member) for member in members]

    @timed("board_member_at")
    def member_at(self, board: Board, place: int) -> Member | None:
        """Return the member at a place from 0, None if there is none."""
        if place < 0:
            return None
        members = self._client.redis.zrange(_key(board), place, place)
        return Member.parse(str(members[0])) if members else None

    @timed("board_drop")
    def drop(self, board: Board, members: list[Member]) -> None:
        """Take members off the board: their games are gone."""
        self._client.redis.zrem(_key(board), *map(str, members))

    def clear(self, board: Board) -> int:
        """Take all members off the board for good; return how many there were.

        Games that have ended by now are entered no more.
        """
        # What ended by now on a seeded board is gone when the note goes.
        kept = (SEEDED_BOARD_DAYS + 1) * DAY if board.seed is not None else 0
        return int(self._client.run(_CLEAR, _key(board), _cleared_key(board), kept))

    def cleared_at(self, board: Board) -> int:
        """Return when the board was cleared last, 0 if it never was."""
        return int(self._client.redis.get(_cleared_key(board)) or 0)

    def names(self) -> Iterator[str]:
        """Yield the name of every board that has a member; some maybe twice."""
        for key in self._client.redis.scan_iter(match="board:*", count=_BATCH):
            yield str(key).removeprefix("board:")

    def members(self, board: Board) -> Iterator[list[Member]]:
        """Yield the board's members, some at a time."""
        cursor = ""
        while True:
            _rank, members = self.after(board, cursor, _BATCH)
            if not members:
                return
            yield members
            cursor = str(members[-1])

    def hold(self, places: Sequence[tuple[Board, Member]]) -> list[bool]:
        """Return for each member whether it is on its board."""
        pipeline = self._client.redis.pipeline(transaction=False)
        for board, member in places:
            pipeline.zscore(_key(board), str(member))
        return [score is not None for score in pipeline.execute()]


def _key(board: Board) -> str:
    return f"board:{board.name}"


def _cleared_key(board: Board) -> str:
    # What is in braces puts it into the board's slot.
    return f"cleared:{{{_key(board)}}}"
