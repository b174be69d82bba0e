"""Games and boards in Redis or Valkey. The processes of the API hold nothing but copies.

Imports point one way: this package knows the engine, redis and limits, and nothing else of ``api``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.store.audit import Audit, Difference, Fault
from api.store.boards import CURSOR_PATTERN, Board, board_of
from api.store.client import UNAVAILABLE, Client
from api.store.create_limit import CreateLimit
from api.store.game import Game, Mode, NewGame, UnreadableGame
from api.store.games import GameNotFound, Games, LogMoved
from api.store.ledger import Entry, Ledger, Page
from api.store.secret import Purpose, Secret, WrongSecret
from api.store.watch import Watch
from engine import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from limits import RateLimitItem

    from engine import Action, State

__all__ = [
    "CURSOR_PATTERN",
    "UNAVAILABLE",
    "Audit",
    "Board",
    "Difference",
    "Entry",
    "Fault",
    "Game",
    "GameNotFound",
    "Ledger",
    "LogMoved",
    "Mode",
    "NewGame",
    "Page",
    "Purpose",
    "Store",
    "UnreadableGame",
    "Watch",
    "WrongSecret",
    "board_of",
]

_PROBE_KEY = "probe"
_PROBE_SECONDS = 60


class Store:
    """The store that a URL names. Nothing is connected before the first call.

    Any method raises one of :data:`UNAVAILABLE` when the store cannot answer.
    """

    def __init__(  # noqa: PLR0913  # one argument for each setting
        self,
        url: str,
        *,
        secret: bytes | None = None,
        keep_lost_days: int = 365,
        create_limit: RateLimitItem | None = None,
        wait_replicas: int = 0,
        watch: Watch | None = None,
    ) -> None:
        self._client = Client(url, watch)
        self.games = Games(self._client, keep_lost_days)
        self.ledger = Ledger(self._client, self.games)
        self.secret = Secret(self._client, secret)
        self.create_limit = CreateLimit(self._client, create_limit) if create_limit else None
        self._wait_replicas = wait_replicas

    def append(self, game: Game, actions: Sequence[Action], after: State) -> Game:
        """Append ``actions``, which lead to ``after``, and settle the game if it ends with them.

        Raises LogMoved if the game's log is another by now, and GameNotFound if it has expired.
        """
        over = after.status is not Status.PLAYING
        if over:
            self.ledger.expect(game)
        game = self.games.append(game, actions, after)
        if over:
            self._client.watch.finished(game)
            self.settle(game)
        return game

    def settle(self, game: Game) -> None:
        """See to it that a game that is over stays so, and is ranked. May be repeated.

        Replicas are waited for first: what a failover takes back, no board has told. They are not
        waited for again with the board, for every entry can be made anew from its game.
        """
        if self._wait_replicas:
            self.games.confirm(game, self._wait_replicas)
        self.ledger.enter(game)

    def probe(self) -> None:
        """Check the secret, and write something: a full store and a replica still answer a ping.

        Raises WrongSecret if the store was used with another secret.
        """
        self.secret.keep()
        self._client.redis.set(_PROBE_KEY, "", ex=_PROBE_SECONDS)

    def forget_connections(self) -> None:
        """Drop the idle connections, after an error."""
        self._client.forget_connections()
