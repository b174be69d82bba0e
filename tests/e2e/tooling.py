"""The npm packages that check the page, in the versions of the lock file."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.servers import ROOT

if TYPE_CHECKING:
    from pathlib import Path

TOOLING = ROOT / "clients" / "web" / "tooling"


def installed(npm: str) -> Path:
    """Install the pinned packages if necessary, and return their directory."""
    modules = TOOLING / "node_modules"
    lock, stamp = TOOLING / "package-lock.json", modules / ".package-lock.json"
    if not stamp.exists() or stamp.stat().st_mtime < lock.stat().st_mtime:
        subprocess.run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=TOOLING, check=True
        )
    return modules
