from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from engine.rulebook import rulebook
from engine.rules import OPTIONS, RULESETS, Avoiding, AvoidOrder, Bonus, Options, Terms, choose

if TYPE_CHECKING:
    from engine.rulebook import Section
    from engine.rules import Ruleset

MADE_UP = Terms(health="vim", avoid="dodge", to_avoid="dodge past")
"""Words that the book itself never uses, so that what is not taken from the terms shows."""

each_ruleset = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)


def variations(ruleset: str, name: str) -> list[Options]:
    """Return the ruleset's options with each value that one option takes."""
    values = OPTIONS[name].values.values()
    return [
        choose(ruleset, {name: value if isinstance(value, int) else str(value)}).options
        for value in values
    ]


def all_variations(ruleset: str) -> list[Options]:
    return [options for name in OPTIONS for options in variations(ruleset, name)]


def text(sections: tuple[Section, ...]) -> str:
    return "\n".join(line for heading, lines in sections for line in (heading, *lines))


def assert_prose(sections: tuple[Section, ...]) -> None:
    """No empty line, no placeholder left over; headings differ, paragraphs are sentences."""
    assert len({heading for heading, _ in sections}) == len(sections)
    for heading, paragraphs in sections:
        assert re.fullmatch(r"[A-Z][a-z]*( [a-z]+)*", heading)
        assert paragraphs
        for paragraph in paragraphs:
            assert re.fullmatch(r"[A-Z].*\.", paragraph)
            assert not re.search(r"  |[{}_<>]", paragraph)


@each_ruleset
@pytest.mark.parametrize("name", OPTIONS)
def test_any_two_values_of_an_option_read_differently(ruleset: Ruleset, name: str) -> None:
    books = [rulebook(options, ruleset.terms) for options in variations(ruleset.name, name)]
    assert len(set(books)) == len(books) > 1


@each_ruleset
def test_every_ruleset_and_every_variation_of_it_reads_as_prose(ruleset: Ruleset) -> None:
    for options in all_variations(ruleset.name):
        for terms in (ruleset.terms, MADE_UP):
            assert_prose(rulebook(options, terms))


def test_only_the_terms_speak_of_health_and_of_avoiding() -> None:
    other_words = re.compile(r"health|\blife\b|avoid|\brun", re.IGNORECASE)
    for options in all_variations("original"):
        assert not other_words.search(text(rulebook(options, MADE_UP)))


def test_the_gamemaker_book_says_run_and_life() -> None:
    read = text(rulebook(RULESETS["gamemaker"].options, RULESETS["gamemaker"].terms))
    assert "run from" in read
    assert "20 life" in read
    assert not re.search(r"health|avoid", read, re.IGNORECASE)


def test_the_terms_are_those_of_the_original_unless_told() -> None:
    original = RULESETS["original"]
    assert rulebook(original.options) == rulebook(original.options, original.terms)


def test_where_no_room_may_be_avoided_nothing_is_said_of_its_order() -> None:
    kept, shuffled = (Options(avoiding=Avoiding.NEVER, avoid_order=order) for order in AvoidOrder)
    assert rulebook(kept) == rulebook(shuffled)


@pytest.mark.parametrize(
    ("options", "best"),
    [
        (Options(), 30),
        (Options(health=99, bonus=Bonus.FULL_BEFORE), 109),
        (Options(health=5, bonus=Bonus.NONE), 5),
    ],
)
def test_the_best_score_is_full_health_and_a_ten_where_there_is_a_bonus(
    options: Options, best: int
) -> None:
    assert f"best score there can be is {best}." in text(rulebook(options))


def test_two_rulesets_with_the_same_options_and_terms_share_one_text() -> None:
    for one, other in combinations(RULESETS.values(), 2):
        same = (one.options, one.terms) == (other.options, other.terms)
        assert (rulebook(one.options, one.terms) == rulebook(other.options, other.terms)) is same
