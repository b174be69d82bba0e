"""Counts of reachable states, as in chess engines: ``python -m tests.engine.perft``.

A position is the notation of a game. Two things are counted for each number of actions from 0 on:
the *sequences* of that many legal actions, and the distinct *states* they lead to. Finished games
are not continued. Two states are equal if all their fields are, including the order of the discard.

The command updates the counts in ``vectors/perft.json``. Run it after publishing a ruleset or
adding a position to the file; the length of its ``sequences`` sets the number of actions, their
values do not matter. If a change to the engine alters a count, it changes published rules, and
stored games no longer replay: fix the engine, not the file.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from engine import apply, legal_actions, parse_notation, replay

if TYPE_CHECKING:
    from engine import State

FILE = Path(__file__).with_name("vectors") / "perft.json"


class Counts(TypedDict):
    """Counts by the number of actions."""

    sequences: list[int]
    states: list[int]


def recorded() -> dict[str, Counts]:
    """Return the recorded counts by the notation of their position."""
    counts: dict[str, Counts] = json.loads(FILE.read_text())
    return counts


def perft(notation: str, depth: int) -> Counts:
    """Count up to ``depth`` actions from a position."""
    rules, seed, actions = parse_notation(notation)
    ways: Counter[State] = Counter([replay(seed, actions, rules.options)])
    counts = Counts(sequences=[1], states=[1])
    for _ in range(depth):
        further: Counter[State] = Counter()
        for state, count in ways.items():
            for action in legal_actions(state):
                further[apply(state, action).state] += count
        ways = further
        counts["sequences"].append(ways.total())
        counts["states"].append(len(ways))
    return counts


def main() -> None:
    """Update the recorded counts."""
    counts = {
        notation: perft(notation, len(before["sequences"]) - 1)
        for notation, before in recorded().items()
    }
    lines = (f"{json.dumps(notation)}: {json.dumps(found)}" for notation, found in counts.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
