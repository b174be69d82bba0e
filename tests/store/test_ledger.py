"""The ledger: a finished game is entered on its board exactly once, even after a crash."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from api.games.play import play
from api.store import UNAVAILABLE, Board, Mode, Page, Store
from api.store.board import Member
from api.store.ledger import SWEEP_LIMIT
from engine import RULESETS, rules_for, score, to_log
from tests.servers import wait_until
from tests.store.link import Fate, Link, linked
from tests.store.play import (
    DAY,
    LOST,
    WON,
    age,
    boards_read,
    clock,
    create,
    finish,
    move,
    one_short,
    pending,
    random_record,
    read_board,
    replayed_boards,
    state_after,
    vectors,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redis import Redis

    from api.games.play import Played
    from api.store import Game
    from engine import Record
    from tests.servers import StoreServer

ORIGINAL = Board("original")
CUSTOM = rules_for("original", {"leave": 2})
HOUR = DAY // 24


def _ids(page: Page | None) -> list[str]:
    assert page is not None
    return [entry.game.id for entry in page.entries]


def _ranks(page: Page) -> list[int]:
    return [entry.rank for entry in page.entries]


def _gone(redis: Redis, *games: Game) -> None:
    redis.delete(*[f"game:{game.id}" for game in games])


@pytest.fixture
def ten(store: Store) -> list[Game]:
    """Ten games on the board, best first; equal scores are ordered by finish time."""
    lost = [finish(store) for _ in range(9)]
    # Some finish in the same millisecond.
    return [finish(store, WON), *sorted(lost, key=lambda game: (game.updated_at, game.id))]


# Entering


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_finished_game_is_ranked_on_the_board_of_its_ruleset(store: Store, ruleset: str) -> None:
    game = finish(store, random_record(1, rules_for(ruleset)))
    assert game.board == Board(ruleset)
    page = store.ledger.page(Board(ruleset), 20)
    assert (page.total, page.cursor) == (1, None)
    assert page.entries == [(1, score(game.state).score, game)]


def test_a_seeded_game_is_ranked_only_on_the_board_of_its_ruleset_and_seed(store: Store) -> None:
    game = finish(store, mode=Mode.SEEDED)
    assert _ids(store.ledger.page(Board("original", LOST.seed), 20)) == [game.id]
    for board in (ORIGINAL, Board("gamemaker", LOST.seed), Board("original", "other")):
        assert store.ledger.page(board, 20) == (0, [], None)


@pytest.mark.parametrize("mode", Mode)
def test_a_custom_game_is_on_no_board(store: Store, redis: Redis, mode: Mode) -> None:
    game = finish(store, random_record(1, CUSTOM), mode=mode)
    assert game.over
    assert game.board is None
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


def test_boards_equal_the_replay_of_the_finished_games(store: Store, redis: Redis) -> None:
    random = Random(4)
    records = vectors()
    for luck in range(150):
        rules = rules_for(random.choice(list(RULESETS)))
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
def test_cursors_lead_through_the_whole_board(store: Store, ten: list[Game], limit: int) -> None:
    assert [game_id for _score, game_id in read_board(store, ORIGINAL, limit)] == [
        game.id for game in ten
    ]


@pytest.mark.parametrize("limit", [9, 10])
def test_only_a_page_with_a_next_page_has_a_cursor(
    store: Store, ten: list[Game], limit: int
) -> None:
    page = store.ledger.page(ORIGINAL, limit)
    assert (page.total, len(page.entries)) == (len(ten), limit)
    assert (page.cursor is None) == (limit == len(ten))


def test_missing_games_are_neither_listed_nor_counted(
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


def test_missing_games_are_dropped_from_the_board(
    store: Store, redis: Redis, ten: list[Game]
) -> None:
    _gone(redis, *ten[:5])
    store.ledger.page(ORIGINAL, 20)
    assert redis.zcard("board:original") == 5


def test_a_board_with_only_missing_games_is_empty(
    store: Store, redis: Redis, ten: list[Game]
) -> None:
    _gone(redis, *ten)
    assert store.ledger.page(ORIGINAL, 3) == (0, [], None)
    assert not redis.exists("board:original")


def test_a_page_skips_many_missing_games_in_few_round_trips(
    store: Store, redis: Redis, ten: list[Game]
) -> None:
    """Entries are read in batches of growing size, not one by one."""
    redis.zadd("board:original", {str(Member(-200, 0, f"{n:022d}")): 0 for n in range(3_000)})
    redis.config_resetstat()
    page = store.ledger.page(ORIGINAL, len(ten))
    commands: Any = redis.info("commandstats")
    assert commands["cmdstat_zrangebylex"]["calls"] < 20
    assert _ids(page) == [game.id for game in ten]
    assert (page.total, page.cursor) == (len(ten), None)


def test_a_cursor_stays_valid_after_its_game_is_gone(
    store: Store, redis: Redis, ten: list[Game]
) -> None:
    page = store.ledger.page(ORIGINAL, 3)
    assert page.cursor is not None
    _gone(redis, ten[2])
    store.ledger.page(ORIGINAL, 3)
    page = store.ledger.page(ORIGINAL, 3, page.cursor)
    assert _ids(page) == [game.id for game in ten[3:6]]
    assert _ranks(page) == [3, 4, 5]


def test_a_page_around_a_game_is_centred_on_it(store: Store, ten: list[Game]) -> None:
    page = store.ledger.page_around(ORIGINAL, 5, ten[4])
    assert _ids(page) == [game.id for game in ten[2:7]]
    assert page is not None
    assert _ranks(page) == [3, 4, 5, 6, 7]


def test_a_page_around_a_top_game_starts_at_the_first_rank(store: Store, ten: list[Game]) -> None:
    assert _ids(store.ledger.page_around(ORIGINAL, 5, ten[0])) == [game.id for game in ten[:5]]
    assert _ids(store.ledger.page_around(ORIGINAL, 5, ten[2])) == [game.id for game in ten[:5]]


def test_a_page_around_the_last_game_ends_with_it(store: Store, ten: list[Game]) -> None:
    page = store.ledger.page_around(ORIGINAL, 5, ten[9])
    assert _ids(page) == [game.id for game in ten[7:]]
    assert page is not None
    assert page.cursor is None


def test_a_page_of_one_around_a_game_contains_only_that_game(store: Store, ten: list[Game]) -> None:
    for game in ten:
        assert _ids(store.ledger.page_around(ORIGINAL, 1, game)) == [game.id]


def test_there_is_no_page_around_a_game_that_is_not_on_the_board(store: Store) -> None:
    finish(store)
    assert store.ledger.page_around(ORIGINAL, 5, one_short(store)) is None
    assert store.ledger.page_around(ORIGINAL, 5, finish(store, mode=Mode.SEEDED)) is None
    assert store.ledger.page_around(ORIGINAL, 5, finish(store, random_record(1, CUSTOM))) is None


@pytest.mark.parametrize("again", [create, one_short], ids=["not moved", "unfinished"])
def test_an_entry_is_dropped_when_a_new_game_has_its_id(
    store: Store, redis: Redis, again: Callable[..., Game]
) -> None:
    """An id derived from an idempotency key can be reused once its game has expired."""
    first, old = finish(store, WON), finish(store)
    _gone(redis, old)
    wait_until(lambda: clock(redis) > old.updated_at)  # not in the same millisecond
    again(store, id=old.id)
    page = store.ledger.page(ORIGINAL, 20)
    assert _ids(page) == [first.id]
    assert page.total == 1


def test_a_game_set_back_by_a_failover_is_ranked_only_by_its_new_finish(
    store: Store, redis: Redis
) -> None:
    game = finish(store)
    redis.hset(f"game:{game.id}", "a", game.log[:-1])
    redis.hset(f"game:{game.id}", "u", str(game.updated_at - 1))
    assert store.ledger.page(ORIGINAL, 20) == (0, [], None)
    store.ledger.enter(game)  # as if the board had not been read in between
    wait_until(lambda: clock(redis) > game.updated_at)
    again = move(store, store.games.read(game.id), LOST.actions[-1:])
    page = store.ledger.page(ORIGINAL, 20)
    assert [entry.game for entry in page.entries] == [again]
    assert page.total == 1


# Sweeping


def _unranked(store: Store, record: Record = LOST) -> Game:
    """Finish a game without ranking it, like a worker that dies in between."""
    game = one_short(store, record)
    store.ledger.expect(game)
    last = record.actions[-1:]
    return store.games.append(game, last, state_after(game, last))


def test_a_sweep_enters_finished_games_and_drops_their_notes(store: Store, redis: Redis) -> None:
    games = [_unranked(store), _unranked(store, WON)]
    assert set(pending(redis)) == {game.id for game in games}
    age(redis, HOUR)
    store.ledger.sweep()
    assert _ids(store.ledger.page(ORIGINAL, 20)) == [games[1].id, games[0].id]
    assert not redis.exists("pending")


def test_a_sweep_does_not_enter_a_game_twice(store: Store, redis: Redis) -> None:
    game = finish(store)
    store.ledger.expect(game)
    age(redis, HOUR)
    store.ledger.sweep()
    assert redis.zcard("board:original") == 1
    assert not redis.exists("pending")


def test_a_sweep_drops_the_notes_of_missing_games(store: Store, redis: Redis) -> None:
    _gone(redis, _unranked(store))
    age(redis, HOUR)
    store.ledger.sweep()
    assert not redis.exists("pending", "board:original")


def test_a_sweep_moves_the_note_of_an_unfinished_game_to_the_end(
    store: Store, redis: Redis
) -> None:
    games = [one_short(store) for _ in range(3)]
    for game in games[:2]:
        store.ledger.expect(game)
    age(redis, HOUR)
    store.ledger.expect(games[2])
    before = clock(redis)
    store.ledger.sweep()
    assert set(pending(redis)) == {game.id for game in games}
    for game in games[:2]:
        assert before <= (redis.zscore("pending", game.id) or 0) <= clock(redis)


def test_a_sweep_ignores_notes_younger_than_the_grace_period(
    store: Store, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.store.ledger.GRACE", 2 * HOUR)
    old = _unranked(store)
    age(redis, 2 * HOUR)
    young = [_unranked(store), one_short(store), one_short(store)]
    for game in young[1:]:
        store.ledger.expect(game)
    _gone(redis, young[2])
    age(redis, HOUR)
    notes = redis.zrange("pending", 1, -1, withscores=True)
    store.ledger.sweep()
    assert _ids(store.ledger.page(ORIGINAL, 20)) == [old.id]
    assert redis.zrange("pending", 0, -1, withscores=True) == notes


def test_a_sweep_handles_the_oldest_notes_and_leaves_the_rest_to_the_next(
    store: Store, redis: Redis
) -> None:
    games = []
    for _ in range(SWEEP_LIMIT + 2):
        age(redis, HOUR)
        games.append(_unranked(store))
    age(redis, HOUR)
    store.ledger.sweep()
    assert sorted(pending(redis)) == sorted(game.id for game in games[SWEEP_LIMIT:])
    store.ledger.sweep()
    assert not redis.exists("pending")
    assert len(read_board(store, ORIGINAL)) == len(games)


def test_unfinished_games_do_not_block_the_sweep_of_finished_games(
    store: Store, redis: Redis
) -> None:
    for _ in range(SWEEP_LIMIT):
        store.ledger.expect(one_short(store))
    age(redis, HOUR)
    finished = _unranked(store)
    age(redis, HOUR)
    store.ledger.sweep()
    store.ledger.sweep()
    assert _ids(store.ledger.page(ORIGINAL, 20)) == [finished.id]


OF_A_LATER_RELEASE = pytest.mark.parametrize(
    ("field", "value"),
    [
        ("f", "2"),
        ("r", "a-ruleset-to-come"),
        ("r", "original+an_option_to_come=2"),
        ("m", "a-mode-to-come"),
        ("a", "~"),
    ],
)


@OF_A_LATER_RELEASE
def test_a_page_omits_a_game_of_a_later_release_and_keeps_its_entry(
    store: Store, redis: Redis, field: str, value: str
) -> None:
    known, unknown = finish(store, WON), finish(store)
    redis.hset(f"game:{unknown.id}", field, value)
    page = store.ledger.page(ORIGINAL, 20)
    # A page does not replay logs; the entry has the score.
    assert _ids(page) == [known.id] + [unknown.id] * (field == "a")
    assert page.total == 2


@OF_A_LATER_RELEASE
def test_a_game_of_a_later_release_does_not_block_the_sweep_of_other_games(
    store: Store, redis: Redis, field: str, value: str
) -> None:
    """During a rolling upgrade, old workers read games written by new ones."""
    unknown, known = _unranked(store), _unranked(store)
    redis.hset(f"game:{unknown.id}", field, value)
    age(redis, HOUR)
    store.ledger.sweep()
    assert _ids(store.ledger.page(ORIGINAL, 20)) == [known.id]
    assert unknown.id in pending(redis)


def test_a_sweep_drops_the_note_of_an_unranked_game(store: Store, redis: Redis) -> None:
    """An id derived from an idempotency key can be reused by a custom game."""
    store.ledger.expect(one_short(store, id="again"))
    redis.delete("game:again")
    finish(store, random_record(1, CUSTOM), id="again")
    age(redis, HOUR)
    store.ledger.sweep()
    assert not redis.exists("pending", "board:original")


# Crashes while finishing


class Line(NamedTuple):
    """A worker whose connection to the store can be broken."""

    worker: Store
    link: Link


class Break(NamedTuple):
    """The first command without a reply, and whether it is carried out."""

    step: int
    fate: Fate

    def __str__(self) -> str:
        return f"{self.step} {self.fate.name.lower()}"


def _breaks(steps: int) -> list[Break]:
    return [Break(step, fate) for step in range(steps) for fate in (Fate.LOST, Fate.CARRIED_OUT)]


STEPS = 4
BREAKS = _breaks(STEPS)
FINISHES = Break(1, Fate.CARRIED_OUT)


@pytest.fixture
def line(server: StoreServer, store: Store) -> Iterator[Line]:
    finish(store, WON)  # loads all scripts, and fills the board
    with linked(server) as link:
        worker = Store(link.url)
        yield Line(worker, link)
        worker.forget_connections()


def _crash(line: Line, game: Game, at: Break) -> None:
    """Finish ``game`` with a worker that loses the store for good at a command."""

    def fate(number: int) -> Fate:
        if number == at.step:
            return at.fate
        return Fate.ANSWERED if number < at.step else Fate.LOST

    line.link.begin_again(fate)
    with pytest.raises(UNAVAILABLE):
        move(line.worker, game, LOST.actions[-1:])
    assert len(line.link.commands) > at.step


def test_finishing_a_game_takes_four_commands(store: Store, line: Line) -> None:
    game = one_short(store)
    line.link.begin_again(lambda _number: Fate.ANSWERED)
    move(line.worker, game, LOST.actions[-1:])
    assert len(line.link.commands) == STEPS


@pytest.mark.parametrize("at", BREAKS, ids=str)
def test_a_sweep_repairs_a_crash_at_any_command(
    store: Store, redis: Redis, line: Line, at: Break
) -> None:
    game = one_short(store)
    _crash(line, game, at)
    age(redis, HOUR)
    store.ledger.sweep()
    over = at.step > FINISHES.step or at == FINISHES
    assert store.games.read(game.id).over == over
    assert boards_read(store, redis) == replayed_boards(store, redis)
    noted = at != (0, Fate.LOST)
    assert pending(redis) == ([game.id] if noted and not over else [])


@pytest.mark.parametrize("at", BREAKS, ids=str)
def test_a_repeated_last_move_repairs_a_crash_at_any_command(
    store: Store, redis: Redis, line: Line, at: Break
) -> None:
    game = one_short(store)
    _crash(line, game, at)
    played = play(store, game.id, len(game.log), LOST.actions[-1:])
    assert played.replayed == (at.step > FINISHES.step or at == FINISHES)
    _finished_once(store, redis, played)


@pytest.mark.parametrize(
    "at", [at for at in BREAKS if at.step > FINISHES.step or at == FINISHES], ids=str
)
def test_reading_the_rank_repairs_a_crash_after_the_game_is_over(
    store: Store, redis: Redis, line: Line, at: Break
) -> None:
    game = one_short(store)
    _crash(line, game, at)
    assert store.ledger.rank(store.games.read(game.id)) == 2
    assert boards_read(store, redis) == replayed_boards(store, redis)


@pytest.mark.parametrize("at", _breaks(1 + STEPS), ids=str)
def test_the_last_move_survives_a_connection_lost_at_any_command(
    store: Store, redis: Redis, line: Line, at: Break
) -> None:
    game = one_short(store)
    line.link.begin_again(lambda number: at.fate if number == at.step else Fate.ANSWERED)
    played = play(line.worker, game.id, len(game.log), LOST.actions[-1:])
    assert len(line.link.commands) > 1 + STEPS
    _finished_once(store, redis, played)


def _finished_once(store: Store, redis: Redis, played: Played) -> None:
    """Check that a game of ``LOST`` is over and ranked once, second of two on its board."""
    assert played.game == store.games.read(played.game.id)
    assert played.game.log == to_log(LOST.actions)
    boards = replayed_boards(store, redis)
    assert [game_id for _score, game_id in boards[ORIGINAL]][1:] == [played.game.id]
    assert boards_read(store, redis) == boards
    assert not redis.exists("pending")
