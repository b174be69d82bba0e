"""A player who plays one random game after another, and repeats what was not answered."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random
    from threading import Event

    from tests.faults.exchanges import Exchange, Line

PAUSE = 0.005
"""Between two requests: players think, and the machine has others to serve."""

PAUSE_AFTER_FAILURE = 0.05

RULESETS = ("original", "gamemaker", "strict", "gravekeeper")
SEEDS = 5
"""Players meet on the boards of this many seeds."""

UNCERTAIN = {0, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT}
"""After these nobody knows whether the request was carried out."""


class Player:
    """Plays until told to stop. Every exchange is kept, in order.

    At times a player sits down at one of the others' ``tables``, and both play the same game.
    """

    def __init__(self, line: Line, random: Random, stop: Event, tables: list[str]) -> None:
        self.exchanges: list[Exchange] = []
        self._line = line
        self._random = random
        self._stop = stop
        self._tables = tables
        self._view: Mapping[str, Any] | None = None
        self._forget()

    def play(self) -> None:
        """Play, one request after another."""
        while not self._stop.is_set():
            self._turn()
            failed = self.exchanges[-1].status in UNCERTAIN
            self._stop.wait(PAUSE_AFTER_FAILURE if failed else PAUSE)
        self._line.close()

    def first_since(self, moment: float, *, last_moves: bool = False) -> Exchange | None:
        """Return the first move that was asked for and carried out since ``moment``.

        Or the first of those that ended a game.
        """
        moves = (
            exchange
            for exchange in tuple(self.exchanges)
            if exchange.began >= moment
            and exchange.moves
            and exchange.acknowledged
            and not exchange.replayed
            and (exchange.finishes or not last_moves)
        )
        return next(moves, None)

    def _forget(self) -> None:
        """Be done with a game."""
        self._again: Exchange | None = None
        self._last: Exchange | None = None
        self._game: str | None = None
        self._view = None
        self._headers: dict[str, str] = {}

    def _turn(self) -> None:
        luck = self._random.random()
        if self._again:
            again, self._again = self._again, None
            self._hear(self._ask(again.method, again.path, again.body, again.headers))
        elif self._game is None and self._tables and luck < 0.15:
            self._game = self._random.choice(self._tables[-len(RULESETS) :])
            self._hear(self._ask("GET", self._path()))
        elif self._game is None:
            self._create()
        elif self._view is None:
            self._hear(self._ask("GET", self._path()))
        elif self._last and luck < 0.1:
            last = self._last
            self._hear(self._ask(last.method, last.path, last.body, last.headers))
        elif luck < 0.14:
            self._move(max(self._view["version"] - self._random.randint(1, 3), 0))
        elif luck < 0.2:
            self._read()
        else:
            self._move(self._view["version"])

    def _create(self) -> None:
        random = self._random
        new: dict[str, Any] = {"ruleset": random.choice(RULESETS)}
        if random.random() < 0.3:
            new["seed"] = f"faults-{random.randrange(SEEDS)}"
        if random.random() < 0.1:
            new["options"] = {"leave": 2}
        if random.random() < 0.2:
            new["locked"] = True
        # A locked game whose first answer is lost can be had again by its key alone.
        keyed = new.get("locked") or random.random() < 0.7
        headers = {"Idempotency-Key": f"{random.getrandbits(128):032x}"} if keyed else {}
        self._hear(self._ask("POST", "/v1/games", new, headers))

    def _move(self, version: int) -> None:
        view = self._view or {}
        legal: Sequence[str] = view["actions"]
        count = min(self._random.choice((1,) * 6 + (2, 3)), len(legal))
        actions = self._random.sample(legal, count)
        body = {"version": version, "actions": actions}
        self._hear(self._ask("POST", self._path("/actions"), body, self._headers))

    def _read(self) -> None:
        path = self._random.choice(
            [
                *(self._path(part) for part in ("", "/actions", "/score", "/history")),
                f"/v1/ledger?ruleset={self._random.choice(RULESETS)}&limit=5",
            ]
        )
        self._ask("GET", path)

    def _path(self, part: str = "") -> str:
        return f"/v1/games/{self._game}{part}"

    def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Exchange:
        exchange = self._line.ask(method, path, body, headers)
        self.exchanges.append(exchange)
        return exchange

    def _hear(self, exchange: Exchange) -> None:
        """Go on from an answer, or from there being none."""
        if exchange.status in UNCERTAIN:
            self._doubt(exchange)
        elif exchange.acknowledged:
            self._see(exchange)
        elif exchange.status == HTTPStatus.CONFLICT:
            problem = exchange.json
            if problem["code"] == "version_mismatch":
                self._look_at(problem["state"])
            elif problem["code"] == "game_over":
                self._forget()
        else:
            self._forget()

    def _doubt(self, exchange: Exchange) -> None:
        """Repeat the very request, or look at what came of it."""
        if exchange.creates and not exchange.headers:
            self._forget()
        elif exchange.creates or self._random.random() < 0.7:
            self._again = exchange
        else:
            self._view = None

    def _see(self, exchange: Exchange) -> None:
        body = exchange.json
        if exchange.creates:
            self._game = body["id"]
            self._tables.append(body["id"])
            token = body.get("token")
            self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        if exchange.moves or exchange.headers:  # a creation without a key makes another game
            self._last = exchange
        self._look_at(body)

    def _look_at(self, body: Mapping[str, Any]) -> None:
        if body["status"] != "playing":
            if self._random.random() < 0.3:
                self._ask("GET", self._path("/score"))
            self._forget()
        else:
            self._view = body


class Watcher:
    """Asks over and over whether the processes live and are ready, as a supervisor would."""

    def __init__(self, line: Line, stop: Event) -> None:
        self.exchanges: list[Exchange] = []
        self._line = line
        self._stop = stop

    def watch(self) -> None:
        """Watch until told to stop."""
        while not self._stop.wait(0.1):
            for path in ("/livez", "/readyz"):
                self.exchanges.append(self._line.ask("GET", path))
        self._line.close()
