"""The ledger: a finished game gets on its board once, whatever breaks on the way."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from api.moves import play
from api.store import UNAVAILABLE, Board, Mode, Page, Store, board_of
from api.store.ledger import SWEEP_LIMIT
from engine import RULESETS, choose, score
from tests.store.link import Fate, Link, linked
from tests.store.play import (
    DAY,
    LOST,
    WON,
    boards_read,
    create,
    finish,
    move,
    one_short,
    random_record,
    read_board,
    replayed_boards,
    vectors,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from redis import Redis

    from api.store import Game
    from tests.servers import StoreServer

ORIGINAL = Board("original")
CUSTOM = choose("original", {"leave": 2})
HOUR = DAY // 24


def _ids(page: Page | None) -> list[str]:
    assert page is not None
    return [entry.game.id for entry in page.entries]


def _ranks(page: Page) -> list[int]:
    return [entry.rank for entry in page.entries]


def _gone(redis: Redis, *games: Game) -> None:
    redis.delete(*[f"game:{game.id}" for game in games])


def _pending(redis: Redis) -> list[str]:
    return list(redis.zrange("pending", 0, -1))


@pytest.fixture
def ten(store: Store) -> list[Game]:
    """Ten games on the board, the best first: of equal scores, that is the earliest."""
    return [finish(store, WON), *[finish(store) for _ in range(9)]]


# What gets on which board


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_finished_game_is_ranked_with_its_ruleset(store: Store, ruleset: str) -> None:
    game = finish(store, random_record(1, choose(ruleset)))
    assert board_of(game) == Board(ruleset)
    page = store.ledger.page(Board(ruleset), 20)
    assert (page.total, page.cursor) == (1, None)
    assert page.entries == [(1, score(game.state).score, game)]


def test_a_seeded_game_is_ranked_with_its_ruleset_and_seed_alone(store: Store) -> None:
    game = finish(store, mode=Mode.SEEDED)
    assert _ids(store.ledger.page(Board("original", LOST.seed), 20)) == [game.id]
    for board in (ORIGINAL, Board("gamemaker", LOST.seed), Board("original", "other")):
        assert store.ledger.page(board, 20) == (0, [], None)


@pytest.mark.parametrize("mode", Mode)
def test_a_custom_game_is_on_no_board(store: Store, redis: Redis, mode: Mode) -> None:
    game = finish(store, random_record(1, CUSTOM), mode=mode)
    assert game.over
    assert board_of(game) is None
    assert store.ledger.rank(game) is None
    store.ledger.enter(game)
    assert not list(redis.scan_iter("board:*"))
    assert not redis.exists("pending")


def test_an_unfinished_game_is_on_no_board_and_not_pending(store: Store, redis: Redis) -> None:
    one_short(store)
    assert not list(redis.scan_iter("board:*"))
    assert not redis.exists("pending")


def test_a_finished_game_is_no_longer_pending(store: Store, redis: Redis) -> None:
    finish(store)
    assert not redis.exists("pending")


def test_the_boards_are_the_replay_of_the_finished_games(store: Store, redis: Redis) -> None:
    random = Random(4)
    records = vectors()
    for luck in range(150):
        rules = choose(random.choice(list(RULESETS)))
        seed = random.choice(["a", "b", None])
        records.append(random_record(luck, rules if luck % 7 else CUSTOM, seed))
    for record in random.sample(records, len(records)):
        mode = random.choice(list(Mode))
        play_it = random.choice([finish, finish, finish, one_short, create])
        play_it(store, record, mode=mode)
    boards = replayed_boards(store, redis)
    assert len(boards) >= 3 * len(RULESETS)
    assert boards_read(store, redis) == boards
    assert not redis.exists("pending")


# Reading


@pytest.mark.parametrize("limit", [1, 3, 9, 10, 11])
def test_pages_follow_each_other_to_the_end(store: Store, ten: list[Game], limit: int) -> None:
    assert [game_id for _score, game_id in read_board(store, ORIGINAL, limit)] == [
        game.id for game in ten
    ]


@pytest.mark.parametrize("limit", [9, 10])
def test_only_a_page_with_more_behind_it_has_a_cursor(
    store: Store, ten: list[Game], limit: int
) -> None:
    page = store.ledger.page(ORIGINAL, limit)
    assert (page.total, len(page.entries)) == (len(ten), limit)
    assert (page.cursor is None) == (limit == len(ten))


def test_games_that_are_gone_are_skipped_and_count_no_more(
    store: Store, redis: Redis, ten: list[Game]
) -> None:
    _gone(redis, ten[0], ten[2], ten[3], ten[9])
    page = store.ledger.page(ORIGINAL, 4)
    assert _ids(page) == [ten[place].id for place in (1, 4, 5, 6)]
    assert _ranks(page) == [1, 2, 3, 4]
    assert page.cursor is not None
    page = store.ledger.page(ORIGINAL, 4, page.cursor)
    assert _ids(page) == [ten[7].id, ten[8].id]
    assert _ranks(page) == [5, 6]
    assert (page.total, page.cursor) == (6, None)


def test_games_that_are_gone_are_dropped(store: Store, redis: Redis, ten: list[Game]) -> None:
    _gone(redis, *ten[:5])
    store.ledger.page(ORIGINAL, 20)
    assert redis.zcard("board:original") == 5


def test_a_board_whose_games_are_all_gone_is_empty(
    store: Store, redis: Redis, ten: list[Game]
) -> None:
    _gone(redis, *ten)
    assert store.ledger.page(ORIGINAL, 3) == (0, [], None)
    assert not redis.exists("board:original")


def test_a_cursor_is_good_when_its_game_is_gone(
    store: Store, redis: Redis, ten: list[Game]
) -> None:
    page = store.ledger.page(ORIGINAL, 3)
    assert page.cursor is not None
    _gone(redis, ten[2])
    store.ledger.page(ORIGINAL, 3)
    page = store.ledger.page(ORIGINAL, 3, page.cursor)
    assert _ids(page) == [game.id for game in ten[3:6]]
    assert _ranks(page) == [3, 4, 5]


def test_a_page_around_a_game_has_it_in_its_middle(store: Store, ten: list[Game]) -> None:
    page = store.ledger.page_around(ORIGINAL, 5, ten[4])
    assert _ids(page) == [game.id for game in ten[2:7]]
    assert page is not None
    assert _ranks(page) == [3, 4, 5, 6, 7]


def test_a_page_around_the_first_begins_at_the_top(store: Store, ten: list[Game]) -> None:
    assert _ids(store.ledger.page_around(ORIGINAL, 5, ten[0])) == [game.id for game in ten[:5]]
    assert _ids(store.ledger.page_around(ORIGINAL, 5, ten[2])) == [game.id for game in ten[:5]]


def test_a_page_around_the_last_ends_with_it(store: Store, ten: list[Game]) -> None:
    page = store.ledger.page_around(ORIGINAL, 5, ten[9])
    assert _ids(page) == [game.id for game in ten[7:]]
    assert page is not None
    assert page.cursor is None


def test_a_page_of_one_around_a_game_is_that_game(store: Store, ten: list[Game]) -> None:
    for game in ten:
        assert _ids(store.ledger.page_around(ORIGINAL, 1, game)) == [game.id]


def test_there_is_no_page_around_a_game_that_is_not_on_the_board(store: Store) -> None:
    finish(store)
    assert store.ledger.page_around(ORIGINAL, 5, one_short(store)) is None
    assert store.ledger.page_around(ORIGINAL, 5, finish(store, mode=Mode.SEEDED)) is None
    assert store.ledger.page_around(ORIGINAL, 5, finish(store, random_record(1, CUSTOM))) is None


@pytest.mark.parametrize("again", [create, one_short], ids=["not moved", "unfinished"])
def test_an_entry_whose_id_has_a_new_game_by_now_is_dropped(
    store: Store, redis: Redis, again: Callable[..., Game]
) -> None:
    """An id that follows from an idempotency key may come again once its game has expired."""
    first, old = finish(store, WON), finish(store)
    _gone(redis, old)
    again(store, id=old.id)
    page = store.ledger.page(ORIGINAL, 20)
    assert _ids(page) == [first.id]
    assert page.total == 1


def test_a_game_that_a_failover_set_back_is_ranked_by_its_new_end_alone(
    store: Store, redis: Redis
) -> None:
    game = finish(store)
    redis.hset(f"game:{game.id}", mapping={"a": game.log[:-1], "u": game.updated_at - 1})
    before = store.games.read(game.id)
    finished = move(store, before, LOST.actions[-1:])
    store.games.read(game.id)
    redis.hset(f"game:{game.id}", "u", finished.updated_at)
    # The old entry stands for a finish that never was.
    redis.zadd("board:original", {_member(redis, game, finished): 0})
    page = store.ledger.page(ORIGINAL, 20)
    assert [entry.game.updated_at for entry in page.entries] == [finished.updated_at]
