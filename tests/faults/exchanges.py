"""What was asked and what was answered: all that is known of a run when it is over."""

from __future__ import annotations

import http.client
import time
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from tests.playing import Connection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.servers import Reply

REPLAYED = "Idempotent-Replayed"


@dataclass
class Exchange:
    """A request, and how it was answered if it was. Times are of the monotonic clock."""

    method: str
    path: str
    body: Mapping[str, Any] | None
    headers: Mapping[str, str]
    began: float
    ended: float
    reply: Reply | None

    @property
    def status(self) -> int:
        """The status of the answer, 0 if there was none."""
        return self.reply.status if self.reply else 0

    @cached_property
    def json(self) -> Any:  # noqa: ANN401  # whatever JSON has
        """The body of the answer, read as JSON."""
        assert self.reply is not None, f"{self.method} {self.path} was not answered"
        return self.reply.json

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.began

    @property
    def acknowledged(self) -> bool:
        """Whether it was answered with success."""
        return self.status in {HTTPStatus.OK, HTTPStatus.CREATED}

    @property
    def replayed(self) -> bool:
        """Whether the answer says that the request was carried out before."""
        return self.reply is not None and self.reply.headers.get(REPLAYED) == "true"

    @property
    def creates(self) -> bool:
        """Whether it asks for a new game."""
        return (self.method, self.path) == ("POST", "/v1/games")

    @property
    def moves(self) -> bool:
        """Whether it asks for actions."""
        return self.method == "POST" and self.path.endswith("/actions")

    @property
    def finishes(self) -> bool:
        """Whether it moved, and the game was over then."""
        return self.moves and self.acknowledged and self.json["status"] != "playing"

    @property
    def game_id(self) -> str | None:
        """The game that it is about, if it is about one that has an id by now."""
        if self.creates:
            return self.json["id"] if self.acknowledged else None
        parts = self.path.split("/")
        return parts[3] if self.path.startswith("/v1/games/") else None

    def __str__(self) -> str:
        """Write it in one line."""
        return f"{self.method} {self.path} {self.body}: {self.status} in {self.seconds:.2f} s"


class Line:
    """A connection that is made anew when it breaks. Not for several threads."""

    def __init__(self, port: int, timeout: float) -> None:
        self._connection = Connection(port, timeout)

    def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Exchange:
        """Send a request; whatever becomes of it is told in the exchange."""
        began = time.monotonic()
        try:
            reply = self._connection.request(method, path, body, headers=headers)
        except (OSError, http.client.HTTPException):
            self._connection.close()
            reply = None
        return Exchange(method, path, body, headers or {}, began, time.monotonic(), reply)

    def close(self) -> None:
        """Close it."""
        self._connection.close()
