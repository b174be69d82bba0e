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
    parse_rules,
    rules_for,
)

if TYPE_CHECKING:
    from collections.abc import Callable
from engine.rules import Bonus, Degradation, Draw, Terms

TABLE = """\
health must be between 1 and 99
degradation must be one of lower_or_equal, lower
avoid_order must be one of kept, shuffled
avoiding must be one of not_twice, never, always
draw must be one of auto, manual
potions_per_turn must be between 0 and 4
leave must be between 0 and 2
bonus must be one of full_after, full_before, none
loss_counts must be one of dungeon, dungeon_and_room
overkill must be one of counted, ignored
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
"""Stored games refer to these: an entry may be added, but not changed or removed."""

NUMBERS = ["health", "potions_per_turn", "leave"]
WORDS = [name for name in OPTIONS if name not in NUMBERS]


# The options


def test_the_options_and_their_values_are_the_published_ones() -> None:
    lines = [f"{name} {option.requirement}\n" for name, option in OPTIONS.items()]
    assert "".join(lines) == TABLE


def test_options_has_one_field_for_each_option_in_the_same_order() -> None:
    assert Options._fields == tuple(OPTIONS) == tuple(option.name for option in OPTIONS.values())


def test_the_values_of_a_numeric_option_are_a_range() -> None:
    for name in NUMBERS:
        values = list(OPTIONS[name].values.values())
        assert OPTIONS[name].numeric
        assert values == list(range(int(values[0]), int(values[-1]) + 1))


def test_the_values_of_an_option_of_words_are_an_enumeration() -> None:
    for name in WORDS:
        values = list(OPTIONS[name].values.values())
        assert not OPTIONS[name].numeric
        assert isinstance(values[0], StrEnum)
        assert values == list(type(values[0]))


def test_the_text_of_a_value_round_trips() -> None:
    for option in OPTIONS.values():
        for text, value in option.values.items():
            assert str(value) == text
            assert option.parse(text) == value


def test_every_option_has_its_own_sentence() -> None:
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


def test_the_default_ruleset_is_the_original() -> None:
    assert DEFAULT_RULESET == "original"
    assert rules_for() == parse_rules("original") == Rules("original", Options())


def test_the_options_of_a_ruleset_have_the_right_type() -> None:
    for ruleset in RULESETS.values():
        for value, option in zip(ruleset.options, OPTIONS.values(), strict=True):
            assert option.values[str(value)] is value


def test_only_the_gamemaker_version_has_its_own_terms() -> None:
    terms = {name: ruleset.terms for name, ruleset in RULESETS.items()}
    assert terms.pop("gamemaker") == Terms(health="life", avoid="run", to_avoid="run from")
    assert set(terms.values()) == {Terms("health", "avoid", "avoid")}


def test_every_ruleset_credits_the_designers_first() -> None:
    for ruleset in RULESETS.values():
        names = [credit.name for credit in ruleset.credits]
        assert names[:2] == ["Zach Gage", "Kurt Bieg"]
    assert RULESETS["gamemaker"].credits[2].name == "David Donarumo"
    assert RULESETS["gravekeeper"].credits[2].name == "David Pinheiro"


def test_rulesets_have_different_titles_and_summaries() -> None:
    assert len({ruleset.title for ruleset in RULESETS.values()}) == len(RULESETS)
    assert len({ruleset.summary for ruleset in RULESETS.values()}) == len(RULESETS)


# Overrides


def test_overrides_change_only_the_given_options() -> None:
    rules = rules_for("gravekeeper", {"leave": 2, "degradation": "lower"})
    expected = list(GRAVEKEEPER)
    expected[1], expected[6] = "lower", 2
    assert rules.options == tuple(expected)
    assert rules.options.degradation is Degradation.LOWER


def test_rules_are_custom_only_if_an_option_differs_from_the_ruleset() -> None:
    assert rules_for("gravekeeper", {"draw": "auto"}).custom
    assert not rules_for("gravekeeper", {"draw": "manual"}).custom
    assert not rules_for("gravekeeper", {}).custom


def test_an_unknown_ruleset_is_rejected_and_the_message_lists_the_known_ones() -> None:
    for function in (rules_for, parse_rules):
        with pytest.raises(UnknownRuleset) as error:
            function("Original")
        assert error.value.code == "unknown_ruleset"
        assert error.value.name == "Original"
        assert str(error.value) == (
            "'Original' is not a ruleset; rulesets are original, gamemaker, strict, gravekeeper"
        )


def test_an_unknown_option_is_rejected_and_the_message_lists_the_known_ones() -> None:
    calls: tuple[Callable[[], Rules], ...] = (
        lambda: rules_for("strict", {"x": 1}),
        lambda: parse_rules("strict+x=1"),
    )
    for call in calls:
        with pytest.raises(InvalidOption) as error:
            call()
        assert error.value.code == "invalid_option"
        assert error.value.option == "x"
        assert str(error.value) == f"x is not an option; options are {', '.join(OPTIONS)}"


@pytest.mark.parametrize("given", [-1, 100, 10**30, 2.0, True, False, "1", None, [], {}])
@pytest.mark.parametrize("name", NUMBERS)
def test_an_invalid_value_of_a_numeric_option_is_rejected(name: str, given: object) -> None:
    with pytest.raises(InvalidOption) as error:
        rules_for("original", {name: given})
    assert error.value.option == name
    assert error.value.reason == OPTIONS[name].requirement
    assert str(error.value) == f"{name} {OPTIONS[name].requirement}"


@pytest.mark.parametrize("given", ["", "AUTO", " auto", 0, True, None, ["auto"], {}])
@pytest.mark.parametrize("name", WORDS)
def test_an_invalid_value_of_an_option_of_words_is_rejected(name: str, given: object) -> None:
    with pytest.raises(InvalidOption, match=f"^{name} {OPTIONS[name].requirement}$"):
        rules_for("original", {name: given})


def test_the_minimum_of_health_is_1_and_of_other_numeric_options_0() -> None:
    for name in NUMBERS:
        lowest = 1 if name == "health" else 0
        assert rules_for("original", {name: lowest}).options._asdict()[name] == lowest
    with pytest.raises(InvalidOption):
        rules_for("original", {"health": 0})


# The text form


def test_the_text_form_has_the_ruleset_and_the_differing_options_in_order() -> None:
    assert str(rules_for("strict")) == "strict"
    assert str(rules_for("strict", {"degradation": "lower"})) == "strict"
    assert (
        str(rules_for("original", {"overkill": "ignored", "bonus": "none", "health": 7}))
        == "original+health=7,bonus=none,overkill=ignored"
    )


def test_parsed_options_may_have_any_order_and_the_default_value() -> None:
    rules = parse_rules("original+bonus=none,draw=auto,health=7")
    assert rules == rules_for("original", {"health": 7, "bonus": "none"})
    assert rules.options.bonus is Bonus.NONE
    assert rules.options.draw is Draw.AUTO


@pytest.mark.parametrize(
    ("text", "option", "reason"),
    [
        ("original+leave=1,leave=1", "leave", "must not be repeated"),
        ("original+leave=1,health=3,leave=2", "leave", "must not be repeated"),
        ("original+leave", "leave", "must be between 0 and 2"),
        ("original+leave=", "leave", "must be between 0 and 2"),
        ("original+leave=3", "leave", "must be between 0 and 2"),
        ("original+leave=01", "leave", "must be between 0 and 2"),
        ("original+leave= 1", "leave", "must be between 0 and 2"),
        ("original+leave=+1", "leave", "must be between 0 and 2"),
        ("original+leave=1=1", "leave", "must be between 0 and 2"),
        ("original+leave=\N{ARABIC-INDIC DIGIT ONE}", "leave", "must be between 0 and 2"),
        ("original+draw=Auto", "draw", "must be one of auto, manual"),
        ("original+Leave=1", "Leave", None),
        ("original+ leave=1", " leave", None),
        ("original+", "", None),
        ("original+leave=1,", "", None),
        ("original++leave=1", "+leave", None),
    ],
)
def test_invalid_options_are_rejected(text: str, option: str, reason: str | None) -> None:
    with pytest.raises(InvalidOption) as error:
        parse_rules(text)
    assert error.value.option == option
    assert error.value.reason == (reason or f"is not an option; options are {', '.join(OPTIONS)}")


@pytest.mark.parametrize("text", ["", "+leave=1", "original ", "original,leave=1", "original/x"])
def test_text_without_a_valid_ruleset_is_rejected(text: str) -> None:
    with pytest.raises(UnknownRuleset):
        parse_rules(text)
