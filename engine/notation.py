"""A whole game in one line: ``original/SEED/5D 7H KSw 3Cb a d``.

The rules, the seed and the actions, each in its short text form, so that anyone can replay it.
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
    """All that a game is a function of."""

    rules: Rules
    seed: str
    actions: tuple[Action, ...]


def write(rules: Rules, seed: str, actions: Iterable[Action]) -> str:
    """Return the game's line."""
    return f"{rules}/{seed}/{' '.join([action.short for action in actions])}"


def read(line: str) -> Record:
    """Read a game's line.

    Raises InvalidNotation if it has not three parts, and what its parts raise: UnknownRuleset,
    InvalidOption, InvalidSeed, UnknownAction. Whether the actions are legal, replaying tells.
    """
    parts = line.split("/")
    if len(parts) != len(Record._fields):
        raise InvalidNotation("a notation is ruleset/seed/actions")
    rules, seed, actions = parts
    shorts = actions.split(" ") if actions else ()
    return Record(parse_rules(rules), check_seed(seed), tuple(map(parse_short, shorts)))
