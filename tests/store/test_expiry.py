"""What a store forgets as days and months pass by its own clock, and what it keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from limits import RateLimitItemPerMinute

from api.store import Board, GameNotFound, Mode, Store
from engine import rules_for
from tests.clock import faketime_library
from tests.servers import wait_until
from tests.store.clock import clocked
from tests.store.play import LOST, WON, create, finish, move, one_short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from api.store import Game
    from tests.store.clock import Clocked

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
def time() -> Iterator[Clocked]:
    with clocked() as store:
        yield store


@pytest.fixture
def redis(time: Clocked) -> Iterator[Redis]:
    with time.server.client as client:
        yield client


@pytest.fixture
def store(time: Clocked) -> Store:
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


def test_of_all_that_was_created_only_won_games_and_their_board_are_left_at_last(
    store: Store, redis: Redis, time: Clocked
) -> None:
    untouched = create(store)
    begun = move(store, create(store), LOST.actions[:1])
    won, lost = finish(store, WON), finish(store)
    custom = finish(store, rules=CUSTOM)
    seeded = finish(store, mode=Mode.SEEDED)
    assert store.create_limit is not None
    store.create_limit.take("somebody")
    store.probe()
    boards = {"board:original", f"board:original/{seeded.seed}"}

    def left(*games: Game) -> None:
        """Only these games are left with the boards; the store itself takes the others away."""
        expected = ALWAYS | boards | _keys(*games)
        wait_until(lambda: redis.dbsize() == len(expected))
        assert set(redis.scan_iter("*")) == expected

    assert redis.dbsize() == len(ALWAYS | boards) + 6 + len({"limit", "probe"})
    time.pass_to(60)
    left(untouched, begun, won, lost, custom, seeded)
    time.pass_to(DAY - HOUR)
    left(untouched, begun, won, lost, custom, seeded)
    time.pass_to(DAY)
    left(begun, won, lost, custom, seeded)
    time.pass_to(30 * DAY - HOUR)
    left(begun, won, lost, custom, seeded)
    time.pass_to(30 * DAY)
    boards.remove(f"board:original/{seeded.seed}")
    left(won, lost)
    time.pass_to(60 * DAY - HOUR)
    left(won, lost)
    time.pass_to(60 * DAY)
    left(won)
    time.pass_to(3650 * DAY)
    left(won)
    assert [entry.game.id for entry in store.ledger.page(Board("original"), 10).entries] == [won.id]
    assert redis.zcard("board:original") == 1


def test_a_move_gives_a_game_another_month(store: Store, time: Clocked) -> None:
    game = move(store, create(store), LOST.actions[:1])
    for month, action in enumerate(LOST.actions[1:3], start=1):
        time.pass_to(month * 29 * DAY)
        game = move(store, game, [action])
    time.pass_to(88 * DAY - HOUR)
    assert not _gone(store, game)
    time.pass_to(88 * DAY)
    assert _gone(store, game)


def test_a_newer_finish_keeps_a_seeded_board_and_an_older_entry_goes_with_its_game(
    store: Store, redis: Redis, time: Clocked
) -> None:
    finish(store, mode=Mode.SEEDED)
    time.pass_to(20 * DAY)
    newer = finish(store, mode=Mode.SEEDED)
    board = Board("original", newer.seed)
    time.pass_to(31 * DAY)
    assert [entry.game.id for entry in store.ledger.page(board, 10).entries] == [newer.id]
    time.pass_to(51 * DAY)
    wait_until(lambda: set(redis.scan_iter("*")) == ALWAYS)


def test_the_note_of_a_game_that_expired_unfinished_is_swept_away(
    store: Store, redis: Redis, time: Clocked
) -> None:
    game = one_short(store)
    store.ledger.expect(game)
    time.pass_to(31 * DAY)
    store.ledger.sweep()
    wait_until(lambda: set(redis.scan_iter("*")) == ALWAYS)
