"""Notation: a game in one line, such as ``original/SEED/5D 7H KSw 3Cb a d``.

The line contains the rules, the seed and the actions, so anyone can replay the game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.actions import Action, parse_short
from engine.deal import check_seed
from engine.errors import InvalidNotation
from engine.rules import Rules, parse_rules

if TYPE_CHECKING:
    from collections.abc import Iterable


class Record(NamedTuple):
    """The rules, seed and actions that determine a game."""

    rules: Rules
    seed: str
    actions: tuple[Action, ...]


def format_notation(rules: Rules, seed: str, actions: Iterable[Action]) -> str:
    """Return the notation of a game."""
    return f"{rules}/{seed}/{' '.join([action.short for action in actions])}"


def parse_notation(line: str) -> Record:
    """Parse a notation. Does not check that the actions are legal.

    Raises InvalidNotation if the line does not have three parts, and UnknownRuleset,
    InvalidOption, InvalidSeed or UnknownAction for an invalid part.
    """
    parts = line.split("/")
    if len(parts) != len(Record._fields):
        raise InvalidNotation("a notation must have the form ruleset/seed/actions")
    rules, seed, actions = parts
    shorts = actions.split(" ") if actions else ()
    return Record(parse_rules(rules), check_seed(seed), tuple(map(parse_short, shorts)))
