from __future__ import annotations

import pytest

from engine import (
    EngineError,
    InvalidNotation,
    InvalidOption,
    InvalidSeed,
    UnknownAction,
    UnknownRuleset,
    check_seed,
    format_notation,
    parse_action,
    parse_notation,
    rules_for,
)

ACTIONS = tuple(
    parse_action(text)
    for text in (
        "equip:5D",
        "drink:7H",
        "fight:KS:weapon",
        "fight:3C:barehanded",
        "avoid",
        "draw",
    )
)


def test_a_notation_has_rules_seed_and_short_actions() -> None:
    assert format_notation(rules_for(), "SEED", ACTIONS) == "original/SEED/5D 7H KSw 3Cb a d"


def test_overridden_options_follow_the_ruleset() -> None:
    rules = rules_for("strict", {"leave": 2, "degradation": "lower_or_equal"})
    line = "strict+degradation=lower_or_equal,leave=2/s/a"
    assert format_notation(rules, "s", ACTIONS[4:5]) == line
    assert parse_notation(line) == (rules, "s", ACTIONS[4:5])


def test_the_notation_of_a_game_without_actions_ends_with_a_slash() -> None:
    assert format_notation(rules_for(), "s", ()) == "original/s/"
    assert parse_notation("original/s/").actions == ()


def test_a_parsed_notation_has_named_parts() -> None:
    record = parse_notation("original/SEED/5D 7H KSw 3Cb a d")
    assert record.rules == rules_for()
    assert record.seed == "SEED"
    assert record.actions == ACTIONS


def test_parsing_does_not_check_that_actions_are_legal() -> None:
    assert len(parse_notation("original/s/d d d 5D 5D").actions) == 5


@pytest.mark.parametrize("line", ["", "/", "original", "original/s", "original/s/a/", "a/b/c/d"])
def test_a_notation_must_have_three_parts(line: str) -> None:
    with pytest.raises(
        InvalidNotation, match=r"^a notation must have the form ruleset/seed/actions$"
    ) as error_info:
        parse_notation(line)
    assert error_info.value.code == "invalid_notation"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("unknown/s/a", UnknownRuleset),
        (" original/s/a", UnknownRuleset),
        ("original+leave=7/s/a", InvalidOption),
        ("original//a", InvalidSeed),
        ("original/s s/a", InvalidSeed),
        ("original/s/ a", UnknownAction),
        ("original/s/a ", UnknownAction),
        ("original/s/a  d", UnknownAction),
        ("original/s/a\td", UnknownAction),
        ("original/s/a\n", UnknownAction),
        ("original/s/avoid", UnknownAction),
        ("original/s/KS", UnknownAction),
    ],
)
def test_an_invalid_part_raises_the_error_of_its_kind(line: str, error: type[EngineError]) -> None:
    with pytest.raises(EngineError) as error_info:
        parse_notation(line)
    assert type(error_info.value) is error


# The seed


@pytest.mark.parametrize("seed", ["a", "Z", "0", ".", "_", "~", "-", "x" * 64, "..", "demo-1"])
def test_a_seed_is_1_to_64_unreserved_characters(seed: str) -> None:
    assert check_seed(seed) == seed
    assert parse_notation(f"original/{seed}/").seed == seed


@pytest.mark.parametrize(
    "seed",
    ["", "x" * 65, "a b", "a\n", "\n", "a+b", "a:b", "é", "\N{ARABIC-INDIC DIGIT ONE}", "a\0"],
)
def test_an_invalid_seed_is_rejected(seed: str) -> None:
    with pytest.raises(InvalidSeed) as error_info:
        check_seed(seed)
    assert error_info.value.code == "invalid_seed"
    assert str(error_info.value) == "a seed must be 1 to 64 characters of A-Z a-z 0-9 . _ ~ -"
    with pytest.raises(InvalidSeed):
        parse_notation(f"original/{seed}/")
