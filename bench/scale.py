"""Growth with workers, boards, games and shards: ``python -m bench.scale``.

Ratios are to the first row of a table.

- Moves with different numbers of workers. wrk and the store share the machine with them.
- Reads of boards of different sizes, on one connection. The entries that are read belong to real
  games: the best, some in the middle, and the last. All other entries have no game.
- Moves in a store with many live games, and in one with few. "cached" plays few of the many games,
  so that the worker has them cached; "uncached" plays one move of each game, so that the worker has
  to read and replay each.
- Moves on Clusters of different sizes, and on a single node.
"""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from api.store import Board, Mode, NewGame, Store
from api.store.board import Member
from bench.comparison import Target, compare
from bench.load import Request, moves
from bench.machine import SERVER_PACKAGES, describe_machine
from bench.rounds import plural, print_lines
from bench.sample_games import MOVES_PER_SECOND, fresh_moves, games_for, start_games
from bench.sizes import size_parser
from engine import replay, rules_for, score
from tests.cluster import Cluster
from tests.engine.play import play
from tests.servers import ApiServer, StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redis import Redis

    from api.store import Game
    from bench.sample_games import StartedGame
    from engine import Action
    from tests.playing import Record


class Size(NamedTuple):
    """Rounds and seconds of each measurement, workers, entries on boards, and live games."""

    rounds: int
    seconds: int
    workers: Sequence[int]
    boards: Sequence[int]
    live: int


BRIEF = Size(1, 1, (1, 2), (1_000, 2_000), 50_000)
DEFAULT = Size(3, 2, (1, 2, 4), (1_000, 100_000, 1_000_000), 1_000_000)
LONG = Size(9, 5, (1, 2, 4, 8), (1_000, 100_000, 1_000_000, 10_000_000), 10_000_000)

PRIMARIES = (1, 2, 3)
CLUSTER_WORKERS = 2

REAL_GAMES = 100
"""Number of real games at each of the three places of a board."""

CANDIDATES = 300
PAGE = 20
BATCH = 10_000

_ADD_ENTRIES = """
for number = ARGV[2], ARGV[3] do
  redis.call('ZADD', KEYS[1], 0, ARGV[1] .. string.format('%022d', number))
end
"""
_COPY_GAMES = """
for number = ARGV[1], ARGV[2] do
  redis.call('COPY', KEYS[number % #KEYS + 1], string.format('game:%022d', number))
end
"""


def main() -> None:
    """Measure and print."""
    size: Size = (
        size_parser("bench.scale", brief=BRIEF, default=DEFAULT, long=LONG).parse_args().size
    )
    print_lines(*describe_machine(*SERVER_PACKAGES))
    _compare_workers(size)
    _compare_boards(size)
    _compare_games(size)
    _compare_shards(size)


# Workers.


def _compare_workers(size: Size) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(_store_server())
        store = Store(server.url)
        targets = [
            Target(
                plural(workers, "worker"),
                stack.enter_context(serving(server, workers)),
                [server],
                partial(fresh_moves, store, games_for(size.seconds, workers)),
            )
            for workers in size.workers
        ]
        compare("applyActions", targets, size.rounds, size.seconds)


# Boards.


class FilledBoard(NamedTuple):
    """A board, and its real games: the best, those in the middle and the last."""

    board: Board
    best: Sequence[Game]
    middle: Sequence[Game]
    last: Sequence[Game]


def _compare_boards(size: Size) -> None:
    with _store_server() as server, serving(server, workers=1) as api, server.client as redis:
        store = Store(server.url)
        requests = {
            f"{total:,} entries": _board_requests(_fill_board(store, redis, total))
            for total in size.boards
        }
        for title in next(iter(requests.values())):
            targets = [
                Target(name, api, [server], partial(list, by_title[title]))
                for name, by_title in requests.items()
            ]
            compare(title, targets, size.rounds, seconds=1, connections=1)


def _fill_board(store: Store, redis: Redis, total: int) -> FilledBoard:
    """Fill the board of a seed with real games at three places, and entries without games."""
    board = Board("original", f"board-{total}")
    best, middle, last = (
        [_finish_game(store, board, actions) for _ in range(REAL_GAMES)]
        for actions in _sample_plays(board)
    )
    without_games = total - 3 * REAL_GAMES
    half, middle_score = without_games // 2, middle[0].member.score
    _add_entries(redis, board, Member(middle_score + 1, 0, ""), range(half))
    _add_entries(redis, board, Member(middle_score - 1, 0, ""), range(half, without_games))
    if redis.zcard(f"board:{board.name}") != total:
        raise RuntimeError(f"the board does not have {total} entries")
    return FilledBoard(board, best, middle, last)


