"""Servers compared under the same kind of load."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from bench.load import Load, Request, cpu_seconds, reads_of, send
from bench.rounds import Column, plural, print_table, run_rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.servers import ApiServer, StoreServer

CONNECTIONS = 16


class Target(NamedTuple):
    """A server to measure, its stores, and the requests to send in each round."""

    name: str
    api: ApiServer
    stores: Sequence[StoreServer]
    requests: Callable[[], Iterable[Request]]
    cached: bool = True
    """Whether to read the games first, so that the workers have them in their caches."""


class Figures(NamedTuple):
    """A measurement: the load, and µs of processor time for each request."""

    load: Load
    workers: float
    stores: float


COLUMNS: tuple[Column[Figures], ...] = (
    Column("req/s", ".0f", lambda figures, _: figures.load.rate),
    Column("ratio", ".2f", lambda figures, baseline: figures.load.rate / baseline.load.rate),
    Column("p50 ms", ".2f", lambda figures, _: figures.load.p50),
    Column("p99 ms", ".2f", lambda figures, _: figures.load.p99),
    Column("p99 ratio", ".2f", lambda figures, baseline: figures.load.p99 / baseline.load.p99),
    Column("µs workers", ".0f", lambda figures, _: figures.workers),
    Column("µs store", ".0f", lambda figures, _: figures.stores),
)


def compare(
    title: str, targets: Sequence[Target], rounds: int, seconds: int, connections: int = CONNECTIONS
) -> None:
    """Measure the targets and print a table. The first target is the baseline."""
    measures = {target.name: partial(_measure, target, seconds, connections) for target in targets}
    length = f"medians of {plural(rounds, 'round')} of {seconds} s"
    print_table(
        f"{title}, {plural(connections, 'connection')}, {length}",
        COLUMNS,
        run_rounds(measures, rounds),
    )


READS_PER_SECOND = 1_000
"""A rate at which any machine can read, so that every game is read in time."""


def _measure(target: Target, seconds: int, connections: int) -> Figures:
    requests = list(target.requests())
    if target.cached and (reads := list(reads_of(requests))):
        send(target.api.port, reads, seconds=1 + len(reads) // READS_PER_SECOND)
    before = _cpu_seconds([target.api]), _cpu_seconds(target.stores)
    load = send(target.api.port, requests, seconds, connections)
    after = _cpu_seconds([target.api]), _cpu_seconds(target.stores)
    workers, stores = (
        (end - start) / load.requests * 1e6 for start, end in zip(before, after, strict=True)
    )
    return Figures(load, workers, stores)


def _cpu_seconds(servers: Sequence[ApiServer | StoreServer]) -> float:
    return sum(cpu_seconds(server.process.pid) for server in servers if server.process)
