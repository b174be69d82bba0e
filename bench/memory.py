"""How much memory games and board entries take in a store: ``python -m bench.memory``.

Games are written through ``api.store``, on Debian's Redis and on the Valkey that comes along, with
the shipped limit for compact hashes. Bytes are those that the store's ``used_memory`` grew by, but
for connections, shared out, and beside them what ``MEMORY USAGE`` says of a game. The former have
the tables of keys in them, which double now and then: with another number of games they are some
bytes more or less.

The last line says what each field adds to the compact form of a game. Redis allocates that in steps
(96, 112, 128, 160, 192, 224, 256 bytes), so that a byte less may save nothing, or 32.
"""

from __future__ import annotations

import secrets
import time
from statistics import fmean
from typing import TYPE_CHECKING, Any, cast

from api.store import Mode, NewGame, Store
from bench.forms import Form, form_asked
from bench.machine import described
from bench.rounds import say
from engine import parse_action, replay, rules_for
from tests.playing import record
from tests.servers import StoreServer, redis_binary, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis import Redis

    from api.store import Game
    from tests.playing import Record

GAMES = {Form.BRIEF: 500, Form.USUAL: 10_000, Form.LONG: 100_000}
SAMPLE = 500
WARM_UP = 20
BATCH = 1_000
SETTLE = 0.5
PLAYER = "Rogue"

TARGET = {"a game halfway": 210, "a game halfway, never to expire": 170}
"""What is aimed at, in bytes, on Redis 7."""

_COPY = "bench:copy"
_AROUND = 13
"""Bytes that DUMP puts around a hash of 64 bytes and more: type, length, version, checksum."""


def main() -> None:
    """Measure and print."""
    number = GAMES[form_asked("bench.memory")]
    say(*described("redis"))
    records = [record(secrets.token_urlsafe(24)) for _ in range(number)]
    for binary in (redis_binary(), valkey_binary()):
        if binary is None:
            say("", "Redis is left out: no redis-server on the PATH")
            continue
        server = StoreServer(binary, "--appendonly", "no").start()
        try:
            with server.client as redis:
                _measure(Store(server.url), redis, records)
        finally:
            server.close()


def _measure(store: Store, redis: Redis, records: Sequence[Record]) -> None:
    info: Any = redis.info("server")
    length = fmean(len(played.actions) for played in records)
    say(
        "",
        f"{info.get('server_name', 'redis')} {info.get('valkey_version', info['redis_version'])}, "
        f"{len(records)} games of {length:.0f} actions on average, of a player called {PLAYER}",
        f"{'bytes each':34}{'used_memory':>14}{'MEMORY USAGE':>14}{'target':>8}",
    )
    for played in records[:WARM_UP]:
        store.ledger.enter(_played(store, store.games.create(_new(played.seed))[0], played.actions))
    start = _used(redis)
    games = [store.games.create(_new(played.seed))[0] for played in records]
    _tell(redis, "a game dealt", start, games)
    halves = [played.actions[: len(played.actions) // 2] for played in records]
    games = [_played(store, *pair) for pair in zip(games, halves, strict=True)]
    _tell(redis, "a game halfway", start, games)
    _in_batches(redis, [("PERSIST", _key(game)) for game in games])
    _tell(redis, "a game halfway, never to expire", start, games)
    wholes = [played.actions for played in records]
    games = [_played(store, *pair) for pair in zip(games, wholes, strict=True)]
    _tell(redis, "a game over", start, games)
    over = _used(redis)
    for game in games:
        store.ledger.enter(game)
    say(f"{'its entry on a board':34}{(_used(redis) - over) / len(games):14.0f}")
    say(f"the compact form of a game over: {_fields(redis, games[:SAMPLE])}")


def _tell(redis: Redis, what: str, start: int, games: Sequence[Game]) -> None:
    grown = (_used(redis) - start) / len(games)
    sizes = [("MEMORY", "USAGE", _key(game)) for game in games[:SAMPLE]]
    each = fmean(_in_batches(redis, sizes))
    say(f"{what:34}{grown:14.0f}{each:14.0f}{TARGET.get(what, ''):>8}")


def _new(seed: str) -> NewGame:
    return NewGame(
        secrets.token_urlsafe(16), rules_for(), seed, Mode.STANDARD, PLAYER, locked=False
    )


def _played(store: Store, game: Game, actions: Sequence[str]) -> Game:
    """Play a game on, up to the last of ``actions``."""
    line = [parse_action(text) for text in actions]
    after = replay(game.seed, line, game.rules.options)
    return store.games.append(game, line[len(game.log) :], after)


def _used(redis: Redis) -> int:
    """Return the bytes in use, once the store has put its tables in order."""
    time.sleep(SETTLE)
    memory: Any = redis.info("memory")
    return int(memory["used_memory"]) - int(memory["mem_clients_normal"])


def _fields(redis: Redis, games: Sequence[Game]) -> str:
    """Return how long the compact form of a game is, and what each of its fields adds to it."""
    redis.config_set("rdbcompression", "no")
    whole: list[int] = []
    without: dict[str, list[int]] = {}
    for game in games:
        whole.append(_dumped(redis, _key(game)))
        for field in cast("list[str]", redis.hkeys(_key(game))):
            redis.copy(_key(game), _COPY, replace=True)
            redis.hdel(_COPY, field)
            without.setdefault(field, []).append(_dumped(redis, _COPY))
    redis.delete(_COPY)
    costs = {field: fmean(whole) - fmean(sizes) for field, sizes in without.items()}
    told = ", ".join(f"{field} {costs[field]:.0f}" for field in sorted(costs))
    return f"{fmean(whole):.0f} B; of these {told}"


def _dumped(redis: Redis, key: str) -> int:
    return len(cast("bytes", redis.dump(key))) - _AROUND


def _in_batches(redis: Redis, commands: Sequence[tuple[str, ...]]) -> list[int]:
    """Send commands, many at a time, and return what they return."""
    replies: list[int] = []
    for start in range(0, len(commands), BATCH):
        pipeline = redis.pipeline(transaction=False)
        for command in commands[start : start + BATCH]:
            pipeline.execute_command(*command)  # type: ignore[no-untyped-call]  # redis-py
        replies += pipeline.execute()
    return replies


def _key(game: Game) -> str:
    return f"game:{game.id}"


if __name__ == "__main__":
    main()
