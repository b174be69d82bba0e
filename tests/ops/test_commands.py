"""The operator's commands: verify, rebuild, remove and clear."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING, Protocol

import pytest

from api import create_app
from api.store import Board, Mode
from api.store.board import Member
from api.store.boards import SEEDED_BOARD_DAYS
from engine import rules_for
from tests.store.play import (
    DAY,
    LOST,
    WON,
    boards_read,
    create,
    finish,
    one_short,
    random_record,
    read_board,
    replayed_boards,
)

if TYPE_CHECKING:
    from click.testing import Result
    from redis import Redis

    from api.store import Game, Store
    from tests.servers import StoreServer

ORIGINAL = Board("original")


class Command(Protocol):
    """Runs ``flask ledger`` with arguments; ``typed`` is the operator's input."""

    def __call__(self, *arguments: str, typed: str = "") -> Result: ...


@pytest.fixture
def ledger(store_server: StoreServer, store: Store) -> Command:
    assert store
    app = create_app({"REDIS_URL": store_server.url})
    runner = app.test_cli_runner()

    def run(*arguments: str, typed: str = "") -> Result:
        return runner.invoke(args=["ledger", *arguments], input=typed)

    return run


@pytest.fixture
def games(store: Store) -> list[Game]:
    """Games of every kind, finished and not, ranked and not."""
    played = [finish(store, random_record(luck)) for luck in range(5)]
    played.append(finish(store, WON))
    played += [finish(store, random_record(luck), mode=Mode.SEEDED) for luck in range(2)]
    played.append(finish(store, random_record(1, rules_for("original", {"leave": 2}))))
    played += [one_short(store), create(store)]
    return played


def _sound(ledger: Command) -> str:
    result = ledger("verify")
    assert result.exit_code == 0, result.output
    return result.output


def _on(store: Store, board: Board) -> list[str]:
    return [game_id for _score, game_id in read_board(store, board)]


# verify


def test_verify_reports_nothing_for_correct_boards(ledger: Command, games: list[Game]) -> None:
    assert _sound(ledger).startswith(
        f"{len(games)} games, 9 of them finished; 3 boards with 8 entries, 0 of expired games"
    )


def test_verify_reports_nothing_for_an_empty_store(ledger: Command) -> None:
    assert _sound(ledger).startswith("0 games")


def test_verify_reports_a_missing_entry(ledger: Command, redis: Redis, games: list[Game]) -> None:
    redis.zrem("board:original", str(games[2].member))
    result = ledger("verify")
    assert result.exit_code == 1
    assert f"missing entry on original: {games[2].id}\n" in result.output
    assert "1 differences." in result.output


def test_verify_reports_false_entries(ledger: Command, redis: Redis, games: list[Game]) -> None:
    won, custom, unfinished = games[5], games[8], games[9]
    wrong = [
        ("board:original", won.member._replace(score=27)),
        ("board:original", won.member._replace(finished_at=won.updated_at - 1)),
        ("board:strict", won.member),
        ("board:original", custom.member),
        ("board:original", Member(3, unfinished.updated_at, unfinished.id)),
    ]
    for board, member in wrong:
        redis.zadd(board, {str(member): 0})
    result = ledger("verify")
    assert result.exit_code == 1
    assert result.output.count("false entry") == len(wrong)
    assert f"{len(wrong)} differences." in result.output


@pytest.mark.parametrize(
    ("field", "value"),
    [("a", "~"), ("r", "chess"), ("s", "a b"), ("c", "x"), ("m", "x"), ("a", "\x00" * 300)],
)
def test_verify_reports_a_damaged_game_and_continues(
    ledger: Command, redis: Redis, games: list[Game], field: str, value: str
) -> None:
    redis.hset(f"game:{games[0].id}", field, value)
    redis.zrem("board:original", str(games[1].member))
    result = ledger("verify")
    assert result.exit_code == 1
    assert f"damaged game: {games[0].id}: " in result.output
    assert f"missing entry on original: {games[1].id}" in result.output


def test_verify_counts_entries_of_expired_games_without_reporting_them(
    ledger: Command, redis: Redis, games: list[Game]
) -> None:
    redis.delete(f"game:{games[0].id}")
    assert "8 entries, 1 of expired games; 0 differences." in _sound(ledger)


