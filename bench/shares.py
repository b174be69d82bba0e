"""What a move costs each part: ``python -m bench.shares``.

Plays games through the shipped nginx, one API worker and a redis-server on the shipped
configuration, and prints the processor time that each of them took for a request.
"""

from __future__ import annotations

import time
from threading import Thread

from bench.load import processor_seconds
from tests.deploy.nginx import proxied
from tests.deploy.shipped import RedisServer
from tests.playing import Connection, act, begin, record
from tests.servers import ApiServer

PLAYERS = 4
GAMES = 30


def main() -> None:
    """Play and print."""
    redis = RedisServer().start()
    api = ApiServer({"SCOUNDREL_REDIS_URL": redis.url, "SCOUNDREL_PROXY_HOPS": "1"}, workers=1)
    try:
        api.start()
        with proxied([api.port, api.port]) as proxy:
            assert redis.process  # noqa: S101  # it runs
            assert api.process  # noqa: S101  # likewise
            assert proxy.process  # noqa: S101  # likewise
            parts = {"nginx": proxy.process, "API worker": api.process, "Redis": redis.process}
            before = {name: processor_seconds(part.pid) for name, part in parts.items()}
            began, moves = time.monotonic(), _play(proxy.port)
            took = time.monotonic() - began
            print(f"{moves} moves, {moves / took:.0f} a second")  # noqa: T201  # what it is for
            for name, part in parts.items():
                share = (processor_seconds(part.pid) - before[name]) / moves * 1e6
                print(f"{name:12}{share:8.0f} µs of processor time a move")  # noqa: T201  # likewise
    finally:
        api.close()
        redis.close()


def _play(port: int) -> int:
    played: list[int] = []

    def play(player: int) -> None:
        connection = Connection(port)
        for number in range(GAMES):
            game = record(f"shares-{player}-{number}")
            game_id, _body = begin(connection, game)
            for version, action in enumerate(game.actions):
                act(connection, game_id, version, action)
            played.append(len(game.actions))
        connection.close()

    players = [Thread(target=play, args=(player,)) for player in range(PLAYERS)]
    for thread in players:
        thread.start()
    for thread in players:
        thread.join()
    return sum(played)


if __name__ == "__main__":
    main()
