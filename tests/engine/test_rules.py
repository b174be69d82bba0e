from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import pytest

from engine import (
    DEFAULT_RULESET,
    OPTIONS,
    RULESETS,
    InvalidOption,
    Options,
    Rules,
    UnknownRuleset,
    choose,
    parse_rules,
)

if TYPE_CHECKING:
    from collections.abc import Callable
from engine.rules import Bonus, Degradation, Draw, Terms

TABLE = """\
health: 1 to 99
degradation: lower_or_equal, lower
avoid_order: kept, shuffled
avoiding: not_twice, never, always
draw: auto, manual
potions_per_turn: 0 to 4
leave: 0 to 2
bonus: full_after, full_before, none
loss_counts: dungeon, dungeon_and_room
overkill: counted, ignored
"""

ORIGINAL = (
    20, "lower_or_equal", "kept", "not_twice", "auto", 1, 0, "full_after", "dungeon", "counted",
)  # fmt: skip
STRICT = (20, "lower", "shuffled", "not_twice", "auto", 1, 0, "full_after", "dungeon", "counted")
GRAVEKEEPER = (
    20, "lower_or_equal", "kept", "not_twice", "manual", 1, 0, "full_before", "dungeon_and_room",
    "counted",
)  # fmt: skip
PUBLISHED = {
    "original": ORIGINAL,
    "gamemaker": ORIGINAL,
    "strict": STRICT,
    "gravekeeper": GRAVEKEEPER,
}
"""What stored games name: an entry may be added here, and never be changed or taken away."""

NUMBERS = ["health", "potions_per_turn", "leave"]
WORDS = [name for name in OPTIONS if name not in NUMBERS]


# The options


def test_the_options_and_their_values_are_those_of_the_published_table() -> None:
    lines = [f"{name}: {option.domain}\n" for name, option in OPTIONS.items()]
    assert "".join(lines) == TABLE


def test_a_set_of_options_has_one_field_for_each_in_the_same_order() -> None:
    assert Options._fields == tuple(OPTIONS) == tuple(option.name for option in OPTIONS.values())


def test_an_option_of_numbers_takes_each_whole_number_from_first_to_last() -> None:
    for name in NUMBERS:
        values = list(OPTIONS[name].values.values())
        assert OPTIONS[name].numeric
        assert values == list(range(int(values[0]), int(values[-1]) + 1))


def test_an_option_of_words_takes_all_of_an_enumeration() -> None:
    for name in WORDS:
        values = list(OPTIONS[name].values.values())
        assert not OPTIONS[name].numeric
        assert isinstance(values[0], StrEnum)
        assert values == list(type(values[0]))


def test_a_value_is_written_as_its_text() -> None:
    for option in OPTIONS.values():
        for text, value in option.values.items():
            assert str(value) == text
            assert option.parse(text) == value


def test_every_option_says_in_a_sentence_what_it_settles() -> None:
    sentences = {option.settles for option in OPTIONS.values()}
    assert len(sentences) == len(OPTIONS)
    assert all(one[0].isupper() and one.endswith(".") for one in sentences)


# The rulesets


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_ruleset_never_changes_its_options(name: str) -> None:
    assert RULESETS[name].options == PUBLISHED[name]
    assert RULESETS[name].name == name


def test_every_ruleset_is_pinned_here() -> None:
    assert list(RULESETS) == list(PUBLISHED)


def test_the_original_is_what_is_played_unless_told() -> None:
    assert DEFAULT_RULESET == "original"
    assert choose() == parse_rules("original") == Rules("original", Options())


def test_a_ruleset_has_values_of_the_options_own_kind() -> None:
    for ruleset in RULESETS.values():
        for value, option in zip(ruleset.options, OPTIONS.values(), strict=True):
            assert option.values[str(value)] is value


def test_only_the_gamemaker_version_speaks_of_running_and_of_life() -> None:
    terms = {name: ruleset.terms for name, ruleset in RULESETS.items()}
    assert terms.pop("gamemaker") == Terms(health="life", avoid="run", to_avoid="run from")
    assert set(terms.values()) == {Terms("health", "avoid", "avoid")}


def test_every_ruleset_credits_the_designers_first() -> None:
    for ruleset in RULESETS.values():
        names = [credit.name for credit in ruleset.credits]
        assert names[:2] == ["Zach Gage", "Kurt Bieg"]
    assert RULESETS["gamemaker"].credits[2].name == "David Donarumo"
    assert RULESETS["gravekeeper"].credits[2].name == "David Pinheiro"


def test_rulesets_differ_in_title_and_in_summary() -> None:
    assert len({ruleset.title for ruleset in RULESETS.values()}) == len(RULESETS)
    assert len({ruleset.summary for ruleset in RULESETS.values()}) == len(RULESETS)


# Choosing


def test_overrides_change_single_options_of_the_ruleset_and_no_others() -> None:
    rules = choose("gravekeeper", {"leave": 2, "degradation": "lower"})
    expected = list(GRAVEKEEPER)
    expected[1], expected[6] = "lower", 2
    assert rules.options == tuple(expected)
    assert rules.options.degradation is Degradation.LOWER


