"""Players who go on while faults come and go, and what must hold afterwards.

``FAULTS_SEED=7 pytest tests/faults`` repeats what the players chose; how the processes came to run
beside each other is never quite the same.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from http import HTTPStatus
from random import Random
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self
from urllib.parse import urlencode

from tests.faults import invariants
from tests.faults.exchanges import Exchange, Line
from tests.faults.player import Player, Watcher
from tests.servers import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from redis import Redis

RECOVERY = 5
"""Within so many seconds of a fault's end moves are acknowledged again."""

PATIENCE = 5
"""So long a client waits for an answer."""

SWEPT_AT_ONCE = 20


class Store(Protocol):
    """What the players' games lie in."""

    @property
    def client(self) -> Redis:
        """A client to look behind the API."""


class Figures(NamedTuple):
    """What a run consisted of."""

    requests: int
    unanswered: int
    statuses: dict[int, int]
    moves: int
    """Moves that were acknowledged."""
    finished: int
    """Games whose last move was acknowledged."""
    ranked: int
    """Games on the boards."""
    lost: int
    """Acknowledged moves that are gone."""


def chosen_seed() -> str:
    """Return and print the seed of this run.

    It is what ``FAULTS_SEED`` says, else always the same in CI, and any elsewhere.
    """
    fixed = os.environ.get("FAULTS_SEED") or ("1" if os.environ.get("CI") else None)
    seed = fixed or str(Random().randrange(10**6))
    print(f"FAULTS_SEED={seed}", flush=True)  # noqa: T201  # to repeat a failure
    return seed


class Driver:
    """Players on the API at ``port``. They begin to play at once, and stop at the end.

    with Driver(api.port) as driver:
        driver.play()          # until every player has finished a game
        ...                    # something goes wrong, and is over again
        driver.recovered()     # until moves are acknowledged again
        driver.play()
    driver.check(store)        # what must hold
    """

    def __init__(
        self, port: int, players: int = 4, seed: str | None = None, patience: float = PATIENCE
    ) -> None:
        self.seed = chosen_seed() if seed is None else seed
        self._port = port
        self._stop = Event()
        tables: list[str] = []
        self._players = [
            Player(Line(port, patience), Random(f"{self.seed}/{number}"), self._stop, tables)
            for number in range(players)
        ]
        self._watcher = Watcher(Line(port, patience), self._stop)
        self._threads = [
            Thread(target=self._guarded, args=(target,))
            for target in (*(player.play for player in self._players), self._watcher.watch)
        ]
        self._failure: BaseException | None = None
        self._ends: list[float] = []
        self._kept_from = 0.0

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _guarded(self, target: Callable[[], None]) -> None:
        try:
            target()
        except BaseException as failure:  # noqa: BLE001  # it is raised where somebody hears it
            self._failure = failure

    @property
    def exchanges(self) -> list[Exchange]:
        """All that was asked by now, in the order of the asking."""
        kept = [*(player.exchanges for player in self._players), self._watcher.exchanges]
        exchanges = [exchange for each in kept for exchange in tuple(each)]
        return sorted(exchanges, key=lambda exchange: exchange.began)

    def between(self, began: float, ended: float) -> list[Exchange]:
        """Return what was asked within a span of the monotonic clock."""
        return [exchange for exchange in self.exchanges if began <= exchange.began < ended]

    def play(self, within: float = 30) -> None:
        """Wait until every player has finished a game from now on."""
        self._wait_for(time.monotonic(), within, last_moves=True)

    def recovered(self, within: float = RECOVERY, *, lost: bool = False) -> float:
        """Check invariant D, right after a fault's end; return how many seconds it took.

        **D**: within some seconds every player has had a new move acknowledged.

        If the store may have ``lost`` what it had acknowledged, A is asked only of what is
        acknowledged from now on.
        """
        end = time.monotonic()
        self._ends.append(end)
        if lost:
            self._kept_from = end
        moves = self._wait_for(end, within)
        return max(move.ended for move in moves) - end

    def _wait_for(self, since: float, within: float, *, last_moves: bool = False) -> list[Exchange]:
        """Wait until every player has had a move carried out, and return these."""

        def moves() -> list[Exchange]:
            assert self._failure is None, repr(self._failure)
            found = [player.first_since(since, last_moves=last_moves) for player in self._players]
            return [move for move in found if move is not None]

        try:
            wait_until(lambda: len(moves()) == len(self._players), within)
        except AssertionError as late:
            latest = [str(player.exchanges[-1]) for player in self._players if player.exchanges]
            raise AssertionError(f"no moves for all within {within} s: {latest}") from late
        return moves()

    def check(self, store: Store) -> Figures:
        """Check, once the players have stopped and while the API still serves, that

        **A** every acknowledged move is in its game's log, once and where it was asked for; every
        other one at most once; every log consists of whole requests, replays, and says what was
        answered;

        **B** the boards hold the finished games of the store, each with its score and the time of
        its finish, and nothing else; whatever was left half done is made good by a sweep;

        **C** every answer is documented, none is a 500.
        """
        assert self._failure is None, repr(self._failure)
        exchanges = self.exchanges
        self._guard(exchanges)
        invariants.check_answers(exchanges)
        kept_from = self._kept_from
        with store.client as redis:
            self._sweep(redis)
            stored = invariants.stored_games(redis)
            ranked = invariants.check_boards(stored, redis)
        played = invariants.by_game(exchanges)
        invariants.check_creations(exchanges, played, stored, kept_from)
        lost = sum(
            invariants.check_game(game, stored.get(game.id), kept_from) for game in played.values()
        )
        statuses = Counter(exchange.status for exchange in exchanges)
        return Figures(
            requests=len(exchanges),
            unanswered=statuses.pop(0, 0),
            statuses=dict(sorted(statuses.items())),
            moves=sum(exchange.moves and exchange.acknowledged for exchange in exchanges),
            finished=sum(exchange.finishes for exchange in exchanges),
            ranked=ranked,
            lost=lost,
        )

    def _guard(self, exchanges: Sequence[Exchange]) -> None:
        """Fail unless there is something to check, before the faults and after them."""
        moves = [exchange for exchange in exchanges if exchange.moves and exchange.acknowledged]
        assert moves, "no move was acknowledged"
        assert any(exchange.finishes for exchange in exchanges), "no game was finished"
        for end in self._ends:
            assert moves[0].ended < end, "no move was acknowledged before the fault"
            assert moves[-1].began > end, "no move was acknowledged after the fault"

    def _sweep(self, redis: Redis) -> None:
        """Have the API finish what was left half done, as it would some seconds later.

        And read every board, which takes off what has expired.
        """
        noted = [str(game_id) for game_id in redis.zrange("pending", 0, -1)]
        for game_id in noted:
            redis.zadd("pending", {game_id: 1}, xx=True)
        line = Line(self._port, PATIENCE)
        for _ in range(len(noted) // SWEPT_AT_ONCE + 1):
            assert line.ask("GET", "/v1/ledger").status == HTTPStatus.OK
        for key in map(str, redis.scan_iter("board:*", count=1000)):
            ruleset, _, seed = key.removeprefix("board:").partition("/")
            board = {"ruleset": ruleset, "limit": "100", **({"seed": seed} if seed else {})}
            cursor: str | None = ""
            while cursor is not None:
                asked = {**board, "cursor": cursor} if cursor else board
                page = line.ask("GET", f"/v1/ledger?{urlencode(asked)}")
                assert page.status == HTTPStatus.OK, f"{page}"
                cursor = page.json["next_cursor"]
        line.close()
