"""The driver finds what it is there to find: each invariant fails where it is broken by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from engine import from_log, to_log
from tests.api.documented import Undocumented
from tests.faults import invariants
from tests.faults.driver import Driver
from tests.faults.invariants import Played, check_game
from tests.ports import free_port
from tests.servers import Reply, StoreServer, serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from redis import Redis

    from tests.faults.exchanges import Exchange
    from tests.faults.invariants import Stored

KEPT = -math.inf
LOST = math.inf


@pytest.fixture(scope="module")
def driver(store: StoreServer) -> Iterator[Driver]:
    """Players who have finished some games, and stopped."""
    with serving(store) as api:
        with Driver(api.port, seed="driver") as driver:
            driver.play()
            driver.recovered()
            driver.play()
        driver.check(store)
        yield driver


@pytest.fixture(scope="module")
def redis(store: StoreServer) -> Iterator[Redis]:
    with store.client as client:
        yield client


@pytest.fixture
def stored(driver: Driver, redis: Redis) -> dict[str, Stored]:
    """The games as they lie in the store, to be tampered with."""
    assert driver.exchanges
    return invariants.stored_games(redis)


@pytest.fixture
def played(driver: Driver, stored: Mapping[str, Stored]) -> Played:
    """What was asked about a game that was finished and is ranked."""
    games = invariants.by_game(driver.exchanges)
    return next(games[game.id] for game in stored.values() if game.total and game.board)


def moves(played: Played) -> list[Exchange]:
    return [exchange for exchange in played.exchanges if exchange.moves and exchange.acknowledged]


def answered(exchange: Exchange, status: int = 200, **changes: Any) -> Exchange:  # noqa: ANN401  # whatever JSON has
    """Return an exchange that was answered otherwise."""
    assert exchange.reply is not None
    body = json.dumps({**exchange.json, **changes}).encode()
    return replace(exchange, reply=Reply(status, exchange.reply.headers, body))


def test_what_was_played_passes(played: Played, stored: Mapping[str, Stored]) -> None:
    assert check_game(played, stored[played.id], KEPT) == 0


def test_a_lost_move_is_found(played: Played, stored: Mapping[str, Stored]) -> None:
    game = stored[played.id]
    game = game._replace(log=game.log[:-1], steps=game.steps[:-1])
    with pytest.raises(AssertionError, match="is not in the log"):
        check_game(played, game, KEPT)


def test_a_lost_move_is_counted_where_moves_may_be_lost(
    played: Played, stored: Mapping[str, Stored]
) -> None:
    game = stored[played.id]
    assert check_game(played, game._replace(log="", steps=game.steps[:1]), LOST)


def test_a_lost_game_is_found(played: Played) -> None:
    with pytest.raises(AssertionError, match="the game is gone"):
        check_game(played, None, KEPT)
    assert check_game(played, None, LOST)


def test_a_game_that_was_denied_is_found(played: Played, stored: Mapping[str, Stored]) -> None:
    denied = replace(moves(played)[0], method="GET", reply=Reply(404, {}, b"{}"))
    with pytest.raises(AssertionError, match="the game is there"):
        check_game(Played(played.id, [*played.exchanges, denied]), stored[played.id], KEPT)


def test_a_move_that_nobody_asked_for_is_found(
    played: Played, stored: Mapping[str, Stored]
) -> None:
    asked = [exchange for exchange in played.exchanges if exchange.creates]
    with pytest.raises(AssertionError, match="nobody asked for"):
        check_game(Played(played.id, asked), stored[played.id], KEPT)


def test_a_request_that_was_carried_out_in_part_is_found(
    played: Played, stored: Mapping[str, Stored]
) -> None:
    game = stored[played.id]
    first = moves(played)[0]
    whole = [str(game.steps[0].state.legal[0]), "avoid"]
    asked = replace(first, body={"version": 0, "actions": whole}, reply=None)
    half = to_log(game.steps[0].state.legal[:1])
    with pytest.raises(AssertionError, match="nobody asked for"):
        check_game(Played(played.id, [asked]), game._replace(log=half), KEPT)


def test_a_move_that_was_carried_out_twice_is_found(
    played: Played, stored: Mapping[str, Stored]
) -> None:
    fresh = next(exchange for exchange in moves(played) if not exchange.replayed)
    with pytest.raises(AssertionError, match="played twice"):
        check_game(Played(played.id, [*played.exchanges, fresh]), stored[played.id], KEPT)


def test_a_repetition_that_was_refused_is_found(
    played: Played, stored: Mapping[str, Stored]
) -> None:
    game = stored[played.id]
    first = {"version": 0, "actions": [str(action) for action in from_log(game.log[0])]}
    refused = replace(moves(played)[0], body=first, reply=Reply(409, {}, b"{}"))
    with pytest.raises(AssertionError, match="is no conflict"):
        check_game(Played(played.id, [*played.exchanges, refused]), game, KEPT)


@pytest.mark.parametrize("changes", [{"health": 77}, {"events": []}, {"commitment": "another"}])
def test_an_answer_that_the_log_does_not_give_is_found(
    played: Played, stored: Mapping[str, Stored], changes: dict[str, Any]
) -> None:
    wrong = answered(moves(played)[0], **changes)
    with pytest.raises(AssertionError, match="is not in the log"):
        check_game(Played(played.id, [wrong]), stored[played.id], KEPT)


def test_a_game_that_nobody_asked_for_is_found(
    driver: Driver, stored: Mapping[str, Stored]
) -> None:
    games = invariants.by_game(driver.exchanges)
    invariants.check_creations(driver.exchanges, games, stored, KEPT)
    with pytest.raises(AssertionError, match="nobody asked for"):
        invariants.check_creations(driver.exchanges, games, [*stored, "another"], KEPT)


def test_a_key_that_made_two_games_is_found(driver: Driver, stored: Mapping[str, Stored]) -> None:
    made = next(
        exchange
        for exchange in driver.exchanges
        if exchange.creates and exchange.headers and not exchange.replayed
    )
    exchanges = [made, answered(made, 201, id="another")]
    with pytest.raises(AssertionError, match="made 2 games"):
        invariants.check_creations(exchanges, stored, stored, KEPT)
    with pytest.raises(AssertionError, match="made twice"):
        invariants.check_creations([made, made], stored, stored, KEPT)
    invariants.check_creations([made, made], stored, stored, LOST)


def test_an_entry_that_is_missing_is_found(
    played: Played, stored: Mapping[str, Stored], redis: Redis
) -> None:
    late = stored[played.id]._replace(finished_at=1)
    with pytest.raises(AssertionError, match="missing on"):
        invariants.check_boards({**stored, played.id: late}, redis)


def test_an_entry_that_is_false_is_found(
    played: Played, stored: dict[str, Stored], redis: Redis
) -> None:
    del stored[played.id]
    with pytest.raises(AssertionError, match="false on"):
        invariants.check_boards(stored, redis)


def test_an_answer_that_is_not_documented_is_found(played: Played) -> None:
    first = moves(played)[0]
    with pytest.raises(AssertionError, match=": 500 in"):
        invariants.check_answers([answered(first, 500)])
    with pytest.raises(AssertionError, match=": 418 in"):
        invariants.check_answers([answered(first, 418)])
    with pytest.raises(Undocumented):
        invariants.check_answers([answered(first, another=1)])


def test_an_api_that_does_not_come_back_is_found() -> None:
    with (
        pytest.raises(AssertionError, match=r"no moves for all within 0.5 s"),
        Driver(free_port(), players=1) as driver,
    ):
        driver.recovered(within=0.5)


def test_a_run_without_moves_proves_nothing(driver: Driver, store: StoreServer) -> None:
    idle = Driver(free_port())
    with pytest.raises(AssertionError, match="no move was acknowledged"):
        idle.check(store)
    assert driver.exchanges
