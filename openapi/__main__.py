"""Write the contract, or with ``--check`` only check whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from openapi.document import written

FILE = Path(__file__).with_name("openapi.json")


def main() -> int:
    """Write the file; with ``--check`` return 1 instead if it differs."""
    document = written()
    if "--check" in sys.argv[1:]:
        return int(not FILE.exists() or FILE.read_text() != document)
    FILE.write_text(document)
    return 0


if __name__ == "__main__":
    sys.exit(main())
