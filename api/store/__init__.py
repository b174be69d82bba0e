"""Games and boards in Redis or Valkey. The API's processes hold only copies.

This package imports the engine, redis and limits, and nothing else of ``api``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.store.audit import Audit, Difference, Fault
from api.store.board import CURSOR_PATTERN, Board
from api.store.client import UNAVAILABLE, Client
from api.store.create_limit import Allowance, CreateLimit
from api.store.game import Game, NewGame, UnreadableGame
from api.store.games import GameNotFound, Games, LogMoved
from api.store.ledger import Entry, Ledger, Page
from api.store.modes import MODES, Mode, ModePolicy
from api.store.observer import Observer
from api.store.secret import Purpose, Secret, WrongSecret
from engine import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from limits import RateLimitItem

    from engine import Action, State

__all__ = [
    "CURSOR_PATTERN",
    "MODES",
    "UNAVAILABLE",
    "Allowance",
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
    "ModePolicy",
    "NewGame",
    "Observer",
    "Page",
    "Purpose",
    "Secret",
    "Store",
    "UnreadableGame",
    "WrongSecret",
]

_PROBE_KEY = "probe"
_PROBE_SECONDS = 60


class Store:
    """The store at a URL. It connects on the first call.

    Any method may raise one of :data:`UNAVAILABLE`.
    """

    def __init__(  # noqa: PLR0913  # one argument for each setting
        self,
        url: str,
        *,
        secret: bytes | None = None,
        keep_lost_days: int = 365,
        create_limit: RateLimitItem | None = None,
        wait_replicas: int = 0,
        observer: Observer | None = None,
    ) -> None:
        self._client = Client(url, observer)
        self.games = Games(self._client, keep_lost_days)
        self.ledger = Ledger(self._client, self.games)
        self.secret = Secret(self._client, secret)
        self.create_limit = CreateLimit(self._client, create_limit) if create_limit else None
        self._wait_replicas = wait_replicas

    def append(self, game: Game, actions: Sequence[Action], after: State) -> Game:
        """Append ``actions``, which lead to ``after``, and settle the game if it is over.

        Raises LogMoved if the stored log is another, and GameNotFound if the game has expired.
        """
        over = after.status is not Status.PLAYING
        if over:
            self.ledger.expect(game)
        game = self.games.append(game, actions, after)
        if over:
            self._client.observer.game_finished(game)
            self.settle(game)
        return game

    def settle(self, game: Game) -> None:
        """Make the end of a game durable, and rank it. It can be repeated.

        Replicas come first, so that no board shows a game that a failover takes back. The board
        itself does not wait for replicas: its entries can be rebuilt from the games.
        """
        if self._wait_replicas:
            self.games.confirm(game, self._wait_replicas)
        self.ledger.enter(game)

    def probe(self) -> None:
        """Check the secret and write a key: a full store and a replica would still answer a ping.

        Raises WrongSecret if the store was used with another secret.
        """
        self.secret.restore()
        self._client.redis.set(_PROBE_KEY, "", ex=_PROBE_SECONDS)

    def forget_connections(self) -> None:
        """Close idle connections, after an error."""
        self._client.forget_connections()
