"""The API beside its floor: ``python -m bench.floor``.

The floor is :mod:`bench.bare`: a bare WSGI callable with the two calls to the store that a move
needs, on the same store, under the same gunicorn settings, answering as many bytes. Each round
measures everything once, in turns, so that a change in the machine's pace strikes all alike; a
ratio is taken within its round. Games are in all stages, and have been looked at once, as by
players who come back. Their last moves are among those played, which the floor has an easy life
with: it ranks nothing.
"""

from __future__ import annotations

import secrets
import sys
from functools import partial
from itertools import count, islice
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from api.store import Mode, NewGame, Store
from bench.load import Load, Request, looks_at, moves, processor_seconds, send
from bench.machine import described
from engine import parse_action, replay
from tests.playing import record
from tests.servers import ApiServer, StoreServer, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from api.store import Game
    from tests.playing import Record

ROUNDS = 5
SECONDS = 3
GAMES = 600
LENGTH = 30
WORKERS = (1, 2)


class Figures(NamedTuple):
    """What one measurement gave: the load, and µs of processor time a request."""

    load: Load
    workers: float
    store: float


class Target(NamedTuple):
    """Something to measure: requests made beforehand, sent to a server."""

    name: str
    server: ApiServer
    requests: Callable[[], Iterator[Request]]


def main() -> None:
    """Measure and print."""
    sys.stdout.write("\n".join((*described("redis", "flask", "gunicorn", "gevent"), "")))
    records = list(islice(_long_games(), GAMES))
    server = StoreServer(valkey_binary(), "--appendonly", "no").start()
    try:
        for workers in WORKERS:
            _measure(server, records, workers)
    finally:
        server.close()


def _measure(server: StoreServer, records: Sequence[Record], workers: int) -> None:
    store = Store(server.url)
    watched = _begun(store, records[:1])[0][0]
    api = ApiServer({"SCOUNDREL_REDIS_URL": server.url}, workers)
    try:
        api.start()
        size = len(api.get(f"/v1/games/{watched.id}").body)
        bare = ApiServer(
            {"SCOUNDREL_REDIS_URL": server.url, "BENCH_ANSWER_BYTES": str(size)},
            workers,
            app="bench.bare:create_app()",
        )
        try:
            bare.start()
            _compare(server, _targets(store, records, api, bare, watched), workers)
        finally:
            bare.close()
    finally:
        api.close()


def _targets(
    store: Store, records: Sequence[Record], api: ApiServer, bare: ApiServer, watched: Game
) -> tuple[Target, ...]:
    played = partial(_moves, store, records)
    return (
        Target("the floor: a bare move", bare, played),
        Target("applyActions", api, played),
        Target("getGame", api, partial(_same, Request("GET", f"/v1/games/{watched.id}"))),
        Target("createGame", api, partial(_same, Request("POST", "/v1/games", "{}"))),
        Target("listLedger", api, partial(_same, Request("GET", "/v1/ledger"))),
    )


def _compare(server: StoreServer, targets: Sequence[Target], workers: int) -> None:
    rounds: list[list[Figures]] = []
    for turn in range(ROUNDS):
        order = [(place + turn) % len(targets) for place in range(len(targets))]
        taken = {place: _take(server, targets[place]) for place in order}
        rounds.append([taken[place] for place in range(len(targets))])
    heads = ("a second", "x floor", "p50 ms", "p99 ms", "µs workers", "µs store")
    print(f"\n{workers} workers, 16 connections, medians of {ROUNDS} rounds")  # noqa: T201  # what it is for
    print(" " * 24 + "".join(f"{head:>12}" for head in heads))  # noqa: T201  # likewise
    for place, target in enumerate(targets):
        figures = [row[place] for row in rounds]
        ratio = median(row[place].load.rate / row[0].load.rate for row in rounds)
        print(  # noqa: T201  # likewise
            f"{target.name:24}"
            f"{median(f.load.rate for f in figures):12.0f}{ratio:12.2f}"
            f"{median(f.load.p50 for f in figures):12.2f}"
            f"{median(f.load.p99 for f in figures):12.2f}"
            f"{median(f.workers for f in figures):12.0f}{median(f.store for f in figures):12.0f}"
        )


def _take(server: StoreServer, target: Target) -> Figures:
    assert target.server.process  # noqa: S101  # it runs
    assert server.process  # noqa: S101  # likewise
    requests = list(target.requests())
    if looks := list(looks_at(requests)):
        send(target.server.port, looks, 1)
    processes = (target.server.process.pid, server.process.pid)
    before = [processor_seconds(process) for process in processes]
    load = send(target.server.port, requests, SECONDS)
    workers, store = (
        (processor_seconds(process) - start) / load.requests * 1e6
        for process, start in zip(processes, before, strict=True)
    )
    return Figures(load, workers, store)


def _long_games() -> Iterator[Record]:
    """Yield games in which the player got somewhere."""
    for number in count():
        played = record(f"floor-{number}")
        if len(played.actions) >= LENGTH:
            yield played


def _moves(store: Store, records: Sequence[Record]) -> Iterator[Request]:
    yield from moves(_begun(store, records))


def _same(request: Request) -> Iterator[Request]:
    yield request


def _begun(store: Store, records: Sequence[Record]) -> list[tuple[Game, Sequence[str]]]:
    """Put games into the store, each at another stage."""
    games = []
    for number, played in enumerate(records):
        new = NewGame(
            secrets.token_urlsafe(16), played.rules, played.seed, Mode.SEEDED, None, False
        )
        game, _ = store.games.create(new)
        line = [parse_action(text) for text in played.actions[: number % len(played.actions)]]
        if line:
            game = store.games.append(game, line, replay(game.seed, line, game.rules.options))
        games.append((game, played.actions))
    return games


if __name__ == "__main__":
    main()
