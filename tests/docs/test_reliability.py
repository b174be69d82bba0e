"""The page on reliability names the faults and the modules that exist."""

from __future__ import annotations

import re

from tests.docs.guides import DOCS
from tests.faults.table import FAULTS

ROOT = DOCS.parent
PAGE = (DOCS / "RELIABILITY.md").read_text()


def test_the_table_of_the_store_lists_every_fault() -> None:
    table = re.search(r"^\| fault \| name \|.*\n(?:\|.*\n)+", PAGE, re.MULTILINE)
    assert table
    listed = re.findall(r"^\| [^|]+ \| `([\w-]+)` \|", table[0], re.MULTILINE)
    assert sorted(listed) == sorted(fault.name for fault in FAULTS)


def test_every_named_module_exists() -> None:
    for path in re.findall(r"`(?:pytest )?(?:-rP )?(tests/[\w/]+(?:\.py)?)", PAGE):
        assert (ROOT / path).exists()
    for name in re.findall(r"`(test_\w+\.py)`", PAGE):
        assert (ROOT / "tests" / "faults" / name).exists()