def _sample_plays(board: Board) -> Iterator[tuple[Action, ...]]:
    """Yield the actions of a game with the best, a medium and the worst score."""
    options = rules_for(board.ruleset).options
    seed = board.seed or ""
    games = [play(seed, options, (0.6, 0.1, luck)) for luck in range(CANDIDATES)]
    games.sort(key=lambda game: -(score(game.end).score or 0))
    for place in (0, CANDIDATES // 2, CANDIDATES - 1):
        yield games[place].actions


def _finish_game(store: Store, board: Board, actions: Sequence[Action]) -> Game:
    rules, seed = rules_for(board.ruleset), board.seed or ""
    new = NewGame(
        id=secrets.token_urlsafe(16),
        rules=rules,
        seed=seed,
        mode=Mode.SEEDED,
        player=None,
        locked=False,
    )
    game, _ = store.games.create(new)
    return store.append(game, actions, replay(seed, actions, rules.options))


def _add_entries(redis: Redis, board: Board, prefix: Member, numbers: range) -> None:
    for first in range(numbers.start, numbers.stop, BATCH):
        last = min(first + BATCH, numbers.stop) - 1
        redis.eval(_ADD_ENTRIES, 1, f"board:{board.name}", str(prefix), str(first), str(last))


def _board_requests(filled: FilledBoard) -> dict[str, list[Request]]:
    page = f"/v1/ledger?seed={filled.board.seed}&limit={PAGE}"
    # At a distance from entries without games: reading such an entry would remove it.
    middle = filled.middle[2 * PAGE : -2 * PAGE]
    paths = {
        "listLedger, the best": [page],
        "listLedger, in the middle": [f"{page}&cursor={game.member}" for game in middle],
        "listLedger, the last": [f"{page}&cursor={filled.last[PAGE].member}"],
        "listLedger, around a game": [f"{page}&around={game.id}" for game in middle],
        "getScore, with its rank": [f"/v1/games/{game.id}/score" for game in middle],
    }
    return {title: [Request("GET", path) for path in each] for title, each in paths.items()}


# Games.


def _compare_games(size: Size) -> None:
    records = games_for(size.seconds)
    with ExitStack() as stack:
        few, many = (stack.enter_context(_store_server()) for _ in range(2))
        few_api, many_api = (
            stack.enter_context(serving(server, workers=1)) for server in (few, many)
        )
        copies = _copy_games(many, records, size.live)

        def next_moves(games: int, limit: int | None = None) -> Iterator[Request]:
            return islice(moves(list(islice(copies, games))), limit)

        uncached = MOVES_PER_SECOND * size.seconds
        targets = [
            Target(
                f"{len(records):,} games",
                few_api,
                [few],
                partial(fresh_moves, Store(few.url), records),
            ),
            Target(
                f"{size.live:,} games, cached",
                many_api,
                [many],
                partial(next_moves, len(records)),
            ),
            Target(
                f"{size.live:,} games, uncached",
                many_api,
                [many],
                partial(next_moves, uncached, uncached),
                cached=False,
            ),
        ]
        compare("applyActions, 1 worker", targets, size.rounds, size.seconds)


def _copy_games(server: StoreServer, records: Sequence[Record], live: int) -> Iterator[StartedGame]:
    """Fill a store with copies of games at all stages, and yield a random sample of them."""
    started = start_games(Store(server.url), records)
    keys = [f"game:{game.id}" for game, _ in started]
    with server.client as redis:
        for first in range(0, live, BATCH):
            last = min(first + BATCH, live) - 1
            redis.eval(_COPY_GAMES, len(keys), *keys, str(first), str(last))
    sample = Random(0).sample(range(live), live // 10)  # noqa: S311  # the same every time
    for number in sample:
        game, actions = started[number % len(started)]
        yield replace(game, id=f"{number:022d}"), actions


# Shards.


def _compare_shards(size: Size) -> None:
    records = games_for(size.seconds, CLUSTER_WORKERS)
    with ExitStack() as stack:
        single = stack.enter_context(_store_server())
        stores: dict[str, tuple[str, Sequence[StoreServer]]] = {
            "single node": (single.url, [single])
        }
        for primaries in PRIMARIES:
            cluster = stack.enter_context(
                Cluster(valkey_binary(), "--appendonly", "no", primaries=primaries)
            )
            name = "Cluster of 1 primary" if primaries == 1 else f"Cluster of {primaries} primaries"
            stores[name] = (cluster.url, cluster.nodes)
        targets = [
            Target(
                name,
                stack.enter_context(ApiServer({"SCOUNDREL_REDIS_URL": url}, CLUSTER_WORKERS)),
                nodes,
                partial(fresh_moves, Store(url), records),
            )
            for name, (url, nodes) in stores.items()
        ]
        title = f"applyActions, {plural(CLUSTER_WORKERS, 'worker')}"
        compare(title, targets, size.rounds, size.seconds)


def _store_server() -> StoreServer:
    return StoreServer(valkey_binary(), "--appendonly", "no")


if __name__ == "__main__":
    main()
