"""Counts of what can be reached, as chess engines count: ``python -m tests.engine.perft``.

A position is a game's notation. For each number of actions from 0 on, two things are counted from
it: the *sequences* of that many legal actions, and the different *states* that they lead to. A game
that is over goes no further. Two states are the same if all of them is, also the order of the
discard.

The command counts anew what stands in ``vectors/perft.json``. Run it when a position was added
there (as a key, with a list of sequences as long as is to be counted, whatever is in it), or a
ruleset published. A count that alters because the engine was changed is a change of published
rules, by which stored games would no longer replay: then the engine is wrong, and not the file.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from engine import apply, legal_actions, read, replay

if TYPE_CHECKING:
    from engine import State

FILE = Path(__file__).with_name("vectors") / "perft.json"


class Counts(TypedDict):
    """By the number of actions."""

    sequences: list[int]
    states: list[int]


def recorded() -> dict[str, Counts]:
    """Return the counts on record, by the notation of their position."""
    counts: dict[str, Counts] = json.loads(FILE.read_text())
    return counts


def perft(notation: str, depth: int) -> Counts:
    """Count from a position to ``depth`` actions."""
    rules, seed, actions = read(notation)
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
    """Count anew."""
    counts = {
        notation: perft(notation, len(before["sequences"]) - 1)
        for notation, before in recorded().items()
    }
    lines = (f"{json.dumps(notation)}: {json.dumps(found)}" for notation, found in counts.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
