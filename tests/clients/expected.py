"""The expected games of the clients, computed by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import (
    begin,
    format_notation,
    legal_actions,
    parse_notation,
    replay,
    rules_for,
    score,
    steps,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine import Action, State


def played(seed: str, pick: Callable[[State], Action], ruleset: str = "original") -> str:
    """Return the notation of a game whose actions ``pick`` selects."""
    rules = rules_for(ruleset)
    state = begin(seed, rules.options).state
    actions: list[Action] = []
    while legal_actions(state):
        actions.append(pick(state))
        *_, (state, _) = steps(seed, actions, rules.options)
    return format_notation(rules, seed, actions)


def first(state: State) -> Action:
    """Pick the first legal action."""
    return legal_actions(state)[0]


def score_of(line: str) -> int:
    """Return the score of a finished game."""
    rules, seed, actions = parse_notation(line)
    result = score(replay(seed, actions, rules.options)).score
    assert result is not None, "the game is not over"
    return result
