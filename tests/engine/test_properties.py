"""Properties of all games, for any options, seed and player."""

from __future__ import annotations

import copy
import pickle
from itertools import chain, pairwise
from random import Random
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    ACTIONS,
    AVOID,
    DRAW,
    PACK,
    GameOver,
    IllegalAction,
    Kind,
    Options,
    Phase,
    Rules,
    Ruleset,
    Status,
    apply,
    card,
    commitment,
    deal,
    effect,
    format_notation,
    from_log,
    legal_actions,
    pack_order,
    parse_action,
    parse_notation,
    parse_rules,
    parse_short,
    replay,
    rules_for,
    score,
    steps,
    to_log,
)
from engine.rules import RULESETS, Avoiding, AvoidOrder, Degradation
from tests.engine.play import Game, any_luck, any_options, any_seed, games, play
from tests.public import public_event, public_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine import Action, Card, Event, State

any_ruleset: st.SearchStrategy[Ruleset] = st.sampled_from(list(RULESETS.values()))
T = TypeVar("T")


def all_cards(state: State) -> list[Card]:
    """Return the cards in all places."""
    weapon = () if state.weapon is None else (state.weapon.card, *state.weapon.monsters)
    return [*state.room, *state.dungeon, *state.discard, *weapon]


# The cards


@given(games())
def test_each_of_the_44_cards_is_always_in_exactly_one_place(game: Game) -> None:
    for state in game.states:
        assert pack_order(tuple(all_cards(state))) == PACK


@given(any_seed)
def test_a_seed_deals_every_card_once(seed: str) -> None:
    assert pack_order(deal(seed)) == PACK


@given(any_seed, any_seed)
def test_equal_seeds_have_equal_deals_and_different_seeds_different_ones(
    one: str, other: str
) -> None:
    assert deal(one) == deal(one)
    assert (deal(one) == deal(other)) is (one == other)
    assert (commitment(one) == commitment(other)) is (one == other)


@given(games())
def test_a_room_never_holds_more_than_four_cards(game: Game) -> None:
    assert all(len(state.room) <= 4 for state in game.states)


# The end


@given(games())
def test_a_game_is_over_exactly_when_no_action_is_legal(game: Game) -> None:
    for state in game.states:
        over = state.status is not Status.PLAYING
        assert over is not bool(legal_actions(state))
        assert over is (state.phase is Phase.OVER)
        assert over is (state is game.end)


@given(games())
def test_a_game_is_lost_exactly_when_no_health_is_left(game: Game) -> None:
    for state in game.states:
        assert (state.status is Status.LOST) is (state.health <= 0)


@given(games())
def test_a_game_is_won_exactly_when_at_most_leave_cards_remain(game: Game) -> None:
    for state in game.states:
        cleared = not state.dungeon and len(state.room) <= state.options.leave
        assert (state.status is Status.WON) is (cleared and state.health > 0)


@given(games())
def test_a_game_is_won_exactly_when_its_score_is_above_0(game: Game) -> None:
    for state in game.states:
        total = score(state).score
        assert (total is None) is (state.status is Status.PLAYING)
        assert (total is not None and total > 0) is (state.status is Status.WON)


@given(games())
def test_a_score_is_between_health_minus_208_and_health_plus_10(game: Game) -> None:
    total = score(game.end).score
    assert total is not None
    assert game.options.health - 208 <= total <= game.options.health + 10


@given(games())
def test_no_game_has_more_than_288_actions(game: Game) -> None:
    assert game.end.version == len(game.actions) <= 288


# The player


@given(games())
def test_health_is_never_above_its_maximum(game: Game) -> None:
    assert all(state.health <= game.options.health for state in game.states)


@given(games())
def test_an_effect_matches_the_health_and_the_events_after_the_action(game: Game) -> None:
    for (before, after), action in zip(pairwise(game.steps), game.actions, strict=True):
        predicted = effect(before.state, action)
        event = public_event(after.events[0])
        assert predicted.health_after == after.state.health
        assert predicted.health_after == before.state.health - predicted.damage + predicted.healed
        assert predicted.damage == event.get("damage", 0)
        assert predicted.healed == event.get("healed", 0)
        assert predicted.deadly is (after.state.status is Status.LOST)
        assert predicted.deadly is (event["type"] == "died")


