"""Boards in the store: finished games in the order of their rank.

A board is a sorted set whose scores are all 0, so its members are in the order of their bytes. It
is an index: every member follows from its game, and from the time when the board was last cleared,
which has a key of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.store.board import Board, Member
from api.store.client import Script
from api.store.game import DAY
from api.store.observer import timed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from api.store.client import Client

SEEDED_BOARD_DAYS = 30

_BATCH = 500
_ENTER = Script("enter", keys=2)
_CLEAR = Script("clear", keys=2)


class Boards:
    """The boards in the store."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @timed("board_enter")
    def enter(self, board: Board, member: Member) -> None:
        """Add a finished game unless the board was cleared since. Repeating it is harmless."""
        expires = member.finished_at + SEEDED_BOARD_DAYS * DAY if board.seed is not None else 0
        keys = _key(board), _cleared_key(board)
        self._client.run(_ENTER, *keys, str(member), expires, member.finished_at)

    @timed("board_rank")
    def rank(self, board: Board, member: Member) -> int | None:
        """Return a member's rank, from 1; None if it is not on the board."""
        position: int | None = self._client.redis.zrank(_key(board), str(member))  # type: ignore[assignment]  # a list only with WITHSCORE
        return None if position is None else position + 1

    @timed("board_total")
    def total(self, board: Board) -> int:
        """Return the number of games on the board."""
        return self._client.redis.zcard(_key(board))

    @timed("board_after")
    def after(self, board: Board, cursor: str, limit: int) -> tuple[int, list[Member]]:
        """Return up to ``limit`` members after ``cursor``, and the rank of the first of them.

        A cursor is a member, and stays valid when that member is gone; the empty one is the top.
        """
        key = _key(board)
        start = f"({cursor}" if cursor else "-"
        pipeline = self._client.redis.pipeline(transaction=False)
        pipeline.zlexcount(key, "-", f"[{cursor}" if cursor else "-")
        pipeline.zrangebylex(key, start, "+", 0, limit)
        above, members = pipeline.execute()
        return above + 1, [Member.parse(member) for member in members]

    @timed("board_member_at")
    def member_at(self, board: Board, position: int) -> Member | None:
        """Return the member at a position, from 0; None if there is none."""
        if position < 0:
            return None
        members = self._client.redis.zrange(_key(board), position, position)
        return Member.parse(str(members[0])) if members else None

    @timed("board_drop")
    def drop(self, board: Board, members: list[Member]) -> None:
        """Remove members from the board."""
        self._client.redis.zrem(_key(board), *map(str, members))

    def clear(self, board: Board) -> int:
        """Remove all members for good; return how many there were.

        Games that ended before now are not added again.
        """
        # The games of a seeded board expire before this note of the clearing does.
        kept = (SEEDED_BOARD_DAYS + 1) * DAY if board.seed is not None else 0
        return int(self._client.run(_CLEAR, _key(board), _cleared_key(board), kept))

    def cleared_at(self, board: Board) -> int:
        """Return when the board was last cleared; 0 if it never was."""
        return int(self._client.redis.get(_cleared_key(board)) or 0)

    def names(self) -> Iterator[str]:
        """Yield the name of every board that has members; a name may be repeated."""
        for key in self._client.redis.scan_iter(match="board:*", count=_BATCH):
            yield str(key).removeprefix("board:")

    def members(self, board: Board) -> Iterator[list[Member]]:
        """Yield the board's members in batches."""
        cursor = ""
        while True:
            _rank, members = self.after(board, cursor, _BATCH)
            if not members:
                return
            yield members
            cursor = str(members[-1])

    def contain(self, entries: Sequence[tuple[Board, Member]]) -> list[bool]:
        """Return for each member whether it is on its board."""
        pipeline = self._client.redis.pipeline(transaction=False)
        for board, member in entries:
            pipeline.zscore(_key(board), str(member))
        return [score is not None for score in pipeline.execute()]


def _key(board: Board) -> str:
    return f"board:{board.name}"


def _cleared_key(board: Board) -> str:
    # The braces put it into the board's Cluster slot.
    return f"cleared:{{{_key(board)}}}"
