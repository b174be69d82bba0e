from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from engine.rulebook import rulebook
from engine.rules import OPTIONS, RULESETS, Avoiding, AvoidOrder, Bonus, Options, Terms, rules_for

if TYPE_CHECKING:
    from engine.rulebook import Section
    from engine.rules import Ruleset

MADE_UP = Terms(health="vim", avoid="dodge", to_avoid="dodge past")
"""Words that the rulebook does not use itself, to show which words come from the terms."""

each_ruleset = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)


def variations(ruleset: str, name: str) -> list[Options]:
    """Return the options of the ruleset with each value of one option."""
    values = OPTIONS[name].values.values()
    return [
        rules_for(ruleset, {name: value if isinstance(value, int) else str(value)}).options
        for value in values
    ]


def all_variations(ruleset: str) -> list[Options]:
    return [options for name in OPTIONS for options in variations(ruleset, name)]


def text(sections: tuple[Section, ...]) -> str:
    return "\n".join(line for heading, lines in sections for line in (heading, *lines))


def assert_prose(sections: tuple[Section, ...]) -> None:
    """Check that headings differ, paragraphs are sentences and no placeholder is left."""
    assert len({heading for heading, _ in sections}) == len(sections)
    for heading, paragraphs in sections:
        assert re.fullmatch(r"[A-Z][a-z]*( [a-z]+)*", heading)
        assert paragraphs
        for paragraph in paragraphs:
            assert re.fullmatch(r"[A-Z].*\.", paragraph)
            assert not re.search(r"  |[{}_<>]", paragraph)


@each_ruleset
@pytest.mark.parametrize("name", OPTIONS)
def test_each_value_of_an_option_has_a_text_of_its_own(ruleset: Ruleset, name: str) -> None:
    books = [rulebook(options, ruleset.terms) for options in variations(ruleset.name, name)]
    assert len(set(books)) == len(books) > 1


@each_ruleset
def test_every_ruleset_and_every_variation_of_it_is_prose(ruleset: Ruleset) -> None:
    for options in all_variations(ruleset.name):
        for terms in (ruleset.terms, MADE_UP):
            assert_prose(rulebook(options, terms))


def test_health_and_avoiding_are_named_by_terms_only() -> None:
    other_words = re.compile(r"health|\blife\b|avoid|\brun", re.IGNORECASE)
    for options in all_variations("original"):
        assert not other_words.search(text(rulebook(options, MADE_UP)))


def test_the_gamemaker_rulebook_says_run_and_life() -> None:
    read = text(rulebook(RULESETS["gamemaker"].options, RULESETS["gamemaker"].terms))
    assert "run from" in read
    assert "20 life" in read
    assert not re.search(r"health|avoid", read, re.IGNORECASE)


def test_the_default_terms_are_those_of_the_original() -> None:
    original = RULESETS["original"]
    assert rulebook(original.options) == rulebook(original.options, original.terms)


def test_the_order_of_avoided_rooms_is_left_out_if_rooms_cannot_be_avoided() -> None:
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
def test_the_best_score_is_full_health_plus_10_if_there_is_a_bonus(
    options: Options, best: int
) -> None:
    assert f"best score there can be is {best}." in text(rulebook(options))


def test_rulesets_have_the_same_text_exactly_if_options_and_terms_are_equal() -> None:
    for one, other in combinations(RULESETS.values(), 2):
        same = (one.options, one.terms) == (other.options, other.terms)
        assert (rulebook(one.options, one.terms) == rulebook(other.options, other.terms)) is same
