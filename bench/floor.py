"""The API compared with its floor: ``python -m bench.floor [--workers N ...]``.

The floor is :mod:`bench.baseline`: a bare WSGI callable that makes the two store calls of a move,
on the same store, with the same gunicorn settings, and sends the same bytes. Ratios are to the
floor.

Games are at all stages and have been read once, so that the workers have them cached. All moves of
a game go over one connection. Final moves are included: the API enters those games in the ledger,
the floor does not.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from api.store import Store
from bench.baseline import RESPONSE
from bench.comparison import Target, compare
from bench.load import Request
from bench.machine import SERVER_PACKAGES, describe_machine
from bench.rounds import plural, print_lines
from bench.sample_games import fresh_moves, games_for, start_games
from bench.sizes import size_parser
from tests.servers import ApiServer, StoreServer, valkey_binary

if TYPE_CHECKING:
    from tests.servers import Reply

GUNICORN_HEADERS = {"Server", "Date", "Connection"}


class Size(NamedTuple):
    """Rounds, and seconds of each measurement."""

    rounds: int
    seconds: int


def main() -> None:
    """Measure and print."""
    parser = size_parser("bench.floor", brief=Size(1, 1), default=Size(5, 3), long=Size(15, 5))
    parser.add_argument(
        "--workers",
        type=int,
        nargs="+",
        default=[1, 2],
        metavar="N",
        help="numbers of workers, a table for each (default: 1 2)",
    )
    arguments = parser.parse_args()
    print_lines(*describe_machine(*SERVER_PACKAGES))
    with StoreServer(valkey_binary(), "--appendonly", "no") as server:
        for workers in arguments.workers:
            _measure(server, workers, arguments.size)


def _measure(server: StoreServer, workers: int, size: Size) -> None:
    store, records = Store(server.url), games_for(size.seconds, workers)
    game, _ = start_games(store, records[:1])[0]
    path = f"/v1/games/{game.id}"
    environment = {"SCOUNDREL_REDIS_URL": server.url}
    with ApiServer(environment, workers) as api:
        environment |= {RESPONSE: _response_setting(api.get(path))}
        with ApiServer(environment, workers, app="bench.baseline:create_app()") as floor:
            moves = partial(fresh_moves, store, records)
            others = {
                "getGame": Request("GET", path),
                "createGame": Request("POST", "/v1/games", "{}"),
                "listLedger": Request("GET", "/v1/ledger"),
            }
            targets = [
                Target("floor: a move without the API", floor, [server], moves),
                Target("applyActions", api, [server], moves),
                *(
                    Target(name, api, [server], partial(list, [request]))
                    for name, request in others.items()
                ),
            ]
            compare(plural(workers, "worker"), targets, size.rounds, size.seconds)


def _response_setting(reply: Reply) -> str:
    headers = {name: value for name, value in reply.headers.items() if name not in GUNICORN_HEADERS}
    return json.dumps({"headers": headers, "body": reply.body.decode()})


if __name__ == "__main__":
    main()
