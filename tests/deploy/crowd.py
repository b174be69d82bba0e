"""Players that keep playing while servers stop and start, and record failures."""

from __future__ import annotations

import http.client
import itertools
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.playing import Connection, act, record
from tests.servers import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.playing import Record
    from tests.servers import Reply


ENOUGH = 100
"""Requests that a crowd has had answered before it stops."""


class Patient(Connection):
    """Repeats a request whose response was cut off, which nginx cannot retry."""

    def request(self, *args: Any, **kwargs: Any) -> Reply:  # noqa: ANN401  # as in Connection
        """Send a request, repeat it if necessary, and return the reply."""
        try:
            return super().request(*args, **kwargs)
        except http.client.IncompleteRead:
            self.close()
            return super().request(*args, **kwargs)


class Player(threading.Thread):
    """Plays one game after another, and records every unexpected response."""

    def __init__(self, connection: Connection, name: str) -> None:
        super().__init__(name=name)
        self.stop = threading.Event()
        self.answered = 0
        self.refused = 0  # creations without a key, which nginx does not retry
        self.failed: list[Reply | Exception] = []
        self._connection = connection

    def run(self) -> None:
        """Play until ``stop`` is set."""
        try:
            for number in itertools.count():
                self._play(f"{self.name}-{number}")
                if self.stop.is_set():
                    return
        except Exception as error:  # noqa: BLE001  # any error is a lost request
            self.failed.append(error)
        finally:
            self._connection.close()

    def _play(self, seed: str) -> None:
        game = record(seed)
        game_id = self._create(game)
        for version, action in enumerate(game.actions, 1):
            acted = act(self._connection, game_id, version - 1, action)
            read = self._connection.request("GET", f"/v1/games/{game_id}")
            for reply in (acted, read):
                self.answered += 1
                if reply.status != 200 or reply.json["version"] != version:
                    self.failed.append(reply)
            if self.stop.is_set():
                return

    def _create(self, game: Record) -> str:
        """Create a game with a key, which nginx retries, and one without."""
        key = {"Idempotency-Key": f"the-key-of-{game.seed}"}
        reply = self._connection.request("POST", "/v1/games", game.new_game, headers=key)
        assert reply.status == 201, reply
        keyless = self._connection.request("POST", "/v1/games", game.new_game)
        self.answered += 2
        if keyless.status != 201:
            assert keyless.json["code"] == "store_unavailable", keyless
            assert keyless.headers["Retry-After"] == "1"
            self.refused += 1
        return str(reply.json["id"])


@contextmanager
def crowd(connect: Callable[[], Connection], number: int, name: str) -> Iterator[list[Player]]:
    """Run this number of players in the context, until they have had some responses.

    Their records are complete after it.
    """
    players = [Player(connect(), f"{name}-{one}") for one in range(number)]
    for player in players:
        player.start()
    try:
        yield players
        wait_until(
            lambda: (
                sum(player.answered for player in players) > ENOUGH
                or not all(player.is_alive() for player in players)
            )
        )
    finally:
        for player in players:
            player.stop.set()
        for player in players:
            player.join()
