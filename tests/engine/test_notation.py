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
    choose,
    parse_action,
    read,
    write,
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


def test_a_game_is_written_as_rules_seed_and_short_actions() -> None:
    assert write(choose(), "SEED", ACTIONS) == "original/SEED/5D 7H KSw 3Cb a d"


def test_options_that_differ_follow_the_ruleset() -> None:
    rules = choose("strict", {"leave": 2, "degradation": "lower_or_equal"})
    line = "strict+degradation=lower_or_equal,leave=2/s/a"
    assert write(rules, "s", ACTIONS[4:5]) == line
    assert read(line) == (rules, "s", ACTIONS[4:5])


def test_a_game_without_actions_ends_with_the_stroke() -> None:
    assert write(choose(), "s", ()) == "original/s/"
    assert read("original/s/").actions == ()


def test_what_is_read_is_named() -> None:
    record = read("original/SEED/5D 7H KSw 3Cb a d")
    assert record.rules == choose()
    assert record.seed == "SEED"
    assert record.actions == ACTIONS


def test_reading_does_not_ask_whether_the_actions_are_legal() -> None:
    assert len(read("original/s/d d d 5D 5D").actions) == 5


@pytest.mark.parametrize("line", ["", "/", "original", "original/s", "original/s/a/", "a/b/c/d"])
def test_a_line_without_exactly_three_parts_is_refused(line: str) -> None:
    with pytest.raises(InvalidNotation, match=r"^a notation is ruleset/seed/actions$") as refusal:
        read(line)
    assert refusal.value.code == "invalid_notation"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("unheard-of/s/a", UnknownRuleset),
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
def test_a_part_that_is_not_written_so_is_refused_for_what_it_is(
    line: str, error: type[EngineError]
) -> None:
    with pytest.raises(EngineError) as refusal:
        read(line)
    assert type(refusal.value) is error


# The seed


@pytest.mark.parametrize("seed", ["a", "Z", "0", ".", "_", "~", "-", "x" * 64, "..", "demo-1"])
def test_a_seed_is_1_to_64_unreserved_characters(seed: str) -> None:
    assert check_seed(seed) == seed
    assert read(f"original/{seed}/").seed == seed


@pytest.mark.parametrize(
    "seed",
    ["", "x" * 65, "a b", "a\n", "\n", "a+b", "a:b", "é", "\N{ARABIC-INDIC DIGIT ONE}", "a\0"],
)
def test_any_other_text_is_no_seed(seed: str) -> None:
    with pytest.raises(InvalidSeed) as refusal:
        check_seed(seed)
    assert refusal.value.code == "invalid_seed"
    assert str(refusal.value) == "a seed is 1 to 64 characters of A-Z a-z 0-9 . _ ~ -"
    with pytest.raises(InvalidSeed):
        read(f"original/{seed}/")
