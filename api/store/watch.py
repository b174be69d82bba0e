"""What can be told of the store's work to those who want to measure it."""

from __future__ import annotations

from functools import wraps
from time import perf_counter
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from api.store.client import Client
    from api.store.game import Game

P = ParamSpec("P")
R = TypeVar("R")


class Watch:
    """Is told what the store does, and makes nothing of it; a subclass may."""

    def took(self, operation: str, seconds: float) -> None:
        """Hear how long an operation took, whether or not it succeeded."""

    def begun(self, game: Game) -> None:
        """Hear of a game that was created."""

    def finished(self, game: Game) -> None:
        """Hear of a game whose last action was applied."""


class _Watched(Protocol):
    _client: Client


Owner = TypeVar("Owner", bound=_Watched)


def timed(
    operation: str,
) -> Callable[[Callable[Concatenate[Owner, P], R]], Callable[Concatenate[Owner, P], R]]:
    """Have a method that asks the store tell how long it took."""

    def decorate(method: Callable[Concatenate[Owner, P], R]) -> Callable[Concatenate[Owner, P], R]:
        @wraps(method)
        def measured(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> R:
            began = perf_counter()
            try:
                return method(self, *args, **kwargs)
            finally:
                self._client.watch.took(operation, perf_counter() - began)

        return measured

    return decorate