@given(games())
def test_three_and_four_potions_per_turn_are_equivalent(game: Game) -> None:
    three, four = (game.options._replace(potions_per_turn=count) for count in (3, 4))
    careful = play(game.seed, three, (1.0, 0.1, 0))
    for step, other in zip(careful.steps, steps(game.seed, careful.actions, four), strict=True):
        assert public_state(step.state) == public_state(other.state)
        assert step.events == other.events


# The actions


@given(games())
def test_the_legal_actions_follow_the_rules_in_the_order_of_the_room(game: Game) -> None:
    for state in game.states[:-1]:
        assert legal_actions(state) == tuple(lawful(state, game.actions[: state.version]))


def lawful(state: State, past: Sequence[Action]) -> Iterator[Action]:
    """Yield what the rules allow, judging by the open cards and the past actions."""
    moves = [action for action in past if action is not DRAW]
    faced = sum(action is not AVOID for action in moves) % 3  # three end a turn
    if faced == 0 and len(state.room) < 4 and state.dungeon:
        yield DRAW
        return
    for open_card in state.room:
        if open_card.kind is Kind.WEAPON:
            yield parse_action(f"equip:{open_card}")
        elif open_card.kind is Kind.POTION:
            yield parse_action(f"drink:{open_card}")
        else:
            yield parse_action(f"fight:{open_card}:barehanded")
            if works_on(state, open_card):
                yield parse_action(f"fight:{open_card}:weapon")
    again = moves[-1:] == [AVOID] and state.options.avoiding is Avoiding.NOT_TWICE
    never = state.options.avoiding is Avoiding.NEVER
    if len(state.room) == 4 and faced == 0 and not again and not never and moves.count(AVOID) < 40:
        yield AVOID


def works_on(state: State, monster: Card) -> bool:
    if state.weapon is None:
        return False
    if state.options.degradation is Degradation.LOWER:
        return all(monster.value < slain.value for slain in state.weapon.monsters)
    return all(monster.value <= slain.value for slain in state.weapon.monsters)


@given(games())
def test_an_illegal_action_raises_an_error_and_does_not_change_the_state(game: Game) -> None:
    for state in game.states:
        before = copy.deepcopy(state)
        legal = legal_actions(state)
        for action in ACTIONS:
            if action in legal:
                continue
            with pytest.raises(IllegalAction) as error:
                apply(state, action)
            assert type(error.value) is (IllegalAction if legal else GameOver)
            assert (error.value.action, error.value.legal) == (action, legal)
        assert state == before


@given(games())
def test_a_legal_action_does_not_change_the_state_that_it_is_applied_to(game: Game) -> None:
    for state in game.states:
        before = copy.deepcopy(state)
        results = [apply(state, action) for action in legal_actions(state)]
        assert state == before
        assert results == [apply(before, action) for action in legal_actions(before)]


# A game as data


@given(games())
def test_a_replay_ends_in_the_final_state(game: Game) -> None:
    assert replay(game.seed, game.actions, game.options) == game.end


@given(games())
def test_a_replay_has_the_same_states_and_events(game: Game) -> None:
    assert tuple(steps(game.seed, game.actions, game.options)) == game.steps


@given(games())
def test_a_log_has_a_printable_character_for_each_action_and_round_trips(game: Game) -> None:
    log = to_log(game.actions)
    assert len(log) == len(game.actions)
    assert log.isascii()
    assert not log or log.isprintable()
    assert from_log(log) == game.actions


@given(games(), any_ruleset)
def test_a_notation_round_trips(game: Game, ruleset: Ruleset) -> None:
    rules = Rules(ruleset.name, game.options)
    line = format_notation(rules, game.seed, game.actions)
    assert parse_notation(line) == (rules, game.seed, game.actions)
    assert format_notation(*parse_notation(line)) == line


@given(
    any_options | st.sampled_from([ruleset.options for ruleset in RULESETS.values()]), any_ruleset
)
def test_the_text_form_of_rules_round_trips(options: Options, ruleset: Ruleset) -> None:
    rules = Rules(ruleset.name, options)
    assert parse_rules(str(rules)) == rules
    assert rules.custom is ("+" in str(rules)) is (options != ruleset.options)


@given(any_options, any_ruleset)
def test_overrides_may_be_json_values(options: Options, ruleset: Ruleset) -> None:
    overrides: dict[str, object] = {
        name: value if isinstance(value, int) else str(value)
        for name, value in options._asdict().items()
    }
    assert rules_for(ruleset.name, overrides) == Rules(ruleset.name, options)


