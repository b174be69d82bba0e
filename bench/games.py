"""Whole random games over the network: ``python -m bench.games``.

Each client is a loop on one kept-alive connection: create a game, choose at random among what is
legal until it is over, begin again. It learns what is legal by asking before each choice, or from
the answer to the choice before; or it sends the three choices of a room in one request. The
clients are threads of wrk (``games.lua``), because they share the machine with the server: what
each part took of all the processor time there is stands beside. Where the parts add up to 100 %
the machine is busy, and without the clients it would serve as much more as their share allows.

A game counts when it ends. Those that the end cuts off do not, so that with many clients the
figure is a few per cent too low.
"""

from __future__ import annotations

import os
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import NamedTuple

from bench.forms import Form, form_asked
from bench.load import Load, load_of, processor_seconds, wrk
from bench.machine import described
from bench.rounds import counted, say
from tests.servers import ApiServer, StoreServer, serving, valkey_binary

CLIENTS = (1, 4, 16)
WAYS = {
    "asks": "GET the actions, POST one",
    "reads": "POST one of the last answer's",
    "rooms": "POST three choices at once",
}

_HEADS = ("games/s", "req/s", "req/game", "p50 ms", "p99 ms", "clients %", "workers %", "store %")


class Size(NamedTuple):
    """How much is measured."""

    rounds: int
    seconds: int


SIZES = {Form.BRIEF: Size(1, 1), Form.USUAL: Size(3, 3), Form.LONG: Size(9, 10)}


class Figures(NamedTuple):
    """What one measurement gave: the games that ended, the load, and each part's share of it."""

    games: int
    load: Load
    shares: tuple[float, float, float]


def main() -> None:
    """Measure and print."""
    size = SIZES[form_asked("bench.games")]
    workers = os.cpu_count() or 1
    say(*described("redis", "flask", "gunicorn", "gevent"))
    store = StoreServer(valkey_binary(), "--appendonly", "no").start()
    try:
        with serving(store, workers) as api:
            _measure(api, store, size)
    finally:
        store.close()


def _measure(api: ApiServer, store: StoreServer, size: Size) -> None:
    places = [(way, clients) for way in WAYS for clients in CLIENTS]
    rounds: list[dict[tuple[str, int], Figures]] = []
    for turn in range(size.rounds):
        order = places[turn:] + places[:turn]
        rounds.append({place: _take(api, store, *place, size.seconds) for place in order})
    say(
        "",
        f"{counted(api.workers, 'worker')}, "
        f"medians of {counted(size.rounds, 'round')} of {size.seconds} s",
    )
    say(f"{'':32}{'clients':>8}" + "".join(f"{head:>11}" for head in _HEADS))
    for way, clients in places:
        figures = [taken[way, clients] for taken in rounds]
        each = sum(f.load.requests for f in figures) / max(1, sum(f.games for f in figures))
        shares = "".join(
            f"{median(figure.shares[part] for figure in figures):11.0%}" for part in range(3)
        )
        say(
            f"{WAYS[way]:32}{clients:8}"
            f"{median(f.games / f.load.seconds for f in figures):11.1f}"
            f"{median(f.load.rate for f in figures):11.0f}"
            f"{each:11.1f}"
            f"{median(f.load.p50 for f in figures):11.2f}"
            f"{median(f.load.p99 for f in figures):11.2f}{shares}"
        )


def _take(api: ApiServer, store: StoreServer, way: str, clients: int, seconds: int) -> Figures:
    before = _processor_seconds(api, store)
    printed = wrk(api.port, "games.lua", seconds, (clients, clients), way)
    load = load_of(printed)
    there = load.seconds * (os.cpu_count() or 1)
    one, two, three = (
        (end - start) / there
        for start, end in zip(before, _processor_seconds(api, store), strict=True)
    )
    return Figures(printed["games"], load, (one, two, three))


def _processor_seconds(api: ApiServer, store: StoreServer) -> tuple[float, float, float]:
    """Return the processor time of clients, workers and store so far."""
    assert api.process  # noqa: S101  # it runs
    assert store.process  # noqa: S101  # likewise
    ended = getrusage(RUSAGE_CHILDREN)
    clients = ended.ru_utime + ended.ru_stime
    return clients, processor_seconds(api.process.pid), processor_seconds(store.process.pid)


if __name__ == "__main__":
    main()
