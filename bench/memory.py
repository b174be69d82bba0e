"""How much memory games and board entries take in a store: ``python -m bench.memory``.

Runs a redis-server of its own on the shipped configuration.
"""

from __future__ import annotations

import secrets
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from redis import Redis
from redis.exceptions import RedisError

from api.store import Mode, NewGame, Store
from engine import Status, begin, choose, legal_actions, replay, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine import Action

GAMES = 10_000
SHIPPED = Path(__file__).parents[1] / "deploy" / "redis.conf"


def main() -> None:
    """Measure and print."""
    rules = choose()
    with _redis() as (url, redis):
        store = Store(url)
        store.games.create(_new("warm-up"))

        def used() -> int:
            return int(redis.info("memory")["used_memory"])

        def step(what: str, before: int) -> int:
            now = used()
            print(f"{what:44}{(now - before) / GAMES:8.0f} B each")  # noqa: T201  # what it is for
            return now

        start = used()
        games = [store.games.create(_new(secrets.token_urlsafe(24)))[0] for _ in range(GAMES)]
        step("a game, dealt", start)
        lines = [_played(game.seed) for game in games]
        for place, (game, line) in enumerate(zip(games, lines, strict=True)):
            half = line[: len(line) // 2]
            games[place] = store.games.append(game, half, replay(game.seed, half, rules.options))
        step("a game, halfway", start)
        for game, line in zip(games, lines, strict=True):
            after = replay(game.seed, line, rules.options)
            store.games.append(game, line[len(game.log) :], after)
        over = step("a game, over", start)
        for game in games:
            store.ledger.enter(store.games.read(game.id))
        step("its entry on a board", over)


def _new(seed: str) -> NewGame:
    return NewGame(secrets.token_urlsafe(16), choose(), seed, Mode.STANDARD, "Rogue", locked=False)


def _played(seed: str) -> list[Action]:
    """Play a game at random, but not away; as long as such games are."""
    luck = Random(seed)  # noqa: S311  # play
    state, line = begin(seed, choose().options).state, []
    while state.status is Status.PLAYING:
        line.append(luck.choice(legal_actions(state)))
        state = [*steps(seed, line, choose().options)][-1].state
    return line


@contextmanager
def _redis() -> Iterator[tuple[str, Redis]]:
    with tempfile.TemporaryDirectory() as directory, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        server = subprocess.Popen(  # noqa: S603  # a program of ours to start
            ["redis-server", SHIPPED, "--port", str(port), "--bind", "127.0.0.1"],  # noqa: S607  # the system's
            cwd=directory,
            stdout=subprocess.DEVNULL,
        )
        redis = Redis(port=port)
        try:
            for _ in range(100):
                try:
                    redis.ping()
                    break
                except RedisError:
                    time.sleep(0.05)
            yield f"redis://127.0.0.1:{port}/0", redis
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