def test_each_text_form_of_an_action_round_trips() -> None:
    for action in ACTIONS:
        assert parse_action(str(action)) is action
        assert parse_short(action.short) is action
        assert from_log(action.char) == (action,)


def test_the_code_of_a_card_round_trips() -> None:
    for one in PACK:
        assert card(str(one)) is one


def pickled(value: T) -> T:
    again: T = pickle.loads(pickle.dumps(value))  # noqa: S301  # pickled on the same line
    return again


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_of_a_card_or_an_action_is_the_same_object(
    copied: Callable[[object], object],
) -> None:
    for thing in (*PACK, *ACTIONS):
        assert copied(thing) is thing


@given(games())
def test_a_pickled_state_behaves_like_the_original(game: Game) -> None:
    for step in game.steps:
        again = pickled(step)
        assert again == step
        for action in legal_actions(again.state):
            assert apply(again.state, action) == apply(step.state, action)


# Hidden information


def other_hidden(state: State, random: Random) -> State:
    """Return a state that differs in everything hidden from the player, and in nothing else."""
    deck = list(state.deck)
    hidden = [slice(state.drawn, 44)]
    if state.options.avoid_order is AvoidOrder.SHUFFLED:
        hidden += [slice(max(start, state.drawn), start + 4) for start in range(44, len(deck), 4)]
    for part in hidden:
        cards = deck[part]
        random.shuffle(cards)
        deck[part] = cards
    return state._replace(deck=tuple(deck), seed=f"another-{random.random()}")


@given(games(), any_luck)
def test_the_public_state_does_not_depend_on_hidden_cards(game: Game, luck: int) -> None:
    random = Random(luck)
    for state in game.states:
        assert public_state(other_hidden(state, random)) == public_state(state)


@given(games(), any_luck)
def test_an_action_depends_only_on_the_hidden_cards_that_it_turns_up(game: Game, luck: int) -> None:
    random = Random(luck)
    for state in game.states:
        twin = other_hidden(state, random)
        for action in legal_actions(state):
            step, other = apply(state, action), apply(twin, action)
            turned_up = step.state.drawn - state.drawn
            assert other.state.drawn - twin.drawn == turned_up
            assert public(step.events) == public(other.events)
            if not turned_up:
                assert public_state(step.state) == public_state(other.state)


@given(games(), any_luck)
def test_an_effect_does_not_depend_on_hidden_cards(game: Game, luck: int) -> None:
    random = Random(luck)
    for state in game.states:
        twin = other_hidden(state, random)
        for action in legal_actions(state):
            assert effect(state, action) == effect(twin, action)


def public(events: Sequence[Event]) -> list[dict[str, object]]:
    """Return the events without those of cards drawn."""
    return [public_event(event) for event in events if event.type != "cards_drawn"]


@given(games())
def test_the_dungeon_consists_of_the_unseen_cards_and_the_avoided_rooms(game: Game) -> None:
    for state in game.states:
        bottom = tuple(chain.from_iterable(state.bottom))
        assert pack_order((*state.unseen, *bottom)) == pack_order(state.dungeon)


@given(games())
def test_the_unseen_cards_are_those_without_an_event_in_pack_order(
    game: Game,
) -> None:
    shown: set[Card] = set()
    for state, events in game.steps:
        shown.update(*(event.cards for event in events if event.type == "cards_drawn"))
        assert state.unseen == tuple(one for one in PACK if one not in shown)


@given(games())
def test_avoided_rooms_stay_at_the_bottom_until_they_are_drawn_again(game: Game) -> None:
    rooms: list[list[Card]] = []
    unseen = 44
    for state, events in game.steps:
        for event in events:
            if event.type == "room_avoided":
                rooms.append(list(event.cards))
            elif event.type == "cards_drawn":
                for one in event.cards:
                    if unseen:
                        unseen -= 1
                    else:
                        rooms[0].remove(one)
                        rooms = [room for room in rooms if room]
        if game.options.avoid_order is AvoidOrder.SHUFFLED:
            assert state.bottom == tuple(pack_order(tuple(room)) for room in rooms)
        else:
            assert state.bottom == tuple(tuple(room) for room in rooms)


@given(games())
def test_a_kept_room_returns_in_its_order(game: Game) -> None:
    if game.options.avoid_order is AvoidOrder.KEPT:
        for state in game.states:
            hidden = len(state.unseen)
            assert state.dungeon[hidden:] == tuple(chain.from_iterable(state.bottom))
