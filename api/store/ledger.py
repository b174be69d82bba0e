"""The ledger: how a finished game gets on its board, and how boards are read.

Finishing a game takes four steps: note it as pending, append the last action, add it to its board,
drop the note. Each step can be repeated. A sweep repeats them for notes older than a grace period.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from api.store.audit import Audit
from api.store.boards import Boards
from api.store.game import Game, UnreadableGame
from api.store.games import GameNotFound
from api.store.pending import Pending

if TYPE_CHECKING:
    from api.store.board import Board, Member
    from api.store.client import Client
    from api.store.games import Games

GRACE = 10_000
SWEEP_LIMIT = 20
MAX_WINDOW = 1000
"""How many members are looked up in one round trip at most."""


class Entry(NamedTuple):
    """A finished game with its rank on a board."""

    rank: int
    score: int
    game: Game


class Page(NamedTuple):
    """Consecutive entries; ``cursor`` is where the next page begins, None at the end."""

    total: int
    entries: list[Entry]
    cursor: str | None


class Ledger:
    """All boards."""

    def __init__(self, client: Client, games: Games) -> None:
        self._games = games
        self._boards = Boards(client)
        self._pending = Pending(client)
        self.audit = Audit(games, self._boards, self._pending)

    def expect(self, game: Game) -> None:
        """Note that the next action will finish the game."""
        if game.board:
            self._pending.note(game.id)

    def enter(self, game: Game) -> None:
        """Add a finished game to its board, if it is ranked."""
        if game.board:
            self._boards.enter(game.board, game.member)
            self._pending.drop(game.id)

    def rank(self, game: Game) -> int | None:
        """Return the rank of a finished game, None if it is not ranked.

        A ranked game that is missing on its board is added first.
        """
        if game.board is None:
            return None
        rank = self._boards.rank(game.board, game.member)
        if rank is None:
            self.enter(game)
            rank = self._boards.rank(game.board, game.member)
        return rank

    def page(self, board: Board, limit: int, cursor: str = "") -> Page:
        """Return up to ``limit`` entries of a board after ``cursor``, or from the top.

        A member whose game is gone is dropped from the board. So is one whose game ended at another
        time: the game was created again, or set back by a failover.
        """
        window = limit + 1
        while True:
            first, members = self._boards.after(board, cursor, window)
            games = self._games.read_all([member.game_id for member in members])
            pairs = list(zip(members, games, strict=True))
            gone = [member for member, game in pairs if _is_gone(member, game)]
            if gone:
                self._boards.drop(board, gone)
            there = [pair for pair in pairs if not _is_gone(*pair)]
            if len(there) > limit or len(members) < window:
                break
            # Expired games come in runs: dropping few at a time would take many round trips.
            window = min(2 * window, MAX_WINDOW)
        entries = [
            Entry(rank, member.score, game)
            for rank, (member, game) in enumerate(there[:limit], first)
            if isinstance(game, Game)  # skips games that cannot be read
        ]
        return Page(
            total=self._boards.total(board),
            entries=entries,
            cursor=str(there[limit - 1][0]) if len(there) > limit else None,
        )

    def page_around(self, board: Board, limit: int, game: Game) -> Page | None:
        """Return the page with ``game`` in its middle, None if it is not on the board."""
        if not game.over or game.board != board:
            return None
        rank = self.rank(game)
        if rank is None:
            return None
        above = self._boards.member_at(board, rank - 1 - limit // 2 - 1)
        return self.page(board, limit, str(above) if above else "")

    def sweep(self) -> int:
        """Complete what was interrupted; return how many games were added to boards.

        The note of an unfinished game moves to the end: its last action may still be under way.
        """
        entered = 0
        for game_id in self._pending.overdue(GRACE, SWEEP_LIMIT):
            try:
                game = self._games.read(game_id)
                over = game.over
            except GameNotFound:
                self._pending.drop(game_id)
            except UnreadableGame:
                # It may be a later release's, which will complete it.
                self._pending.note(game_id)
            else:
                if over:
                    self.enter(game)
                    self._pending.drop(game_id)  # also if it is not ranked
                    entered += 1
                else:
                    self._pending.note(game_id)
        return entered


def _is_gone(member: Member, game: Game | UnreadableGame | None) -> bool:
    return game is None or (isinstance(game, Game) and game.updated_at != member.finished_at)
