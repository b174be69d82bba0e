"""Look up every pinned release in the Python Packaging Advisory Database.

.venv/bin/python scripts/audit.py               fail if one is vulnerable or cannot be looked up
.venv/bin/python scripts/audit.py --daily FILE  never fail; look up once a day, by the time of FILE
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PINS = Path(__file__).parents[1] / "requirements-dev.txt"  # includes requirements.txt
DAY = 24 * 60 * 60
RESPONSE_SECONDS = "3"
TOTAL_SECONDS = 30


def main(stamp: Path | None) -> int:
    """Print the known vulnerabilities of the pinned releases; return the exit status."""
    if stamp and _is_fresh(stamp):
        return 0
    found, unknown = _look_up()
    for line in found:
        print(line)  # noqa: T201  # the output of the script
    if unknown:
        print(f"Known vulnerabilities: not looked up; {unknown}.")  # noqa: T201  # the output of the script
    if not stamp:
        return 1 if found or unknown else 0
    if not found:
        stamp.touch()
    return 0


def _is_fresh(stamp: Path) -> bool:
    """Whether a lookup of the same pins found nothing within a day."""
    if not stamp.exists():
        return False
    then = stamp.stat().st_mtime
    return then > PINS.stat().st_mtime and time.time() - then < DAY


def _look_up() -> tuple[list[str], str]:
    """Return a line for each vulnerability, and the reason if the lookup is incomplete."""
    # With pins and hashes, pip-audit resolves and installs nothing.
    command = (
        *(sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"),
        *("--timeout", RESPONSE_SECONDS, "--require-hashes", "--disable-pip", "-r", str(PINS)),
    )
    try:
        done = subprocess.run(  # noqa: S603  # a fixed command
            command, capture_output=True, text=True, timeout=TOTAL_SECONDS, check=False
        )
        releases: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        return [], f"the advisory database did not respond within {TOTAL_SECONDS} seconds"
    except json.JSONDecodeError:
        return [], "the advisory database could not be reached"
    found = [
        f"{release['name']} {release['version']} is vulnerable: {_describe(vulnerability)}"
        for release in releases
        for vulnerability in release.get("vulns", [])
    ]
    skipped = sum("skip_reason" in release for release in releases)
    return (
        found,
        f"the advisory database does not know {skipped} of {len(releases)}" if skipped else "",
    )


def _describe(vulnerability: dict[str, Any]) -> str:
    names = ", ".join([vulnerability["id"], *vulnerability["aliases"]])
    fixed = ", ".join(vulnerability["fix_versions"]) or "no release yet"
    return f"{names}; fixed in {fixed}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[2]) if sys.argv[1:2] == ["--daily"] else None))
