from __future__ import annotations

import pytest

from engine import RULESETS, read
from tests.engine.perft import perft, recorded

RECORDED = recorded()


@pytest.mark.parametrize("notation", RECORDED)
def test_as_many_sequences_and_states_are_reached_as_are_on_record(notation: str) -> None:
    expected = RECORDED[notation]
    assert perft(notation, len(expected["sequences"]) - 1) == expected


def test_every_ruleset_has_counts_from_the_deal_and_to_the_end() -> None:
    from_the_deal, to_the_end = set(), set()
    for notation, counts in RECORDED.items():
        record = read(notation)
        if not record.actions:
            from_the_deal.add(record.rules.ruleset)
        if counts["sequences"][-1] == 0:
            to_the_end.add(record.rules.ruleset)
    assert from_the_deal == to_the_end == set(RULESETS)
