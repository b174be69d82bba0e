from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine import Options, Score, Status, apply, parse_short, score
from engine.rules import Bonus, Draw, LossCounts, Overkill

if TYPE_CHECKING:
    from engine import State
    from tests.engine.conftest import Table


def after(state: State, moves: str) -> State:
    for move in moves.split():
        state = apply(state, parse_short(move)).state
    return state


# A lost game: at death the room contains 3C and the dungeon 2C; 9C is the monster that kills.
LOST = "5D 9C 3C 2H 2C"


@pytest.mark.parametrize(
    ("loss_counts", "overkill", "total", "remaining"),
    [
        (LossCounts.DUNGEON, Overkill.COUNTED, -3 - 2, 2),
        (LossCounts.DUNGEON, Overkill.IGNORED, -2, 2),
        (LossCounts.DUNGEON_AND_ROOM, Overkill.COUNTED, -3 - 5, 5),
        (LossCounts.DUNGEON_AND_ROOM, Overkill.IGNORED, -5, 5),
    ],
)
def test_the_score_of_a_lost_game_depends_on_loss_counts_and_overkill(
    table: Table, loss_counts: LossCounts, overkill: Overkill, total: int, remaining: int
) -> None:
    options = Options(health=6, loss_counts=loss_counts, overkill=overkill)
    end = after(table(LOST, options), "9Cb")
    assert end.status is Status.LOST
    assert score(end) == Score(total, health=-3, bonus=0, remaining=remaining)


def test_slain_monsters_and_the_one_that_kills_do_not_count_as_remaining(table: Table) -> None:
    options = Options(health=6, loss_counts=LossCounts.DUNGEON_AND_ROOM)
    assert score(after(table(LOST, options), "3Cb 9Cb")).remaining == 2


def test_a_running_game_has_no_score_but_counts_remaining_monsters(table: Table) -> None:
    state = table(LOST)
    assert score(state) == Score(None, health=20, bonus=0, remaining=2)
    options = Options(loss_counts=LossCounts.DUNGEON_AND_ROOM)
    assert score(table(LOST, options)) == Score(None, health=20, bonus=0, remaining=14)


def test_the_score_of_a_won_game_is_the_health_even_if_a_monster_is_left(table: Table) -> None:
    options = Options(leave=1, loss_counts=LossCounts.DUNGEON_AND_ROOM)
    end = after(table("2C 2D 3D 9C 4D", options), "2Cb 2D 3D 4D")
    assert end.status is Status.WON
    assert score(end) == Score(18, health=18, bonus=0, remaining=9)


# The bonus: cards and moves of won games that end with a potion.
FULL = ("2D 3D 4D 5D TH", "2D 3D 4D 5D TH")
"""Health is full before and after the last potion."""
HEALED = ("3C 3D 4D 5D TH", "3Cb 3D 4D 5D TH")
"""Health is full only after it."""
SHORT = ("AC 3D 4D 5D TH", "ACb 3D 4D 5D TH")
"""Health is full neither before nor after it."""
WASTED_FULL = ("3C 3D 4D 5H TH", "3Cb 3D 4D 5H TH")
"""The last potion is the second of the turn; health is full."""
WASTED_SHORT = ("9C 3D 4D 5H TH", "9Cb 3D 4D 5H TH")
"""The last potion is the second of the turn; health is not full."""


@pytest.mark.parametrize(
    ("game", "bonus", "expected"),
    [
        (FULL, Bonus.FULL_AFTER, Score(30, 20, 10, 0)),
        (FULL, Bonus.FULL_BEFORE, Score(30, 20, 10, 0)),
        (FULL, Bonus.NONE, Score(20, 20, 0, 0)),
        (HEALED, Bonus.FULL_AFTER, Score(30, 20, 10, 0)),
        (HEALED, Bonus.FULL_BEFORE, Score(20, 20, 0, 0)),
        (HEALED, Bonus.NONE, Score(20, 20, 0, 0)),
        (SHORT, Bonus.FULL_AFTER, Score(16, 16, 0, 0)),
        (SHORT, Bonus.FULL_BEFORE, Score(16, 16, 0, 0)),
        (WASTED_FULL, Bonus.FULL_AFTER, Score(30, 20, 10, 0)),
        (WASTED_FULL, Bonus.FULL_BEFORE, Score(30, 20, 10, 0)),
        (WASTED_FULL, Bonus.NONE, Score(20, 20, 0, 0)),
        (WASTED_SHORT, Bonus.FULL_AFTER, Score(16, 16, 0, 0)),
        (WASTED_SHORT, Bonus.FULL_BEFORE, Score(16, 16, 0, 0)),
    ],
)
def test_the_bonus_of_a_last_potion_depends_on_full_health_and_the_option(
    table: Table, game: tuple[str, str], bonus: Bonus, expected: Score
) -> None:
    cards, moves = game
    end = after(table(cards, Options(bonus=bonus)), moves)
    assert end.status is Status.WON
    assert score(end) == expected


def test_a_last_potion_adds_the_bonus_even_if_potions_never_heal(
    table: Table,
) -> None:
    end = after(table(FULL[0], Options(potions_per_turn=0)), FULL[1])
    assert score(end) == Score(30, 20, 10, 0)


def test_full_health_is_the_maximum_of_the_game(table: Table) -> None:
    end = after(table(FULL[0], Options(health=99)), FULL[1])
    assert score(end) == Score(109, 99, 10, 0)


def test_a_potion_that_is_not_the_last_card_faced_adds_no_bonus(table: Table) -> None:
    assert score(after(table(FULL[0]), "2D 3D 4D TH 5D")) == Score(20, 20, 0, 0)
    assert score(after(table("2D 3D 4D 2C TH"), "2D 3D 4D TH 2Cb")) == Score(18, 18, 0, 0)
    assert score(after(table("2D 3D 4D 2C TH"), "2D 3D 4D TH 2Cw")) == Score(20, 20, 0, 0)


def test_there_is_no_bonus_in_a_running_game(table: Table) -> None:
    assert score(after(table(FULL[0]), "2D 3D 4D TH")) == Score(None, 20, 0, 0)


def test_a_game_lost_after_a_potion_has_no_bonus(table: Table) -> None:
    end = after(table("TH AC KC 2D 3D"), "TH ACb KCb")
    assert score(end) == Score(-7, -7, 0, 0)


@pytest.mark.parametrize(
    ("leave", "draw", "moves"),
    [
        (1, Draw.AUTO, "2D 3D 4D TH"),
        (2, Draw.AUTO, "2D 3D TH"),
        (2, Draw.MANUAL, "d d d d 2D 3D TH d"),
    ],
)
def test_a_last_potion_adds_the_bonus_even_if_cards_are_left(
    table: Table, leave: int, draw: Draw, moves: str
) -> None:
    cards = "2D 3D 4D 5D TH" if leave == 1 else "2D 3D TH 5D 4D"
    end = after(table(cards, Options(leave=leave, draw=draw)), moves)
    assert end.status is Status.WON
    assert score(end) == Score(30, 20, 10, 0)


def test_the_worst_score_is_dying_from_the_only_monster_of_the_first_room(
    table: Table,
) -> None:
    end = after(table("AC 2D 3D 4D", Options(health=1), whole=True), "ACb")
    assert score(end) == Score(1 - 208, health=-13, bonus=0, remaining=194)
