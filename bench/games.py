"""Whole random games over HTTP: ``python -m bench.games``.

Each client is a loop on one kept-alive connection: create a game, choose legal actions at random
until it is over, start again. A client either lists the legal actions before each choice, or reads
them from the previous response, or sends three actions of a room in one request.

The clients are threads of wrk (``games.lua``) and share the machine with the server, so the table
shows the share of all processor time that each part used. Where the shares add up to 100 % the
machine is saturated, and without the clients it would serve more, in proportion to their share.

Only finished games count. Those cut off at the end of a round do not, so with many clients the
figure is a few per cent too low.
"""

from __future__ import annotations

import os
from functools import partial
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

from bench.load import Load, cpu_seconds, parse_load, run_wrk
from bench.machine import SERVER_PACKAGES, describe_machine
from bench.rounds import Column, plural, print_lines, print_table, run_rounds
from bench.sizes import size_parser
from tests.servers import ApiServer, StoreServer, serving, valkey_binary

CLIENTS = (1, 4, 16)
STRATEGIES = {
    "list": "GET the actions, POST one",
    "response": "POST one from the last response",
    "room": "POST three actions at once",
}


class Size(NamedTuple):
    """Rounds, and seconds of each measurement."""

    rounds: int
    seconds: int


class Figures(NamedTuple):
    """A measurement: the finished games, the load, and shares of the processor time."""

    games: int
    load: Load
    clients: float
    workers: float
    store: float

    @property
    def rate(self) -> float:
        """Games per second."""
        return self.games / self.load.seconds


COLUMNS: tuple[Column[Figures], ...] = (
    Column("games/s", ".1f", lambda figures, _: figures.rate),
    Column("ratio", ".2f", lambda figures, baseline: figures.rate / max(baseline.rate, 1e-9)),
    Column("req/s", ".0f", lambda figures, _: figures.load.rate),
    Column("req/game", ".1f", lambda figures, _: figures.load.requests / max(figures.games, 1)),
    Column("p50 ms", ".2f", lambda figures, _: figures.load.p50),
    Column("p99 ms", ".2f", lambda figures, _: figures.load.p99),
    Column("clients %", ".0%", lambda figures, _: figures.clients),
    Column("workers %", ".0%", lambda figures, _: figures.workers),
    Column("store %", ".0%", lambda figures, _: figures.store),
)


def main() -> None:
    """Measure and print."""
    parser = size_parser("bench.games", brief=Size(1, 1), default=Size(3, 3), long=Size(9, 10))
    size: Size = parser.parse_args().size
    workers = os.cpu_count() or 1
    print_lines(*describe_machine(*SERVER_PACKAGES))
    with (
        StoreServer(valkey_binary(), "--appendonly", "no") as store,
        serving(store, workers) as api,
    ):
        measures = {
            f"{name}, {plural(clients, 'client')}": partial(
                _measure, api, store, strategy, clients, size.seconds
            )
            for strategy, name in STRATEGIES.items()
            for clients in CLIENTS
        }
        length = f"medians of {plural(size.rounds, 'round')} of {size.seconds} s"
        title = f"{plural(workers, 'worker')}, {length}"
        print_table(title, COLUMNS, run_rounds(measures, size.rounds))


def _measure(
    api: ApiServer, store: StoreServer, strategy: str, clients: int, seconds: int
) -> Figures:
    before = _cpu_seconds(api, store)
    output = run_wrk(api.port, "games.lua", seconds, clients, strategy)
    load = parse_load(output)
    available = load.seconds * (os.cpu_count() or 1)
    shares = (
        (end - start) / available
        for start, end in zip(before, _cpu_seconds(api, store), strict=True)
    )
    return Figures(output["games"], load, *shares)


def _cpu_seconds(api: ApiServer, store: StoreServer) -> tuple[float, float, float]:
    """Return the processor time that clients, workers and store have used."""
    assert api.process  # noqa: S101  # it is running
    assert store.process  # noqa: S101  # it is running
    usage = getrusage(RUSAGE_CHILDREN)
    clients = usage.ru_utime + usage.ru_stime
    return clients, cpu_seconds(api.process.pid), cpu_seconds(store.process.pid)


if __name__ == "__main__":
    main()
