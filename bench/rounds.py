"""Rounds: everything is measured once in each, in turns, and compared within it.

So a change in the machine's pace strikes all alike. A figure is the median over the rounds, and so
is a ratio, which is to the first that is measured.
"""

from __future__ import annotations

import sys
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from bench.load import Load, Request, looks_at, processor_seconds, send

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.servers import ApiServer, StoreServer

CONNECTIONS = 16

_HEADS = ("a second", "ratio", "p50 ms", "p99 ms", "ratio", "µs workers", "µs store")


class Target(NamedTuple):
    """Something to measure: requests made beforehand, sent to a server on some stores."""

    name: str
    api: ApiServer
    stores: Sequence[StoreServer]
    requests: Callable[[], Iterable[Request]]
    back: bool = True
    """Whether the players of the games come back, so that the games were looked at before."""


class Figures(NamedTuple):
    """What one measurement gave: the load, and µs of processor time a request."""

    load: Load
    workers: float
    stores: float


def compare(
    title: str, targets: Sequence[Target], rounds: int, seconds: int, connections: int = CONNECTIONS
) -> None:
    """Measure the targets and print a table, a line for each."""
    taken: list[list[Figures]] = []
    for turn in range(rounds):
        order = [(place + turn) % len(targets) for place in range(len(targets))]
        figures = {place: _take(targets[place], seconds, connections) for place in order}
        taken.append([figures[place] for place in range(len(targets))])
    say(
        "",
        f"{title}, {counted(connections, 'connection')}, "
        f"medians of {counted(rounds, 'round')} of {seconds} s",
    )
    say(" " * 36 + "".join(f"{head:>11}" for head in _HEADS))
    for place, target in enumerate(targets):
        rate = median(row[place].load.rate for row in taken)
        faster = median(row[place].load.rate / row[0].load.rate for row in taken)
        p50 = median(row[place].load.p50 for row in taken)
        p99 = median(row[place].load.p99 for row in taken)
        later = median(row[place].load.p99 / row[0].load.p99 for row in taken)
        workers = median(row[place].workers for row in taken)
        stores = median(row[place].stores for row in taken)
        say(
            f"{target.name:36}{rate:11.0f}{faster:11.2f}{p50:11.2f}{p99:11.2f}{later:11.2f}"
            f"{workers:11.0f}{stores:11.0f}"
        )


def look_first(api: ApiServer, requests: Iterable[Request]) -> None:
    """Read the games whose moves are to be measured, so that workers remember them."""
    if looks := list(looks_at(requests)):
        send(api.port, looks, 1)


def counted(number: int, things: str) -> str:
    """Write a number of things: ``1 worker``, ``2 workers``."""
    return f"{number:,} {things}{'s' * (number != 1)}"


def say(*lines: str) -> None:
    """Print lines at once: a benchmark takes long, and may end before its time."""
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


def _take(target: Target, seconds: int, connections: int) -> Figures:
    requests = list(target.requests())
    if target.back:
        look_first(target.api, requests)
    before = _seconds([target.api]), _seconds(target.stores)
    load = send(target.api.port, requests, seconds, connections)
    after = _seconds([target.api]), _seconds(target.stores)
    workers, stores = (
        (end - start) / load.requests * 1e6 for start, end in zip(before, after, strict=True)
    )
    return Figures(load, workers, stores)


def _seconds(servers: Sequence[ApiServer | StoreServer]) -> float:
    return sum(processor_seconds(server.process.pid) for server in servers if server.process)
