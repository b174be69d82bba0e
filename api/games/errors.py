"""Refusals of the use cases. :mod:`api.http.errors` translates each into a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from api.store import Allowance, Game
    from engine import Status


class GameError(Exception):
    """A request that is well formed but cannot be carried out."""


class TokenRequired(GameError):
    """The game is locked, and its token is missing or wrong."""


class VersionMismatch(GameError):
    """The actions were chosen for another version; ``game`` is the stored one."""

    def __init__(self, game: Game, version: int) -> None:
        super().__init__(f"The game is at version {len(game.log)}, not {version}.")
        self.game = game


class GameFinished(GameError):
    """The game is won or lost."""

    def __init__(self, status: Status) -> None:
        super().__init__(f"The game is {status}.")


class RevealsCards(GameError):
    """The action at ``index`` follows one that turned up cards."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class ConcurrentMoves(GameError):
    """Other clients kept changing the game at the same time."""

    def __init__(self) -> None:
        super().__init__("Other clients were playing this game at the same time.")


class IdempotencyKeyReused(GameError):
    """The idempotency key belongs to a game that was created by a different request."""


class RateLimited(GameError):
    """The client has created too many games; ``allowance`` says when it may create another."""

    def __init__(self, allowance: Allowance) -> None:
        super().__init__(allowance)
        self.allowance = allowance
