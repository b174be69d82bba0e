"""The ledger: how a finished game gets on its board, and what is read from there.

Finishing is four steps: note the game as pending, append the last action, enter it on its board,
drop the note. Each can be repeated. A sweep does so for notes older than a grace period, whoever
left them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from api.store.audit import Audit
from api.store.boards import Boards, board_of, member_of
from api.store.game import Game, UnreadableGame
from api.store.games import GameNotFound
from api.store.pending import Pending

if TYPE_CHECKING:
    from api.store.boards import Board, Member
    from api.store.client import Client
    from api.store.games import Games

GRACE = 10_000
SWEEP_LIMIT = 20
MAX_WINDOW = 1000
"""How many entries are looked at in one go."""


class Entry(NamedTuple):
    """A finished game with its rank on the board that was asked for."""

    rank: int
    score: int
    game: Game


class Page(NamedTuple):
    """A run of entries; ``cursor`` is where the next page begins, None at the end."""

    total: int
    entries: list[Entry]
    cursor: str | None


class Ledger:
    """The finished games by rank."""

    def __init__(self, client: Client, games: Games) -> None:
        self._games = games
        self._boards = Boards(client)
        self._pending = Pending(client)
        self.audit = Audit(games, self._boards, self._pending)

    def expect(self, game: Game) -> None:
        """Say that the game's next action finishes it."""
        if board_of(game):
            self._pending.note(game.id)

    def enter(self, game: Game) -> None:
        """Put a game that is over on its board, if it is ranked."""
        if board := board_of(game):
            self._boards.enter(board, member_of(game))
            self._pending.drop(game.id)

    def rank(self, game: Game) -> int | None:
        """Return the rank of a game that is over, None if it is not ranked.

        A ranked game that is missing on its board is entered first.
        """
        board = board_of(game)
        if board is None:
            return None
        member = member_of(game)
        rank = self._boards.rank(board, member)
        if rank is None:
            self.enter(game)
            rank = self._boards.rank(board, member)
        return rank

    def page(self, board: Board, limit: int, cursor: str = "") -> Page:
        """Return up to ``limit`` entries of a board behind ``cursor``, or from the top.

        Entries whose game is gone, or is another or was set back by a failover and so has not
        ended when they say, are dropped and count no more.
        """
        window = limit + 1
        while True:
            first, members = self._boards.after(board, cursor, window)
            games = self._games.read_all([member.game_id for member in members])
            looked_up = list(zip(members, games, strict=True))
            gone = [member for member, game in looked_up if _is_gone(member, game)]
            if gone:
                self._boards.drop(board, gone)
            there = [pair for pair in looked_up if not _is_gone(*pair)]
            if len(there) > limit or len(members) < window:
                break
            # Where many are gone, there are more: one by one they would keep the reader waiting.
            window = min(2 * window, MAX_WINDOW)
        entries = [
            Entry(rank, member.score, game)
            for rank, (member, game) in enumerate(there[:limit], first)
            if isinstance(game, Game)  # what a later release wrote is for its readers
        ]
        return Page(
            total=self._boards.total(board),
            entries=entries,
            cursor=str(there[limit - 1][0]) if len(there) > limit else None,
        )

    def page_around(self, board: Board, limit: int, game: Game) -> Page | None:
        """Return the page that has ``game`` in its middle, None if it is not on the board."""
        if not game.over or board_of(game) != board:
            return None
        rank = self.rank(game)
        if rank is None:
            return None
        above = self._boards.member_at(board, rank - 1 - limit // 2 - 1)
        return self.page(board, limit, str(above) if above else "")

    def sweep(self) -> int:
        """Finish what was left half done; return how many games were entered for that.

        Finished games are entered, gone ones forgotten. An unfinished game keeps its note, at the
        end: its last action may still be under way.
        """
        entered = 0
        for game_id in self._pending.overdue(GRACE, SWEEP_LIMIT):
            try:
                game = self._games.read(game_id)
                over = game.over
            except GameNotFound:
                self._pending.drop(game_id)
            except UnreadableGame:
                # A later release's, which will see to it.
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
