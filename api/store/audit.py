"""The audit: replays every game, and compares the boards with the games.

It may run while games are played. Boards can be repaired, because a board is only an index.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from api.store.board import Board
from api.store.game import Game, UnreadableGame
from api.store.games import GameNotFound
from engine import EngineError, from_log, replay

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from api.store.board import Member
    from api.store.boards import Boards
    from api.store.games import Games
    from api.store.pending import Pending

_BATCH = 500


class Fault(StrEnum):
    """The kinds of differences."""

    DAMAGED = "damaged game"
    MISSING = "missing entry"
    FALSE = "false entry"
    EXPIRED = "expired entry"  # normal: the next reader drops it


class Difference(NamedTuple):
    """A damaged game, or an entry that does not follow from the games."""

    fault: Fault
    game_id: str
    board: Board | None = None
    member: Member | None = None
    reason: str = ""

    def __str__(self) -> str:
        """Describe it in one line."""
        where = f" on {self.board.name}" if self.board else ""
        return f"{self.fault}{where}: {self.game_id}" + (f": {self.reason}" if self.reason else "")


class Audit:
    """Compares boards with games, and repairs boards."""

    def __init__(self, games: Games, boards: Boards, pending: Pending) -> None:
        self._games = games
        self._boards = boards
        self._pending = pending

    def differences(self, counts: Counter[str] | None = None) -> Iterator[Difference]:
        """Yield all differences, and add what was checked to ``counts``."""
        counts = Counter() if counts is None else counts
        for game_ids in _batches(self._games.ids()):
            yield from self._check_games(game_ids, counts)
        for name in self._boards.names():
            yield from self._check_board(Board.parse(name), counts)

    def repair(self, difference: Difference) -> bool:
        """Repair a board; return whether that was possible."""
        board, member = difference.board, difference.member
        if board is None or member is None:
            return False
        if difference.fault is Fault.MISSING:
            self._boards.enter(board, member)
        else:
            self._boards.drop(board, [member])
        return True

    def remove(self, game_id: str) -> bool:
        """Remove a game and its entry; return whether there was one."""
        entry: tuple[Board, Member] | None = None
        try:
            game = self._games.read(game_id)
            if game.over and game.board:
                entry = game.board, game.member
        except (GameNotFound, UnreadableGame):
            pass
        removed = self._games.remove(game_id)
        self._pending.drop(game_id)
        if entry:
            board, member = entry
            self._boards.drop(board, [member])
        return removed

    def clear(self, board: Board) -> int:
        """Remove all games that have ended from a board for good; return how many."""
        return self._boards.clear(board)

    def total(self, board: Board) -> int:
        """Return the number of games on a board."""
        return self._boards.total(board)

    def _check_games(self, game_ids: Sequence[str], counts: Counter[str]) -> Iterator[Difference]:
        ranked: list[tuple[Board, Member]] = []
        for game_id, game in zip(game_ids, self._games.read_all(game_ids), strict=True):
            if game is None:
                continue  # gone since its id was listed
            counts["games"] += 1
            reason = _fault(game)
            if reason:
                yield Difference(Fault.DAMAGED, game_id, reason=reason)
            elif isinstance(game, Game) and game.over:
                counts["finished"] += 1
                if game.board:
                    ranked.append((game.board, game.member))
        if ranked:
            contained = self._boards.contain(ranked)
            for (board, member), on_board in zip(ranked, contained, strict=True):
                if not on_board and self._is_missing(board, member):
                    yield Difference(Fault.MISSING, member.game_id, board, member)

    def _is_missing(self, board: Board, member: Member) -> bool:
        """Whether a game that was not on its board should be there, and is not being added now."""
        if member.finished_at <= self._boards.cleared_at(board):
            return False
        # While a game finishes, either is there: the note is dropped after the member is added.
        if self._pending.contains(member.game_id):
            return False
        return not self._boards.contain([(board, member)])[0]

    def _check_board(self, board: Board, counts: Counter[str]) -> Iterator[Difference]:
        counts["boards"] += 1
        for members in self._boards.members(board):
            cleared = self._boards.cleared_at(board)
            games = self._games.read_all([member.game_id for member in members])
            for member, game in zip(members, games, strict=True):
                counts["entries"] += 1
                if game is None:
                    yield Difference(Fault.EXPIRED, member.game_id, board, member)
                elif isinstance(game, Game) and not _fault(game):
                    right = game.over and (game.board, game.member) == (board, member)
                    if not right or member.finished_at <= cleared:
                        yield Difference(Fault.FALSE, member.game_id, board, member)


def _fault(game: Game | UnreadableGame) -> str:
    """Replay a game, and return what is wrong with it, or an empty string."""
    if isinstance(game, UnreadableGame):
        return str(game)
    try:
        replay(game.seed, from_log(game.log), game.rules.options)
    except EngineError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _batches(game_ids: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(game_ids)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
