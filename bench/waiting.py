"""What waiting for a replica costs a last move: ``python -m bench.waiting [redis] [--brief]``.

One client plays short games to their end by two API servers in turn, of which one waits for a
replica and the other for none, on a Cluster of three primaries and three replicas on this machine
that write before they answer. Redis if said, else the embedded Valkey.
"""

from __future__ import annotations

import sys
from statistics import median, quantiles
from time import perf_counter

from bench.machine import described
from tests.cluster import Cluster
from tests.playing import FOOLISH, Connection, act, begin, record
from tests.servers import ApiServer, redis_binary, valkey_binary

GAMES = 300
BRIEF = 10


def main() -> None:
    """Measure and print."""
    binary = redis_binary() if "redis" in sys.argv[1:] else valkey_binary()
    if binary is None:
        sys.exit("no redis-server on the PATH")
    cluster = Cluster(binary, replicas=1)
    apis: dict[int, ApiServer] = {}
    try:
        cluster.start()
        for replicas in (0, 1):
            settings = {
                "SCOUNDREL_REDIS_URL": cluster.url,
                "SCOUNDREL_WAIT_REPLICAS": str(replicas),
            }
            apis[replicas] = ApiServer(settings, workers=1).start()
        took: dict[int, list[float]] = {replicas: [] for replicas in apis}
        for number in range(BRIEF if "--brief" in sys.argv[1:] else GAMES):
            for replicas, api in apis.items():
                took[replicas].append(_last_move(api.port, number))
    finally:
        for api in apis.values():
            api.close()
        cluster.close()
    print("\n".join(described()))  # noqa: T201  # what it is for
    print(f"\n{'milliseconds of a last move':30}{'p50':>8}{'p90':>8}")  # noqa: T201  # likewise
    for replicas, times in took.items():
        name = f"{'one' if replicas else 'no'} replica waited for"
        figures = f"{median(times):8.2f}{quantiles(times, n=10)[-1]:8.2f}"
        print(f"{name:30}{figures}")  # noqa: T201  # likewise


def _last_move(port: int, number: int) -> float:
    """Play a game, and return how many milliseconds its last move took."""
    client = Connection(port)
    game = record(f"waiting-{number}", player=FOOLISH)
    game_id, _body = begin(client, game)
    for version, action in enumerate(game.actions):
        began = perf_counter()
        act(client, game_id, version, action)
    took = perf_counter() - began
    client.close()
    return took * 1000


if __name__ == "__main__":
    main()
