"""Asks the Python Packaging Advisory Database about every pinned release.

.venv/bin/python scripts/audit.py               fails if one is vulnerable or cannot be looked up
.venv/bin/python scripts/audit.py --daily FILE  tells so and never fails; asks once a day, by FILE
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PINS = Path(__file__).parents[1] / "requirements-dev.txt"  # it has all of requirements.txt
DAY = 24 * 60 * 60
ANSWER_SECONDS = "3"
PATIENCE = 30


def main(asked: Path | None) -> int:
    """Print what is known against the pinned releases; return the exit status."""
    if asked and _is_fresh(asked):
        return 0
    found, unknown = _look_up()
    for line in found:
        print(line)  # noqa: T201  # what it is run for
    if unknown:
        print(f"Known vulnerabilities: not looked up; {unknown}.")  # noqa: T201  # likewise
    if not asked:
        return 1 if found or unknown else 0
    if not found:
        asked.touch()
    return 0


def _is_fresh(asked: Path) -> bool:
    """Whether nothing was found today, and the pins are the same."""
    if not asked.exists():
        return False
    then = asked.stat().st_mtime
    return then > PINS.stat().st_mtime and time.time() - then < DAY


def _look_up() -> tuple[list[str], str]:
    """Return a line for each vulnerability, and if not all could be looked up, why."""
    # Pinned with hashes, so that nothing is resolved or installed.
    command = (
        *(sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"),
        *("--timeout", ANSWER_SECONDS, "--require-hashes", "--disable-pip", "-r", str(PINS)),
    )
    try:
        done = subprocess.run(  # noqa: S603  # our own command
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        releases: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        return [], f"the advisory database was not done in {PATIENCE} seconds"
    except json.JSONDecodeError:
        return [], "the advisory database could not be reached"
    found = [
        f"{release['name']} {release['version']} is vulnerable: {_told(vulnerability)}"
        for release in releases
        for vulnerability in release.get("vulns", [])
    ]
    skipped = sum("skip_reason" in release for release in releases)
    return (
        found,
        f"the advisory database does not know {skipped} of {len(releases)}" if skipped else "",
    )


def _told(vulnerability: dict[str, Any]) -> str:
    names = ", ".join([vulnerability["id"], *vulnerability["aliases"]])
    mended = ", ".join(vulnerability["fix_versions"]) or "no release yet"
    return f"{names}; mended in {mended}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[2]) if sys.argv[1:2] == ["--daily"] else None))
