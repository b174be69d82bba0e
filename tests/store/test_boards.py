"""Boards: sorted sets, ordered by rank."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.store import Board
from api.store.board import Member
from api.store.boards import Boards
from api.store.client import Client
from tests.store.play import DAY, clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from tests.servers import StoreServer

STANDARD, SEEDED = Board("original"), Board("original", "demo-1")
WORST, BEST = 1 - 208, 99 + 10
"""A score is between health - 208 and health + 10; health is 1 to 99."""

NOW = 1_800_000_000_000
IDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

any_member: st.SearchStrategy[Member] = st.builds(
    Member,
    st.integers(WORST, BEST),
    st.integers(0, 9_999_999_999_999),
    st.text(IDS, min_size=22, max_size=22),
)


def _id(number: int) -> str:
    return f"{number:022}"


def _by_rank(member: Member) -> tuple[int, int, str]:
    return -member.score, member.finished_at, member.game_id


@pytest.fixture
def boards(server: StoreServer) -> Iterator[Boards]:
    client = Client(server.url)
    yield Boards(client)
    client.forget_connections()


def _all(boards: Boards, board: Board) -> list[Member]:
    return boards.after(board, "", 1000)[1]


@given(any_member)
def test_a_member_parses_back_from_its_text(member: Member) -> None:
    assert Member.parse(str(member)) == member


@given(any_member, any_member)
def test_member_texts_sort_by_score_then_finish_time(one: Member, other: Member) -> None:
    assert (str(one).encode() < str(other).encode()) == (_by_rank(one) < _by_rank(other))


def test_boards_rank_by_score_and_break_ties_by_finish_time(boards: Boards) -> None:
    members = [
        Member(score, NOW + late, _id(late))
        for score in (WORST, -100, -99, -10, -9, -1, 0, 1, 9, 10, 99, 100, BEST)
        for late in (0, 1, 10, 1000)
    ]
    shuffled = Random(1).sample(members, len(members))
    for member in shuffled:
        boards.enter(STANDARD, member)
    expected = sorted(members, key=_by_rank)
    assert _all(boards, STANDARD) == expected
    assert [boards.rank(STANDARD, member) for member in expected] == list(
        range(1, len(expected) + 1)
    )


def test_entering_a_member_twice_changes_nothing(boards: Boards) -> None:
    for _ in range(2):
        boards.enter(STANDARD, Member(3, NOW, _id(1)))
    assert boards.total(STANDARD) == 1


def test_a_member_that_is_not_on_the_board_has_no_rank(boards: Boards) -> None:
    boards.enter(STANDARD, Member(3, NOW, _id(1)))
    assert boards.rank(STANDARD, Member(3, NOW + 1, _id(1))) is None
    assert boards.rank(SEEDED, Member(3, NOW, _id(1))) is None


def test_an_empty_board_has_no_entries(boards: Boards) -> None:
    assert boards.total(STANDARD) == 0
    assert boards.after(STANDARD, "", 5) == (1, [])
    assert boards.member_at(STANDARD, 0) is None


def test_each_ruleset_and_seed_has_a_separate_board(boards: Boards) -> None:
    places = [Board(name, seed) for name in ("original", "strict") for seed in (None, "a", "b")]
    for number, board in enumerate(places):
        boards.enter(board, Member(number, NOW, _id(number)))
    for number, board in enumerate(places):
        assert _all(boards, board) == [Member(number, NOW, _id(number))]


def test_a_board_is_named_after_ruleset_and_seed() -> None:
    assert (STANDARD.name, SEEDED.name) == ("original", "original/demo-1")


@pytest.fixture
def ten(boards: Boards) -> list[Member]:
    """Ten members of the standard board, the best first."""
    members = [Member(10 - number // 2, NOW + number, _id(number)) for number in range(10)]
    for member in members:
        boards.enter(STANDARD, member)
    return members


@pytest.mark.parametrize("place", range(10))
def test_a_cursor_continues_with_the_next_ranks(
    boards: Boards, ten: list[Member], place: int
) -> None:
    assert boards.after(STANDARD, str(ten[place]), 3) == (place + 2, ten[place + 1 : place + 4])


def test_a_cursor_stays_valid_after_its_member_is_dropped(
    boards: Boards, ten: list[Member]
) -> None:
    boards.drop(STANDARD, [ten[4]])
    assert boards.after(STANDARD, str(ten[4]), 3) == (5, ten[5:8])


def test_a_cursor_keeps_its_position_when_a_better_game_is_entered(
    boards: Boards, ten: list[Member]
) -> None:
    boards.enter(STANDARD, Member(99, NOW, _id(99)))
    assert boards.after(STANDARD, str(ten[4]), 3) == (7, ten[5:8])


def test_member_at_finds_a_member_by_its_place(boards: Boards, ten: list[Member]) -> None:
    assert [boards.member_at(STANDARD, place) for place in range(10)] == ten
    assert boards.member_at(STANDARD, 10) is None
    assert boards.member_at(STANDARD, -1) is None


def test_drop_removes_only_the_given_members(boards: Boards, ten: list[Member]) -> None:
    boards.drop(STANDARD, [ten[0], ten[5]])
    assert _all(boards, STANDARD) == ten[1:5] + ten[6:]


def test_the_board_of_a_ruleset_never_expires(boards: Boards, redis: Redis) -> None:
    boards.enter(STANDARD, Member(3, clock(redis), _id(1)))
    assert redis.pexpiretime("board:original") == -1


def test_a_seeded_board_expires_30_days_after_its_latest_finish(
    boards: Boards, redis: Redis
) -> None:
    now = clock(redis)
    newest = 0
    for number, finished in enumerate((now - DAY, now, now - 2 * DAY, now - 1, now + 5, now + 4)):
        boards.enter(SEEDED, Member(3, finished, _id(number)))
        newest = max(newest, finished)
        assert redis.pexpiretime("board:original/demo-1") == newest + 30 * DAY


def test_a_seeded_board_with_only_an_old_finish_still_expires(boards: Boards, redis: Redis) -> None:
    boards.enter(SEEDED, Member(3, clock(redis) - 31 * DAY, _id(1)))
    assert redis.pexpiretime("board:original/demo-1") != -1


def test_an_old_finish_does_not_change_the_expiry_of_a_seeded_board(
    boards: Boards, redis: Redis
) -> None:
    now = clock(redis)
    boards.enter(SEEDED, Member(3, now, _id(1)))
    boards.enter(SEEDED, Member(3, now - 31 * DAY, _id(2)))
    assert redis.pexpiretime("board:original/demo-1") == now + 30 * DAY
