"""The page on the notation: the engine agrees with its grammar and its examples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine import (
    ACTIONS,
    OPTIONS,
    RULESETS,
    EngineError,
    IllegalAction,
    format_notation,
    parse_notation,
    parse_short,
    replay,
    rules_for,
)
from tests.docs.ebnf import pattern
from tests.docs.guides import DOCS, blocks
from tests.engine.play import any_seed

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (DOCS / "NOTATION.md").read_text()
(GRAMMAR,) = [block.text for block in blocks(PAGE) if block.language == "ebnf"]
GAME = pattern(GRAMMAR, "game")
REPEATED_OPTION = re.compile(r"[+,](\w+)=\w+,(?:.*,)?\1=")


def lines(note: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of the notation blocks with this note, each with its comment."""
    for block in blocks(PAGE):
        if (block.language, block.note) == ("notation", note):
            for line in block.text.splitlines():
                notation, _, beside = re.sub(r" +(#|=>) ", r"\0", line).partition("\0")
                yield notation, beside


CANONICAL = [notation for notation, _ in lines("")]
READ, REFUSED, ILLEGAL = (list(lines(note)) for note in ("read", "refused", "illegal"))


def reads(line: str) -> bool:
    try:
        parse_notation(line)
    except EngineError:
        return False
    return True


@pytest.mark.parametrize("line", CANONICAL)
def test_a_canonical_line_is_written_unchanged(line: str) -> None:
    assert GAME.fullmatch(line)
    assert format_notation(*parse_notation(line)) == line


@pytest.mark.parametrize(("line", "canonical"), READ)
def test_another_line_is_written_in_its_canonical_form(line: str, canonical: str) -> None:
    assert GAME.fullmatch(line)
    assert line != canonical
    assert format_notation(*parse_notation(line)) == canonical


@pytest.mark.parametrize(("line", "why"), REFUSED)
def test_an_invalid_line_is_refused(line: str, why: str) -> None:
    with pytest.raises(EngineError):
        parse_notation(line)
    assert bool(GAME.fullmatch(line)) is bool(REPEATED_OPTION.search(line))
    assert why


@pytest.mark.parametrize(("line", "why"), ILLEGAL)
def test_an_illegal_line_is_valid_but_its_last_action_is_illegal(line: str, why: str) -> None:
    rules, seed, actions = parse_notation(line)
    assert replay(seed, actions[:-1], rules.options).version == len(actions) - 1
    with pytest.raises(IllegalAction):
        replay(seed, actions, rules.options)
    assert why


def test_every_kind_of_block_has_examples() -> None:
    assert len(CANONICAL) == 3
    assert min(map(len, (READ, REFUSED, ILLEGAL))) >= 3


# The grammar

any_option = st.sampled_from(list(OPTIONS)).flatmap(
    lambda name: st.sampled_from([f"{name}={value}" for value in OPTIONS[name].values])
)
any_line = st.builds(
    lambda ruleset, options, seed, actions: (
        f"{ruleset}{'+' * bool(options)}{','.join(options)}/{seed}/{' '.join(actions)}"
    ),
    st.sampled_from(list(RULESETS)),
    # The grammar does not exclude repeated options.
    st.lists(any_option, max_size=3, unique_by=lambda option: option.partition("=")[0]),
    any_seed,
    st.lists(st.sampled_from([action.short for action in ACTIONS]), max_size=4),
)


@given(any_line)
def test_the_grammar_matches_every_valid_line(line: str) -> None:
    assert GAME.fullmatch(line)
    assert reads(line)


@given(
    any_line,
    st.integers(0, 40),
    st.integers(0, 2),
    st.sampled_from(["", " ", "/", ",", "+", "=", "0", "w", "D", "a", "\n"]),
)
def test_the_grammar_matches_a_mistyped_line_only_if_the_engine_reads_it(
    line: str, place: int, length: int, slip: str
) -> None:
    line = line[:place] + slip + line[place + length :]
    assume(not REPEATED_OPTION.search(line))
    assert bool(GAME.fullmatch(line)) is reads(line)


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_the_grammar_has_every_action(action: object) -> None:
    short = action.short  # type: ignore[attr-defined]  # of an action
    assert pattern(GRAMMAR, "action").fullmatch(short)
    assert parse_short(short) is action


def test_the_grammar_has_no_other_actions() -> None:
    one = pattern(GRAMMAR, "action")
    signs = "23456789TJQKACSDHbwad"
    matched = {
        text
        for text in (a + b + c for a in signs for b in ("", *signs) for c in ("", *signs))
        if one.fullmatch(text)
    }
    assert matched == {action.short for action in ACTIONS}


def test_the_table_of_actions_pairs_the_short_forms_with_those_of_the_api() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| `([\w:]+)` \|$", PAGE, re.MULTILINE)
    assert len(rows) == 6
    assert [str(parse_short(short)) for short, _ in rows] == [text for _, text in rows]


def test_a_seed_has_1_to_64_characters() -> None:
    seed = pattern(GRAMMAR, "seed")
    assert [bool(seed.fullmatch("x" * length)) for length in (0, 1, 64, 65)] == [
        False,
        True,
        True,
        False,
    ]


def test_canonical_options_are_in_the_order_of_the_grammar() -> None:
    names = re.findall(r'"(\w+)="', GRAMMAR)
    assert names == list(OPTIONS)
    every = {
        name: next(
            option.parse(value) if option.numeric else value
            for value in option.values
            if option.parse(value) != getattr(RULESETS["original"].options, name)
        )
        for name, option in OPTIONS.items()
    }
    assert re.findall(r"(\w+)=", str(rules_for("original", every))) == names
