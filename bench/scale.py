"""How it grows, by workers, boards, games and shards: ``python -m bench.scale``.

Ratios are to a table's first line: of the requests a second, and of the 99th percentile.

- Moves served by one worker, by two and by four. wrk and the store share the machine.
- Reads of boards of three sizes, one request after another. Games behind the entries that are read
  are real: the best, some in the middle, the last. All others are entries alone.
- Moves in a store that holds a million games, beside one that holds some hundreds. "Remembered"
  plays some hundreds of games on, which the worker remembers; "each another" plays one move of each
  game, so that none is: each is read and replayed.
- Moves on a Cluster of one, two and three primaries, beside a single node.
"""

from __future__ import annotations

import secrets
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from api.store import Board, Mode, NewGame, Store
from api.store.board import Member
from bench.forms import Form, form_asked
from bench.load import Request, moves
from bench.machine import described
from bench.rounds import Target, compare, counted, say
from bench.stock import MOST, begin_all, games_for
from engine import replay, rules_for, score
from tests.cluster import Cluster
from tests.engine.play import play
from tests.servers import ApiServer, StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redis import Redis

    from api.store import Game
    from bench.stock import Begun
    from engine import Action
    from tests.playing import Record


class Size(NamedTuple):
    """How much is measured."""

    rounds: int
    seconds: int
    workers: Sequence[int]
    boards: Sequence[int]
    live: int


SIZES = {
    Form.BRIEF: Size(1, 1, (1, 2), (1_000, 2_000), 10_000),
    Form.USUAL: Size(3, 2, (1, 2, 4), (1_000, 100_000, 1_000_000), 1_000_000),
    Form.LONG: Size(9, 5, (1, 2, 4, 8), (1_000, 100_000, 1_000_000, 10_000_000), 10_000_000),
}
PRIMARIES = (1, 2, 3)
CLUSTER_WORKERS = 2

REAL = 100
"""How many games there are behind the entries at each place of a board that is read."""

PLAYS = 300
PAGE = 20
BATCH = 10_000

_ENTRIES = """
for number = ARGV[2], ARGV[3] do
  redis.call('ZADD', KEYS[1], 0, ARGV[1] .. string.format('%022d', number))
end
"""
_COPIES = """
for number = ARGV[1], ARGV[2] do
  redis.call('COPY', KEYS[number % #KEYS + 1], string.format('game:%022d', number))
end
"""


def main() -> None:
    """Measure and print."""
    size = SIZES[form_asked("bench.scale")]
    say(*described("redis", "flask", "gunicorn", "gevent"))
    _by_workers(size)
    _by_boards(size)
    _by_games(games_for(size.seconds), size)
    _by_shards(games_for(size.seconds, CLUSTER_WORKERS), size)


# Workers.


def _by_workers(size: Size) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(_stored())
        store = Store(server.url)
        targets = [
            Target(
                counted(workers, "worker"),
                stack.enter_context(serving(server, workers)),
                [server],
                partial(_moves, store, games_for(size.seconds, workers)),
            )
            for workers in size.workers
        ]
        compare("applyActions", targets, size.rounds, size.seconds)


# Boards.


class Filled(NamedTuple):
    """A board, and the real games on it: the best, those in the middle and the last."""

    total: int
    board: Board
    best: Sequence[Game]
    middle: Sequence[Game]
    last: Sequence[Game]


def _by_boards(size: Size) -> None:
    with _stored() as server, serving(server, workers=1) as api, server.client as redis:
        store = Store(server.url)
        boards = [_filled(store, redis, total) for total in size.boards]
        for name in _requests(boards[0]):
            targets = [
                Target(
                    f"{filled.total:,} entries",
                    api,
                    [server],
                    partial(list, _requests(filled)[name]),
                )
                for filled in boards
            ]
            compare(name, targets, size.rounds, seconds=1, connections=1)


def _filled(store: Store, redis: Redis, total: int) -> Filled:
    """Fill a board of a seed: games at three places, and entries alone between them."""
    board = Board("original", f"board-{total}")
    best, middle, last = (
        [_finished(store, board, actions) for _ in range(REAL)] for actions in _plays(board)
    )
    alone = total - 3 * REAL
    half, middling = alone // 2, middle[0].member.score
    _fill(redis, board, Member(middling + 1, 0, ""), range(half))
    _fill(redis, board, Member(middling - 1, 0, ""), range(half, alone))
    if redis.zcard(f"board:{board.name}") != total:
        raise RuntimeError(f"the board has not {total} entries")
    return Filled(total, board, best, middle, last)