def test_rules_are_custom_only_if_an_override_changes_something() -> None:
    assert choose("gravekeeper", {"draw": "auto"}).custom
    assert not choose("gravekeeper", {"draw": "manual"}).custom
    assert not choose("gravekeeper", {}).custom


def test_an_unknown_ruleset_is_refused_and_the_known_are_named() -> None:
    for refuse in (choose, parse_rules):
        with pytest.raises(UnknownRuleset) as refusal:
            refuse("Original")
        assert refusal.value.code == "unknown_ruleset"
        assert refusal.value.name == "Original"
        assert str(refusal.value) == (
            "'Original' is no ruleset; there are original, gamemaker, strict, gravekeeper"
        )


def test_an_unknown_option_is_refused_and_the_known_are_named() -> None:
    refusals: tuple[Callable[[], Rules], ...] = (
        lambda: choose("strict", {"x": 1}),
        lambda: parse_rules("strict+x=1"),
    )
    for refuse in refusals:
        with pytest.raises(InvalidOption) as refusal:
            refuse()
        assert refusal.value.code == "invalid_option"
        assert refusal.value.option == "x"
        assert str(refusal.value) == f"x is no option; there are {', '.join(OPTIONS)}"


@pytest.mark.parametrize("given", [-1, 100, 10**30, 2.0, True, False, "1", None, [], {}])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_value_that_an_option_of_numbers_does_not_take_is_refused(
    name: str, given: object
) -> None:
    with pytest.raises(InvalidOption) as refusal:
        choose("original", {name: given})
    assert refusal.value.option == name
    assert refusal.value.reason == f"takes {OPTIONS[name].domain}"
    assert str(refusal.value) == f"{name} takes {OPTIONS[name].domain}"


@pytest.mark.parametrize("given", ["", "AUTO", " auto", 0, True, None, ["auto"], {}])
@pytest.mark.parametrize("name", WORDS)
def test_a_value_that_an_option_of_words_does_not_take_is_refused(name: str, given: object) -> None:
    with pytest.raises(InvalidOption, match=f"^{name} takes {OPTIONS[name].domain}$"):
        choose("original", {name: given})


def test_health_begins_at_1_and_the_other_numbers_at_0() -> None:
    for name in NUMBERS:
        lowest = 1 if name == "health" else 0
        assert choose("original", {name: lowest}).options._asdict()[name] == lowest
    with pytest.raises(InvalidOption):
        choose("original", {"health": 0})


# The text form


def test_rules_are_written_as_the_ruleset_and_what_differs_in_the_order_of_the_options() -> None:
    assert str(choose("strict")) == "strict"
    assert str(choose("strict", {"degradation": "lower"})) == "strict"
    assert (
        str(choose("original", {"overkill": "ignored", "bonus": "none", "health": 7}))
        == "original+health=7,bonus=none,overkill=ignored"
    )


def test_rules_may_be_read_in_any_order_and_with_what_does_not_differ() -> None:
    read = parse_rules("original+bonus=none,draw=auto,health=7")
    assert read == choose("original", {"health": 7, "bonus": "none"})
    assert read.options.bonus is Bonus.NONE
    assert read.options.draw is Draw.AUTO


@pytest.mark.parametrize(
    ("text", "option", "reason"),
    [
        ("original+leave=1,leave=1", "leave", "is given twice"),
        ("original+leave=1,health=3,leave=2", "leave", "is given twice"),
        ("original+leave", "leave", "takes 0 to 2"),
        ("original+leave=", "leave", "takes 0 to 2"),
        ("original+leave=3", "leave", "takes 0 to 2"),
        ("original+leave=01", "leave", "takes 0 to 2"),
        ("original+leave= 1", "leave", "takes 0 to 2"),
        ("original+leave=+1", "leave", "takes 0 to 2"),
        ("original+leave=1=1", "leave", "takes 0 to 2"),
        ("original+leave=\N{ARABIC-INDIC DIGIT ONE}", "leave", "takes 0 to 2"),
        ("original+draw=Auto", "draw", "takes auto, manual"),
        ("original+Leave=1", "Leave", None),
        ("original+ leave=1", " leave", None),
        ("original+", "", None),
        ("original+leave=1,", "", None),
        ("original++leave=1", "+leave", None),
    ],
)
def test_options_that_are_not_written_so_are_refused(
    text: str, option: str, reason: str | None
) -> None:
    with pytest.raises(InvalidOption) as refusal:
        parse_rules(text)
    assert refusal.value.option == option
    assert refusal.value.reason == (reason or f"is no option; there are {', '.join(OPTIONS)}")


@pytest.mark.parametrize("text", ["", "+leave=1", "original ", "original,leave=1", "original/x"])
def test_text_that_begins_with_no_ruleset_is_refused(text: str) -> None:
    with pytest.raises(UnknownRuleset):
        parse_rules(text)
