"""Expiry over days and months of the store's own clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from limits import RateLimitItemPerMinute

from api.store import Board, GameNotFound, Mode, Store
from engine import rules_for
from tests.clock import faketime_library
from tests.servers import wait_until
from tests.store.clock import fake_clock_store
from tests.store.play import LOST, WON, create, finish, move, one_short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from api.store import Game
    from tests.store.clock import FakeClockStore

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        faketime_library() is None,
        reason="no libfaketime: scripts/apt-packages.sh installs it on Debian as root",
    ),
]

HOUR = 60 * 60
DAY = 24 * HOUR
CUSTOM = rules_for("original", {"bonus": "none"})
ALWAYS = {"secret", "secret:fingerprint"}


@pytest.fixture
def time() -> Iterator[FakeClockStore]:
    with fake_clock_store() as store:
        yield store


@pytest.fixture
def redis(time: FakeClockStore) -> Iterator[Redis]:
    with time.server.client as client:
        yield client


@pytest.fixture
def store(time: FakeClockStore) -> Store:
    store = Store(time.server.url, keep_lost_days=60, create_limit=RateLimitItemPerMinute(5))
    store.secret.check()
    return store


def _keys(*games: Game) -> set[str]:
    return {f"game:{game.id}" for game in games}


def _gone(store: Store, game: Game) -> bool:
    try:
        store.games.read(game.id)
    except GameNotFound:
        return True
    return False


def test_everything_expires_except_won_games_and_their_board(
    store: Store, redis: Redis, time: FakeClockStore
) -> None:
    untouched = create(store)
    begun = move(store, create(store), LOST.actions[:1])
    won, lost = finish(store, WON), finish(store)
    custom = finish(store, rules=CUSTOM)
    seeded = finish(store, mode=Mode.SEEDED)
    assert store.create_limit is not None
    store.create_limit.take("client")
    store.probe()
    boards = {"board:original", f"board:original/{seeded.seed}"}

    def left(*games: Game) -> None:
        """Check that the store has expired everything but the boards and these games."""
        expected = ALWAYS | boards | _keys(*games)
        wait_until(lambda: redis.dbsize() == len(expected))
        assert set(redis.scan_iter("*")) == expected

    assert redis.dbsize() == len(ALWAYS | boards) + 6 + len({"limit", "probe"})
    time.advance_to(60)
    left(untouched, begun, won, lost, custom, seeded)
    time.advance_to(DAY - HOUR)
    left(untouched, begun, won, lost, custom, seeded)
    time.advance_to(DAY)
    left(begun, won, lost, custom, seeded)
    time.advance_to(30 * DAY - HOUR)
    left(begun, won, lost, custom, seeded)
    time.advance_to(30 * DAY)
    boards.remove(f"board:original/{seeded.seed}")
    left(won, lost)
    time.advance_to(60 * DAY - HOUR)
    left(won, lost)
    time.advance_to(60 * DAY)
    left(won)
    time.advance_to(3650 * DAY)
    left(won)
    assert [entry.game.id for entry in store.ledger.page(Board("original"), 10).entries] == [won.id]
    assert redis.zcard("board:original") == 1


def test_a_move_extends_a_game_by_30_days(store: Store, time: FakeClockStore) -> None:
    game = move(store, create(store), LOST.actions[:1])
    for month, action in enumerate(LOST.actions[1:3], start=1):
        time.advance_to(month * 29 * DAY)
        game = move(store, game, [action])
    time.advance_to(88 * DAY - HOUR)
    assert not _gone(store, game)
    time.advance_to(88 * DAY)
    assert _gone(store, game)


def test_a_newer_finish_extends_a_seeded_board_and_expired_games_leave_it(
    store: Store, redis: Redis, time: FakeClockStore
) -> None:
    finish(store, mode=Mode.SEEDED)
    time.advance_to(20 * DAY)
    newer = finish(store, mode=Mode.SEEDED)
    board = Board("original", newer.seed)
    time.advance_to(31 * DAY)
    assert [entry.game.id for entry in store.ledger.page(board, 10).entries] == [newer.id]
    time.advance_to(51 * DAY)
    wait_until(lambda: set(redis.scan_iter("*")) == ALWAYS)


def test_a_sweep_drops_the_note_of_an_unfinished_game_that_expired(
    store: Store, redis: Redis, time: FakeClockStore
) -> None:
    game = one_short(store)
    store.ledger.expect(game)
    time.advance_to(31 * DAY)
    store.ledger.sweep()
    wait_until(lambda: set(redis.scan_iter("*")) == ALWAYS)
