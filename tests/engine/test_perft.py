from __future__ import annotations

import pytest

from engine import RULESETS, parse_notation
from tests.engine.perft import perft, recorded

RECORDED = recorded()


@pytest.mark.parametrize("notation", RECORDED)
def test_the_counts_equal_the_recorded_ones(notation: str) -> None:
    expected = RECORDED[notation]
    assert perft(notation, len(expected["sequences"]) - 1) == expected


def test_every_ruleset_has_counts_from_the_deal_and_to_the_end() -> None:
    from_the_deal, to_the_end = set(), set()
    for notation, counts in RECORDED.items():
        record = parse_notation(notation)
        if not record.actions:
            from_the_deal.add(record.rules.ruleset)
        if counts["sequences"][-1] == 0:
            to_the_end.add(record.rules.ruleset)
    assert from_the_deal == to_the_end == set(RULESETS)
