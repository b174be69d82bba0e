"""Create and play games directly in a store, and compute the expected boards."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.store import Board, Mode, NewGame
from engine import Record, Status, from_log, parse_action, parse_notation, replay, rules_for, score
from tests.engine import play as players

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis import Redis

    from api.store import Game, Store
    from engine import Action, Rules, State

DAY = 24 * 60 * 60 * 1000
LONGEST = 288

LOST = parse_notation("original/lost-1/8Sb 4Cb 7Sb 3D 5Cb")
"""A short game."""

_VECTORS = Path(__file__).parents[2] / "openapi" / "vectors" / "games.json"


def vectors() -> list[Record]:
    """Return whole games of every ruleset and many options, half of them won."""
    return [
        Record(
            rules_for(game["ruleset"], game["options"]),
            game["seed"],
            tuple(map(parse_action, game["actions"])),
        )
        for game in json.loads(_VECTORS.read_text())
    ]


WON = next(
    record
    for record in vectors()
    if replay(record.seed, record.actions, record.rules.options).status is Status.WON
)
"""A won game of the original ruleset."""


def random_record(luck: int, rules: Rules | None = None, seed: str | None = None) -> Record:
    """Return a randomly played game; the same arguments return the same game."""
    rules = rules or rules_for()
    seed = seed or f"random-{luck}"
    return Record(rules, seed, players.play(seed, rules.options, (0.6, 0.1, luck)).actions)


def longest() -> Record:
    """Return a game with the largest possible number of actions.

    All 44 cards are drawn and faced, 40 rooms are avoided and their 160 cards are drawn again.
    """
    rules = rules_for("original", {"draw": "manual", "avoiding": "always", "health": 99})
    for seed in map(str, count()):
        actions = players.play(seed, rules.options, (1.0, 1.0, 0)).actions
        if len(actions) == LONGEST:
            return Record(rules, seed, actions)
    raise AssertionError


def new_game(record: Record = LOST, **changes: Any) -> NewGame:  # noqa: ANN401  # any field value
    """Return a new ranked game; ``changes`` override its fields."""
    return replace(
        NewGame(
            id=secrets.token_urlsafe(16),
            rules=record.rules,
            seed=record.seed,
            mode=Mode.STANDARD,
            player=None,
            locked=False,
        ),
        **changes,
    )


def create(store: Store, record: Record = LOST, **changes: Any) -> Game:  # noqa: ANN401  # any field value
    """Create a game without moves."""
    game, created = store.games.create(new_game(record, **changes))
    assert created
    return game


def state_after(game: Game, actions: Sequence[Action]) -> State:
    """Return the state after appending ``actions`` to the game's log."""
    return replay(game.seed, (*from_log(game.log), *actions), game.rules.options)


def move(store: Store, game: Game, actions: Sequence[Action]) -> Game:
    """Append actions to a game in one batch."""
    return store.append(game, actions, state_after(game, actions))


def one_short(store: Store, record: Record = LOST, **changes: Any) -> Game:  # noqa: ANN401  # any field value
    """Create a game and play all of it but the last action."""
    return move(store, create(store, record, **changes), record.actions[:-1])


def finish(store: Store, record: Record = LOST, **changes: Any) -> Game:  # noqa: ANN401  # any field value
    """Create a game and play all of it."""
    return move(store, create(store, record, **changes), record.actions)


def clock(redis: Redis) -> int:
    """Return the store's time in milliseconds since 1970."""
    seconds, microseconds = redis.time()
    return int(seconds) * 1000 + int(microseconds) // 1000


def pending(redis: Redis) -> list[str]:
    """Return the ids of pending games (about to be finished), oldest note first."""
    return [str(game_id) for game_id in redis.zrange("pending", 0, -1)]


def age(redis: Redis, milliseconds: int) -> None:
    """Make every note of a pending game older."""
    for game_id in pending(redis):
        redis.zincrby("pending", -milliseconds, game_id)


Ranking = list[tuple[int, str]]
"""Scores and ids of the games on a board, best first."""


def replayed_boards(store: Store, redis: Redis) -> dict[Board, Ranking]:
    """Return the expected boards: every finished game in the store, replayed and sorted."""
    boards: dict[Board, list[tuple[int, int, str]]] = {}
    for key in redis.scan_iter("game:*"):
        game = store.games.read(key.removeprefix("game:"))
        total = score(replay(game.seed, from_log(game.log), game.rules.options)).score
        if total is not None and not game.rules.custom:
            seed = game.seed if game.mode is Mode.SEEDED else None
            board = boards.setdefault(Board(game.rules.ruleset, seed), [])
            board.append((-total, game.updated_at, game.id))
    return {
        board: [(-negated, game_id) for negated, _time, game_id in sorted(entries)]
        for board, entries in boards.items()
    }


def boards_read(store: Store, redis: Redis) -> dict[Board, Ranking]:
    """Return all boards in the store, read page by page."""
    boards = {}
    for key in redis.scan_iter("board:*"):
        ruleset, _, seed = key.removeprefix("board:").partition("/")
        board = Board(ruleset, seed or None)
        boards[board] = read_board(store, board)
    return boards


def read_board(store: Store, board: Board, limit: int = 7) -> Ranking:
    """Return a whole board, read page by page, and check that ranks count from 1 without gaps."""
    ranking: Ranking = []
    cursor: str | None = ""
    while cursor is not None:
        page = store.ledger.page(board, limit, cursor)
        places = range(len(ranking) + 1, len(ranking) + len(page.entries) + 1)
        assert [entry.rank for entry in page.entries] == list(places)
        ranking += [(entry.score, entry.game.id) for entry in page.entries]
        cursor = page.cursor
    return ranking
