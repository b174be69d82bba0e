"""Observers of the store, for metrics."""

from __future__ import annotations

from functools import wraps
from time import perf_counter
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from api.store.game import Game

P = ParamSpec("P")
R = TypeVar("R")


class Observer:
    """Called for every operation; does nothing unless a subclass does."""

    def operation_ended(self, operation: str, seconds: float) -> None:
        """Handle the end of an operation, whether or not it succeeded."""

    def game_created(self, game: Game) -> None:
        """Handle a new game."""

    def game_finished(self, game: Game) -> None:
        """Handle a game whose last action was applied."""


class _Client(Protocol):
    @property
    def observer(self) -> Observer: ...


class _HasClient(Protocol):
    @property
    def _client(self) -> _Client: ...


Owner = TypeVar("Owner", bound=_HasClient)


def timed(
    operation: str,
) -> Callable[[Callable[Concatenate[Owner, P], R]], Callable[Concatenate[Owner, P], R]]:
    """Decorate a method that calls the store: tell the observer how long it took."""

    def decorate(method: Callable[Concatenate[Owner, P], R]) -> Callable[Concatenate[Owner, P], R]:
        @wraps(method)
        def measured(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> R:
            began = perf_counter()
            try:
                return method(self, *args, **kwargs)
            finally:
                self._client.observer.operation_ended(operation, perf_counter() - began)

        return measured

    return decorate
