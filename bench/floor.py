"""The API beside its floor: ``python -m bench.floor``.

The floor is :mod:`bench.bare`: a bare WSGI callable with the two calls to the store that a move
needs, on the same store, under the same gunicorn settings, answering the same bytes. Games are in
all stages, and have been looked at once, as by players who come back; each connection plays games
of its own. Their last moves are among those played, which the floor has an easy life with: it ranks
nothing. Ratios are to the floor.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from api.store import Store
from bench.bare import ANSWER
from bench.forms import Form, form_asked
from bench.load import Request, moves
from bench.machine import described
from bench.rounds import Target, compare, counted, say
from bench.stock import begin_all, games_for
from tests.servers import ApiServer, StoreServer, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from api.store import Game
    from tests.playing import Record

WORKERS = (1, 2)
GUNICORNS_OWN = {"Server", "Date", "Connection"}


class Size(NamedTuple):
    """How much is measured."""

    rounds: int
    seconds: int


SIZES = {Form.BRIEF: Size(1, 1), Form.USUAL: Size(5, 3), Form.LONG: Size(15, 5)}


def main() -> None:
    """Measure and print."""
    size = SIZES[form_asked("bench.floor")]
    say(*described("redis", "flask", "gunicorn", "gevent"))
    server = StoreServer(valkey_binary(), "--appendonly", "no").start()
    try:
        for workers in WORKERS:
            _measure(server, games_for(size.seconds, workers), workers, size)
    finally:
        server.close()


def _measure(server: StoreServer, records: Sequence[Record], workers: int, size: Size) -> None:
    store = Store(server.url)
    watched = begin_all(store, records[:1])[0][0]
    api = ApiServer({"SCOUNDREL_REDIS_URL": server.url}, workers)
    try:
        api.start()
        answer = api.get(f"/v1/games/{watched.id}")
        kept = {name: value for name, value in answer.headers.items() if name not in GUNICORNS_OWN}
        bare = ApiServer(
            {
                "SCOUNDREL_REDIS_URL": server.url,
                ANSWER: json.dumps({"headers": kept, "body": answer.body.decode()}),
            },
            workers,
            app="bench.bare:create_app()",
        )
        try:
            bare.start()
            played = partial(_moves, store, records)
            targets = [
                Target("the floor: a bare move", bare, [server], played),
                Target("applyActions", api, [server], played),
                *(Target(name, api, [server], again) for name, again in _repeated(watched)),
            ]
            compare(counted(workers, "worker"), targets, size.rounds, size.seconds)
        finally:
            bare.close()
    finally:
        api.close()


def _moves(store: Store, records: Sequence[Record]) -> Iterator[Request]:
    return moves(begin_all(store, records))


def _repeated(watched: Game) -> Iterator[tuple[str, partial[list[Request]]]]:
    """Yield what is asked again and again."""
    for name, request in (
        ("getGame", Request("GET", f"/v1/games/{watched.id}")),
        ("createGame", Request("POST", "/v1/games", "{}")),
        ("listLedger", Request("GET", "/v1/ledger")),
    ):
        yield name, partial(list, [request])


if __name__ == "__main__":
    main()
