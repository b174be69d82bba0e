"""The page on faults names those there are, and where they are tried."""

from __future__ import annotations

import re

from tests.docs.guides import DOCS
from tests.faults.table import FAULTS

ROOT = DOCS.parent
PAGE = (DOCS / "RELIABILITY.md").read_text()


def test_every_fault_of_the_table_is_there_by_its_name() -> None:
    section = PAGE[PAGE.index("## The store") : PAGE.index("Besides, one by one:")]
    listed = re.findall(r"^\| [^|]+ \| `([\w-]+)` \|", section, re.MULTILINE)
    assert sorted(listed) == sorted(fault.name for fault in FAULTS)


def test_every_module_that_is_named_is_there() -> None:
    for path in re.findall(r"`(?:pytest )?(?:-rP )?(tests/[\w/]+(?:\.py)?)", PAGE):
        assert (ROOT / path).exists()
    for name in re.findall(r"`(test_\w+\.py)`", PAGE):
        assert (ROOT / "tests" / "faults" / name).exists()