def test_verify_ignores_a_game_that_is_being_finished(
    ledger: Command, store: Store, redis: Redis, games: list[Game]
) -> None:
    store.ledger.expect(games[0])
    redis.zrem("board:original", str(games[0].member))
    _sound(ledger)


@pytest.mark.slow
def test_verify_reports_nothing_while_games_are_played(ledger: Command, store: Store) -> None:
    stop = threading.Event()

    def play() -> None:
        luck = 0
        while not stop.is_set():
            finish(store, random_record(luck % 20))
            luck += 1

    player = threading.Thread(target=play)
    player.start()
    try:
        for _ in range(15):
            _sound(ledger)
    finally:
        stop.set()
        player.join()
    assert not _sound(ledger).startswith("0 games")


# rebuild


def test_rebuild_derives_the_boards_from_the_games(
    ledger: Command, store: Store, redis: Redis, games: list[Game]
) -> None:
    assert games
    right = replayed_boards(store, redis)
    redis.delete("board:original")
    name = f"board:original/{games[6].seed}"
    redis.delete(name)
    redis.zadd("board:strict", {str(games[5].member): 0})
    assert boards_read(store, redis) != right
    result = ledger("rebuild")
    assert result.exit_code == 0
    assert result.output.startswith(
        "7 games added, 1 false entries and 0 entries of expired games removed"
    )
    assert boards_read(store, redis) == right
    assert redis.pexpiretime(name) == games[6].updated_at + SEEDED_BOARD_DAYS * DAY
    _sound(ledger)


def test_rebuild_removes_entries_of_expired_games(
    ledger: Command, redis: Redis, games: list[Game]
) -> None:
    redis.delete(f"game:{games[0].id}", f"game:{games[3].id}")
    assert "2 entries of expired games removed" in ledger("rebuild").output
    assert redis.zcard("board:original") == 4


def test_rebuild_does_not_change_correct_boards(
    ledger: Command, store: Store, redis: Redis, games: list[Game]
) -> None:
    assert games
    before = boards_read(store, redis)
    assert ledger("rebuild").output.startswith(
        "0 games added, 0 false entries and 0 entries of expired"
    )
    assert boards_read(store, redis) == before


def test_rebuild_reports_a_damaged_game_and_does_not_change_it(
    ledger: Command, redis: Redis, games: list[Game]
) -> None:
    redis.hset(f"game:{games[0].id}", "a", "~")
    result = ledger("rebuild")
    assert result.exit_code == 1
    assert f"damaged game: {games[0].id}" in result.output
    assert redis.exists(f"game:{games[0].id}")


# remove


def test_a_removed_game_stays_off_its_board_after_a_rebuild(
    ledger: Command, store: Store, redis: Redis, games: list[Game]
) -> None:
    assert ledger("remove", games[0].id, "--yes").output == "Removed.\n"
    assert not redis.exists(f"game:{games[0].id}")
    assert games[0].id not in _on(store, ORIGINAL)
    ledger("rebuild")
    assert games[0].id not in _on(store, ORIGINAL)
    assert len(_on(store, ORIGINAL)) == 5
    _sound(ledger)


def test_unfinished_and_damaged_games_can_be_removed(
    ledger: Command, redis: Redis, games: list[Game]
) -> None:
    redis.hset(f"game:{games[0].id}", "r", "chess")
    for game in (games[0], games[9], games[10]):
        assert ledger("remove", game.id, "--yes").exit_code == 0
        assert not redis.exists(f"game:{game.id}")
    assert not redis.exists("pending")


def test_an_id_may_begin_with_a_dash(ledger: Command) -> None:
    assert "Game not found." in ledger("remove", "-U0AlW7vBPNAF9JtDYJZLQ", "--yes").output


def test_removing_an_unknown_game_is_an_error(ledger: Command) -> None:
    result = ledger("remove", secrets.token_urlsafe(16), "--yes")
    assert (result.exit_code, result.output) == (1, "Error: Game not found.\n")


@pytest.mark.parametrize("typed", ["", "n\n", "\n"])
def test_nothing_is_removed_without_confirmation(
    ledger: Command, redis: Redis, games: list[Game], typed: str
) -> None:
    result = ledger("remove", games[0].id, typed=typed)
    assert result.exit_code == 1
    assert f"Remove the game {games[0].id} for good?" in result.output
    assert redis.exists(f"game:{games[0].id}")
    assert ledger("remove", games[0].id, typed="y\n").exit_code == 0
    assert not redis.exists(f"game:{games[0].id}")


