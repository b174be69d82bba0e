"""Single rules, each on a prepared dungeon. Five cards make two turns: four cards, then two.

Moves are written as in notation: ``5D`` equips, ``7H`` drinks, ``KSw`` and ``KSb`` fight with the
weapon and barehanded, ``a`` avoids and ``d`` draws.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import pytest

from engine import (
    ACTIONS,
    AVOID,
    DRAW,
    PACK,
    Effect,
    EngineError,
    GameOver,
    IllegalAction,
    InvalidNotation,
    InvalidOption,
    InvalidSeed,
    Options,
    Status,
    UnknownAction,
    UnknownCard,
    UnknownRuleset,
    apply,
    apply_all,
    begin,
    card,
    commitment,
    deal,
    effect,
    parse_action,
    parse_short,
    replay,
    steps,
)
from engine.deal import shuffle
from engine.rules import Avoiding, AvoidOrder, Degradation, Draw
from tests.engine.play import play
from tests.public import public_event

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine import Card, Event, State
    from tests.engine.conftest import Table


def after(state: State, moves: str) -> State:
    for move in moves.split():
        state = apply(state, parse_short(move)).state
    return state


def events(state: State, moves: str) -> list[dict[str, object]]:
    """Return the events of the last of ``moves``."""
    *before, last = moves.split()
    return public_events(apply(after(state, " ".join(before)), parse_short(last)).events)


def public_events(all_events: Iterable[Event]) -> list[dict[str, object]]:
    return [public_event(event) for event in all_events]


def legal(state: State) -> str:
    return " ".join(action.short for action in state.legal)


def codes(cards: Iterable[Card]) -> str:
    return " ".join(str(one) for one in cards)


# Errors


def test_an_illegal_action_raises_an_error_with_the_legal_actions() -> None:
    state = begin("demo-original-1").state
    with pytest.raises(IllegalAction) as error:
        apply(state, DRAW)
    assert type(error.value) is IllegalAction
    assert error.value.code == "illegal_action"
    assert error.value.action is DRAW
    assert error.value.legal == state.legal
    assert error.value.index == 0
    assert str(error.value) == "draw is not legal now"


def test_every_action_raises_game_over_after_the_end(table: Table) -> None:
    end = after(table("AS KS 2D 3D 4D"), "ASb KSb")
    assert end.status is Status.LOST
    for action in ACTIONS:
        with pytest.raises(GameOver) as error:
            apply(end, action)
        assert error.value.code == "game_over"
        assert error.value.action is action
        assert error.value.legal == ()


def test_each_error_has_its_own_stable_code() -> None:
    assert {kind: kind.code for kind in subclasses(EngineError)} == {
        UnknownCard: "unknown_card",
        UnknownAction: "unknown_action",
        UnknownRuleset: "unknown_ruleset",
        InvalidOption: "invalid_option",
        InvalidSeed: "invalid_seed",
        InvalidNotation: "invalid_notation",
        IllegalAction: "illegal_action",
        GameOver: "game_over",
    }


def subclasses(kind: type[EngineError]) -> list[type[EngineError]]:
    direct = kind.__subclasses__()
    return direct + [below for one in direct for below in subclasses(one)]


def test_game_over_is_an_illegal_action_and_every_error_is_a_value_error() -> None:
    assert issubclass(GameOver, IllegalAction)
    assert issubclass(EngineError, ValueError)


def test_steps_yields_up_to_the_first_illegal_action() -> None:
    seed = "demo-original-1"
    moves = [parse_action("equip:6D"), DRAW, parse_action("fight:AS:weapon")]
    replayed = steps(seed, moves)
    assert next(replayed) == begin(seed)
    assert next(replayed).state.version == 1
    with pytest.raises(IllegalAction) as error:
        next(replayed)
    assert error.value.index == 1
    with pytest.raises(IllegalAction) as error:
        replay(seed, moves)
    assert error.value.index == 1


def test_apply_all_applies_actions_one_after_another_and_on_demand() -> None:
    state = begin("demo-original-1").state
    moves = [parse_action("equip:6D"), parse_action("fight:AS:weapon"), DRAW]
    all_steps = apply_all(state, iter(moves))
    first, second = next(all_steps), next(all_steps)
    assert first == apply(state, moves[0])
    assert second == apply(first.state, moves[1])
    with pytest.raises(IllegalAction) as error:
        next(all_steps)
    assert error.value.index == 2
    assert error.value.action is DRAW
    assert error.value.legal == second.state.legal
    assert list(apply_all(state, ())) == []


def test_apply_all_tells_which_action_follows_the_end(table: Table) -> None:
    moves = [parse_short(move) for move in ("ASb", "KSb", "2D", "3D")]
    with pytest.raises(GameOver) as error:
        list(apply_all(table("AS KS 2D 3D 4D"), moves))
    assert error.value.index == 2
    assert error.value.action is moves[2]
    assert error.value.legal == ()


# The deal


def test_the_default_rules_are_the_original_ones() -> None:
    assert begin("s") == begin("s", Options())
    assert replay("s", ()) == begin("s").state
    assert list(steps("s", ())) == [begin("s")]


def test_a_game_begins_with_the_deal_of_its_seed() -> None:
    state = begin("demo-0").state
    assert state.room + state.dungeon == deal("demo-0")


def test_a_shuffle_depends_on_its_label_and_on_its_seed() -> None:
    cards = deal("s")
    orders = {shuffle(cards, seed, label) for seed in ("s", "t") for label in ("deal", "avoid/1")}
    assert len(orders) == 4


def test_shuffling_one_card_or_none_changes_nothing() -> None:
    assert shuffle((), "s", "deal") == ()
    assert shuffle((card("5D"),), "s", "deal") == (card("5D"),)


def test_a_word_that_would_bias_the_shuffle_is_skipped() -> None:
    # The 19th word is 2**32 - 6, above the largest multiple of 26: about one seed in two million.
    assert codes(deal("demo-90515")) == (
        "5S AC 7C 5C 4D 3D TC 9S 2D 6H 2C TS 7D 8D 3H 8C 6S JC 4C QS 7S 8S "
        "TH 6D 5D KS JS 4H 8H KC 6C 4S 3S TD 7H 9C AS 5H 2S 2H 9H 3C QC 9D"
    )


def test_a_shuffle_follows_the_published_description() -> None:
    for seed in ("demo-0", "demo-90515", "~", "x" * 64):
        for size in range(2, 45):
            cards = PACK[:size]
            assert shuffle(cards, seed, f"label/{size}") == described_shuffle(
                cards, seed, f"label/{size}"
            )


def described_shuffle(cards: Iterable[Card], seed: str, label: str) -> tuple[Card, ...]:
    """Shuffle word by word, as published."""
    shuffled = list(cards)
    place = 0

    def uniform(n: int) -> int:
        nonlocal place
        while True:
            block = f"{seed}\0{label}\0".encode() + struct.pack(">I", place // 8)
            digest = hashlib.sha256(block).digest()
            word = int.from_bytes(digest[place % 8 * 4 :][:4], "big")
            place += 1
            if word < 2**32 // n * n:
                return word % n

    for i in range(len(shuffled) - 1, 0, -1):
        j = uniform(i + 1)
        shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
    return tuple(shuffled)


def test_a_commitment_is_the_hash_of_the_game_name_and_the_seed() -> None:
    assert commitment("demo-0") == (
        "0396f003055f1b84d7722d866825d2dfb04c32d9c32a5c0e2d0ab27f22595397"
    )


# Health


def test_health_starts_at_its_maximum_which_potions_cannot_exceed(table: Table) -> None:
    state = table("5C 9H 3C 2D 3D", Options(health=7))
    assert state.health == 7
    assert after(state, "5Cb").health == 2
    assert after(state, "5Cb 9H").health == 7
    assert events(state, "5Cb 9H") == [{"type": "potion_drunk", "card": "9H", "healed": 5}]


def test_the_player_lives_at_1_health_and_is_dead_at_0(table: Table) -> None:
    state = table("5C 2H 3C 2D 3D", Options(health=6))
    assert after(state, "5Cb").status is Status.PLAYING
    state = table("5C 2H 3C 2D 3D", Options(health=5))
    assert after(state, "5Cb").status is Status.LOST


def test_a_monster_that_kills_is_put_where_a_slain_one_would_be(table: Table) -> None:
    bare = after(table("5C 2D 3D 4D 5D", Options(health=1)), "5Cb")
    assert (codes(bare.room), codes(bare.discard)) == ("2D 3D 4D", "5C")
    armed = after(table("5C 2D 3D 4D 5D", Options(health=1)), "2D 5Cw")
    assert (codes(armed.room), codes(armed.discard)) == ("3D 4D", "")
    assert armed.weapon is not None
    assert codes(armed.weapon.monsters) == "5C"


def test_dying_from_the_third_card_does_not_begin_a_turn(table: Table) -> None:
    state = table("2D 3D AC 4D 5D", Options(health=5))
    assert events(state, "2D 3D ACb") == [
        {"type": "died", "card": "AC", "how": "barehanded", "damage": 14}
    ]
    assert after(state, "2D 3D ACb").turn == 1


def test_dying_from_the_last_card_loses_the_game(table: Table) -> None:
    state = after(table("2D 3D 4D 5D AC", Options(health=5)), "2D 3D 4D 5D ACb")
    assert (state.status, state.room, state.dungeon) == (Status.LOST, (), ())


# Weapons


@pytest.mark.parametrize(
    ("degradation", "moves"),
    [
        (Degradation.LOWER_OR_EQUAL, "8Sb 8Sw 7Cb 7Cw"),
        (Degradation.LOWER, "8Sb 7Cb 7Cw"),
    ],
)
def test_degradation_decides_whether_a_used_weapon_works_on_an_equal_monster(
    table: Table, degradation: Degradation, moves: str
) -> None:
    state = table("5D 8C 8S 7C 2H", Options(degradation=degradation))
    assert legal(after(state, "5D 8Cw")) == moves


def test_a_new_weapon_works_on_any_monster_and_a_used_one_on_weaker_ones(table: Table) -> None:
    state = after(table("2D 3C AC 9S 2H"), "2D")
    assert legal(state) == "3Cb 3Cw ACb ACw 9Sb 9Sw"
    assert legal(after(state, "3Cw")) == "ACb 9Sb"
    assert legal(after(state, "3Cb")) == "ACb ACw 9Sb 9Sw"


def test_a_used_weapon_still_reduces_damage_by_its_full_value(table: Table) -> None:
    state = table("5D 3C 2C 9S 2H", Options())
    assert after(state, "5D 9Sw").health == 16
    assert after(state, "5D 9Sw 3Cw").health == 16


def test_a_new_weapon_discards_the_old_one_and_then_its_monsters(table: Table) -> None:
    state = table("5D 3C 2C 6D 2H")
    assert events(state, "5D 3Cw 6D")[0] == {
        "type": "weapon_equipped",
        "card": "6D",
        "discarded": ["5D", "3C"],
    }
    assert codes(after(state, "5D 3Cw 6D").discard) == "5D 3C"


def test_the_discard_keeps_the_order_in_which_cards_were_discarded(table: Table) -> None:
    state = table("9C 2H 3D 5C 4D 6D 7D 8D")
    assert codes(after(state, "9Cb 2H 3D 5Cw 4D").discard) == "9C 2H 3D 5C"


# Avoiding


def test_not_twice_allows_avoiding_again_after_a_faced_room(table: Table) -> None:
    state = table("2C 2D 3D 4D 5D 6D 7D 8D 9D TD", whole=True)
    assert AVOID in state.legal
    assert AVOID not in after(state, "a").legal
    assert AVOID in after(state, "a 5D 6D 7D").legal


def test_never_forbids_avoiding_and_always_allows_it_repeatedly(table: Table) -> None:
    assert AVOID not in table("", Options(avoiding=Avoiding.NEVER), whole=True).legal
    assert AVOID in after(table("", Options(avoiding=Avoiding.ALWAYS), whole=True), "a a a").legal


def test_a_room_cannot_be_avoided_after_facing_one_of_its_cards(table: Table) -> None:
    state = table("2D 3D 4D 5D 6D 7D 8D", Options(avoiding=Avoiding.ALWAYS))
    assert AVOID not in after(state, "2D").legal
    assert AVOID not in after(state, "2D 3D").legal


def test_the_last_room_cannot_be_avoided(table: Table) -> None:
    state = table("2D 3D 4D 5D 6D", Options(avoiding=Avoiding.ALWAYS))
    assert legal(after(state, "2D 3D 4D")) == "5D 6D"


def test_a_kept_avoided_room_goes_to_the_bottom_from_left_to_right(table: Table) -> None:
    state = after(table("5C 2D 3H 4D 6D 7D 8D 9D"), "a")
    assert codes(state.room) == "6D 7D 8D 9D"
    assert codes(state.dungeon) == "5C 2D 3H 4D"


def test_a_shuffled_avoided_room_has_an_order_of_its_own() -> None:
    options = Options(avoid_order=AvoidOrder.SHUFFLED, avoiding=Avoiding.ALWAYS)
    first = begin("s", options).state
    second = after(first, "a")
    third = after(second, "a")
    assert third.dungeon[-8:] == (
        *shuffle(first.room, "s", "avoid/1"),
        *shuffle(second.room, "s", "avoid/2"),
    )


@pytest.mark.parametrize("order", AvoidOrder)
def test_at_most_forty_rooms_may_be_avoided(order: AvoidOrder) -> None:
    options = Options(avoiding=Avoiding.ALWAYS, avoid_order=order)
    state = begin("s", options).state
    for _ in range(40):
        state = apply(state, AVOID).state
    assert len(state.room) == 4
    with pytest.raises(IllegalAction):
        apply(state, AVOID)
    with pytest.raises(IllegalAction):
        apply(after(state, " ".join(a.short for a in state.legal[:1])), AVOID)


def test_the_longest_game_has_288_actions() -> None:
    options = Options(health=99, avoiding=Avoiding.ALWAYS, draw=Draw.MANUAL)
    longest = next(
        game
        for game in (play(f"demo-{n}", options, (1.0, 1.0, n)) for n in range(100))
        if game.end.status is Status.WON
    )
    assert len(longest.actions) == 288


# Drawing


def test_manual_drawing_takes_one_draw_action_for_each_card(table: Table) -> None:
    state = table("2D 3D 4D 5D 6D 7D 8D", Options(draw=Draw.MANUAL))
    assert public_events(begin("laid", state.options).events) == []
    for room in ("", "2D", "2D 3D", "2D 3D 4D"):
        assert codes(state.room) == room
        assert state.legal == (DRAW,)
        state = apply(state, DRAW).state
    assert legal(state) == "2D 3D 4D 5D a"
    assert events(state, "2D 3D 4D") == [
        {"type": "weapon_equipped", "card": "4D", "discarded": ["3D"]},
        {"type": "turn_began", "turn": 2},
    ]
    assert legal(after(state, "2D 3D 4D")) == "d"


def test_after_avoiding_cards_are_drawn_automatically_or_manually(table: Table) -> None:
    cards = "2D 3D 4D 5D 6D 7D 8D 9D"
    avoided = {"type": "room_avoided", "cards": ["2D", "3D", "4D", "5D"]}
    turn = {"type": "turn_began", "turn": 2}
    drawn = {"type": "cards_drawn", "cards": ["6D", "7D", "8D", "9D"]}
    assert events(table(cards), "a") == [avoided, turn, drawn]
    manual = table(cards, Options(draw=Draw.MANUAL))
    assert events(manual, "d d d d a") == [avoided, turn]
    assert events(manual, "d d d d a d") == [{"type": "cards_drawn", "cards": ["6D"]}]


# Potions


@pytest.mark.parametrize(
    ("allowed", "health"), [(0, [6, 6, 6]), (1, [8, 8, 8]), (2, [8, 11, 11]), (3, [8, 11, 15])]
)
def test_the_number_of_healing_potions_in_a_turn_is_limited(
    table: Table, allowed: int, health: list[int]
) -> None:
    state = table("AC 2D 3D 5D 2H 3H 4H", Options(potions_per_turn=allowed))
    state = after(state, "ACb 2D 3D")
    drunk = [after(state, moves).health for moves in ("2H", "2H 3H", "2H 3H 4H")]
    assert drunk == health


def test_a_potion_at_full_health_counts_towards_the_limit(table: Table) -> None:
    state = table("9H 5C 2H 2D 3D")
    assert events(state, "9H") == [{"type": "potion_drunk", "card": "9H", "healed": 0}]
    assert events(state, "9H 5Cb 2H")[0] == {"type": "potion_wasted", "card": "2H"}
    assert after(state, "9H 5Cb 2H").health == 15


def test_the_potion_limit_starts_anew_each_turn(table: Table) -> None:
    state = table("AC 2H 2D 3H 4H 3D 4D")
    assert after(state, "ACb 2H 2D 3H").health == 11
    assert after(state, "ACb 2H 2D").potions == 0


def test_the_last_room_is_one_turn_with_one_potion_limit(table: Table) -> None:
    state = after(table("AC 2D 3D 2H 3H"), "ACb 2D 3D 2H")
    assert (state.turn, state.faced, state.potions) == (2, 1, 1)
    assert after(state, "3H").health == 8


# The end


@pytest.mark.parametrize(
    ("leave", "moves"), [(0, "2D 3D 4D 5D 6D"), (1, "2D 3D 4D 6D"), (2, "2D 3D 4D")]
)
def test_the_game_is_won_when_at_most_leave_cards_remain(
    table: Table, leave: int, moves: str
) -> None:
    state = table("2D 3D 4D 5D 6D", Options(leave=leave))
    before = after(state, moves.rsplit(" ", 1)[0])
    assert before.status is Status.PLAYING
    end = after(state, moves)
    assert (end.status, len(end.room)) == (Status.WON, leave)
    assert events(state, moves)[-1] == {"type": "dungeon_cleared"}


def test_with_leave_2_drawing_the_last_cards_automatically_wins(table: Table) -> None:
    assert events(table("2D 3D 4D 5D 6D", Options(leave=2)), "2D 3D 4D")[1:] == [
        {"type": "turn_began", "turn": 2},
        {"type": "cards_drawn", "cards": ["6D"]},
        {"type": "dungeon_cleared"},
    ]


def test_with_leave_2_drawing_the_last_card_manually_wins(table: Table) -> None:
    state = table("2D 3D 4D 5D 6D", Options(leave=2, draw=Draw.MANUAL))
    assert after(state, "d d d d 2D 3D 4D").status is Status.PLAYING
    assert events(state, "d d d d 2D 3D 4D d") == [
        {"type": "cards_drawn", "cards": ["6D"]},
        {"type": "dungeon_cleared"},
    ]


def test_with_leave_2_two_remaining_cards_of_an_earlier_room_do_not_win(table: Table) -> None:
    state = table("2D 3D 4D 5D 6D", Options(leave=2))
    assert after(state, "2D 3D").status is Status.PLAYING


# Effects


def test_an_effect_has_damage_and_healing(table: Table) -> None:
    state = after(table("5D 9C 7H 2C 2D", Options(health=9)), "5D")
    assert effect(state, parse_short("9Cb")) == Effect(9, 0, 0)
    assert effect(state, parse_short("9Cw")) == Effect(4, 0, 5)
    assert effect(state, parse_short("2Cw")) == Effect(0, 0, 9)
    assert effect(after(state, "9Cw"), parse_short("7H")) == Effect(0, 4, 9)


def test_an_effect_is_deadly_if_no_health_remains() -> None:
    assert Effect(9, 0, 0).deadly
    assert Effect(9, 0, -1).deadly
    assert not Effect(9, 0, 1).deadly


def test_avoiding_drawing_and_equipping_do_not_change_health(table: Table) -> None:
    nothing = Effect(0, 0, 20)
    assert effect(table("2D 3D 4D 5D 6D"), AVOID) == nothing
    assert effect(table("2D 3D 4D 5D 6D"), parse_short("2D")) == nothing
    assert effect(table("2D", Options(draw=Draw.MANUAL)), DRAW) == nothing


def test_the_effect_of_a_potion_beyond_the_limit_is_no_healing(table: Table) -> None:
    state = after(table("9C 2H 3H 2C 2D"), "9Cb 2H")
    assert effect(state, parse_short("3H")) == Effect(0, 0, 13)