def _plays(board: Board) -> Iterator[tuple[Action, ...]]:
    """Yield the actions of three games: a good one, a middling and a bad one."""
    options = rules_for(board.ruleset).options
    seed = board.seed or ""
    games = [play(seed, options, (0.6, 0.1, luck)) for luck in range(PLAYS)]
    games.sort(key=lambda game: -(score(game.end).score or 0))
    for place in (0, PLAYS // 2, PLAYS - 1):
        yield games[place].actions


def _finished(store: Store, board: Board, actions: Sequence[Action]) -> Game:
    rules, seed = rules_for(board.ruleset), board.seed or ""
    new = NewGame(secrets.token_urlsafe(16), rules, seed, Mode.SEEDED, None, locked=False)
    game, _ = store.games.create(new)
    return store.append(game, actions, replay(seed, actions, rules.options))


def _fill(redis: Redis, board: Board, like: Member, numbers: range) -> None:
    for first in range(numbers.start, numbers.stop, BATCH):
        last = min(first + BATCH, numbers.stop) - 1
        redis.eval(_ENTRIES, 1, f"board:{board.name}", str(like), str(first), str(last))


def _requests(filled: Filled) -> dict[str, list[Request]]:
    page = f"/v1/ledger?seed={filled.board.seed}&limit={PAGE}"
    # Far from the entries alone: what a page finds without its game it drops, and looks for more.
    inside = filled.middle[2 * PAGE : -2 * PAGE]
    return {
        "listLedger, the best": [Request("GET", page)],
        "listLedger, in the middle": [
            Request("GET", f"{page}&cursor={game.member}") for game in inside
        ],
        "listLedger, the last": [Request("GET", f"{page}&cursor={filled.last[PAGE].member}")],
        "listLedger, around a game": [
            Request("GET", f"{page}&around={game.id}") for game in inside
        ],
        "getScore, with its rank": [
            Request("GET", f"/v1/games/{game.id}/score") for game in inside
        ],
    }


# Games.


def _by_games(records: Sequence[Record], size: Size) -> None:
    with ExitStack() as stack:
        few, many = (stack.enter_context(_stored()) for _ in range(2))
        beside_few, beside_many = (
            stack.enter_context(serving(server, workers=1)) for server in (few, many)
        )
        live = _copied(many, records, size.live)
        each = MOST * size.seconds
        targets = [
            Target(
                f"{len(records):,} games",
                beside_few,
                [few],
                partial(_moves, Store(few.url), records),
            ),
            Target(
                f"{size.live:,} games, remembered",
                beside_many,
                [many],
                partial(_some, live, len(records)),
            ),
            Target(
                f"{size.live:,} games, each another",
                beside_many,
                [many],
                lambda: islice(_some(live, each), each),
                back=False,
            ),
        ]
        compare("applyActions, 1 worker", targets, size.rounds, size.seconds)


def _copied(server: StoreServer, records: Sequence[Record], live: int) -> Iterator[Begun]:
    """Fill a store with copies of games in all stages, and yield some of them at random."""
    begun = begin_all(Store(server.url), records)
    keys = [f"game:{game.id}" for game, _ in begun]
    with server.client as redis:
        for first in range(0, live, BATCH):
            last = min(first + BATCH, live) - 1
            redis.eval(_COPIES, len(keys), *keys, str(first), str(last))
    chosen = Random(0).sample(range(live), live // 10)  # noqa: S311  # the same each time
    for number in chosen:
        game, actions = begun[number % len(begun)]
        yield game._replace(id=f"{number:022d}"), actions


def _some(live: Iterator[Begun], number: int) -> Iterator[Request]:
    """Yield the moves of games that nobody has played yet."""
    return moves(list(islice(live, number)))


# Shards.


def _by_shards(records: Sequence[Record], size: Size) -> None:
    with ExitStack() as stack:
        single = stack.enter_context(_stored())
        stores: list[tuple[str, str, Sequence[StoreServer]]] = [
            ("a single node", single.url, [single])
        ]
        for primaries in PRIMARIES:
            cluster = Cluster(valkey_binary(), "--appendonly", "no", primaries=primaries)
            stack.callback(cluster.close)
            cluster.start()
            name = f"a Cluster of {primaries} primar{'ies' if primaries > 1 else 'y'}"
            stores.append((name, cluster.url, cluster.nodes))
        targets = [
            Target(
                name,
                stack.enter_context(_api(url)),
                servers,
                partial(_moves, Store(url), records),
            )
            for name, url, servers in stores
        ]
        compare(
            f"applyActions, {counted(CLUSTER_WORKERS, 'worker')}",
            targets,
            size.rounds,
            size.seconds,
        )


# What all need.


@contextmanager
def _stored() -> Iterator[StoreServer]:
    with StoreServer(valkey_binary(), "--appendonly", "no") as server:
        yield server


@contextmanager
def _api(url: str) -> Iterator[ApiServer]:
    with ApiServer({"SCOUNDREL_REDIS_URL": url}, workers=CLUSTER_WORKERS) as api:
        yield api


def _moves(store: Store, records: Sequence[Record]) -> Iterator[Request]:
    return moves(begin_all(store, records))


if __name__ == "__main__":
    main()