# clear


@pytest.fixture
def cleared(ledger: Command, games: list[Game]) -> list[Game]:
    """The same games after the board of the first six was cleared."""
    result = ledger("clear", "original", "--yes")
    assert result.output == "6 games removed.\n"
    return games


def test_a_cleared_board_stays_cleared_after_a_rebuild(
    ledger: Command, store: Store, cleared: list[Game]
) -> None:
    assert cleared
    assert store.ledger.page(ORIGINAL, 20) == (0, [], None)
    ledger("rebuild")
    assert store.ledger.page(ORIGINAL, 20) == (0, [], None)
    _sound(ledger)


def test_a_cleared_game_stays_off_the_board_when_ranked_again(
    store: Store, cleared: list[Game]
) -> None:
    game = cleared[0]
    assert store.ledger.rank(game) is None
    store.ledger.enter(game)
    assert store.ledger.rank(game) is None
    assert store.games.read(game.id) == game


def test_games_that_end_after_clearing_are_ranked(
    ledger: Command, store: Store, cleared: list[Game]
) -> None:
    assert cleared
    game = finish(store)
    assert _on(store, ORIGINAL) == [game.id]
    ledger("rebuild")
    assert _on(store, ORIGINAL) == [game.id]
    _sound(ledger)


def test_clearing_does_not_change_other_boards(
    ledger: Command, store: Store, cleared: list[Game], redis: Redis
) -> None:
    assert cleared
    assert len(boards_read(store, redis)) == 2
    ledger("rebuild")
    assert len(boards_read(store, redis)) == 2


def test_an_entry_of_a_cleared_game_is_false(
    ledger: Command, redis: Redis, cleared: list[Game]
) -> None:
    redis.zadd("board:original", {str(cleared[0].member): 0})
    result = ledger("verify")
    assert result.exit_code == 1
    assert "false entry on original" in result.output
    ledger("rebuild")
    assert not redis.exists("board:original")


def test_the_mark_of_a_cleared_seeded_board_outlives_its_games(
    ledger: Command, store: Store, redis: Redis
) -> None:
    game = finish(store, mode=Mode.SEEDED)
    name = f"original/{LOST.seed}"
    assert game.expires_at
    ledger("clear", name, "--yes")
    ledger("clear", "original", "--yes")
    assert redis.pexpiretime(f"cleared:{{board:{name}}}") > game.expires_at
    assert redis.pexpiretime("cleared:{board:original}") == -1
    assert redis.zcard(f"board:{name}") == 0


@pytest.mark.parametrize("typed", ["", "n\n", "\n"])
def test_nothing_is_cleared_without_confirmation(
    ledger: Command, redis: Redis, games: list[Game], typed: str
) -> None:
    assert games
    result = ledger("clear", "original", typed=typed)
    assert result.exit_code == 1
    assert "Remove 6 games from the board original for good?" in result.output
    assert redis.zcard("board:original") == 6
    assert not redis.exists("cleared:{board:original}")
    assert ledger("clear", "original", typed="y\n").exit_code == 0
    assert not redis.exists("board:original")


@pytest.mark.parametrize("name", ["chess", "original/", "original/a b", "original/a/b", ""])
def test_clear_refuses_an_invalid_board(ledger: Command, redis: Redis, name: str) -> None:
    result = ledger("clear", name, "--yes")
    assert result.exit_code == 2
    assert "there is no board named" in result.output
    assert redis.dbsize() == redis.exists("secret", "secret:fingerprint", "probe")


# All commands


@pytest.mark.parametrize(
    "arguments", [["verify"], ["rebuild"], ["remove", "x", "--yes"], ["clear", "original", "--yes"]]
)
def test_an_unavailable_store_is_reported_in_one_line(arguments: list[str]) -> None:
    app = create_app({"REDIS_URL": "unix:///nowhere/store.sock"})
    result = app.test_cli_runner().invoke(args=["ledger", *arguments])
    assert result.exit_code == 1
    assert result.output.startswith("Error: The store is not available: ")
    assert result.output.count("\n") == 1
