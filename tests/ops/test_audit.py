"""What is told of known vulnerabilities, and when that is a failure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.ports import free_port
from tests.servers import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCRIPT = ROOT / "scripts" / "audit.py"
SOUND = {"name": "flask", "version": "3.1.3", "vulns": []}
VULNERABLE = {
    "name": "redis",
    "version": "8.1.0",
    "vulns": [
        {"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["8.1.1"], "description": "Oh."},
        {"id": "PYSEC-2", "aliases": [], "fix_versions": [], "description": "Oh."},
    ],
}
UNKNOWN = {"name": "left-pad", "skip_reason": "Dependency not found on PyPI"}
FOUND = """\
redis 8.1.0 is vulnerable: PYSEC-1, CVE-1; mended in 8.1.1
redis 8.1.0 is vulnerable: PYSEC-2; mended in no release yet
"""
NOT_KNOWN = "Known vulnerabilities: not looked up; the advisory database does not know 1 of 2.\n"


@pytest.fixture
def audit(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Run the audit where pip-audit answers what it is told; return status and output."""
    stand_in = tmp_path / "pip_audit"
    stand_in.mkdir()
    (stand_in / "__init__.py").touch()

    def run(*arguments: str | Path, answer: list[Any]) -> tuple[int, str]:
        printed = json.dumps({"dependencies": answer, "fixes": []})
        (stand_in / "__main__.py").write_text(f"print({printed!r})")
        return _run(*arguments, PYTHONPATH=str(tmp_path))

    return run


def _run(*arguments: str | Path, **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ([SOUND], ""),
        ([SOUND, VULNERABLE], FOUND),
        ([SOUND, UNKNOWN], NOT_KNOWN),
    ],
    ids=["nothing", "two vulnerabilities", "an unknown package"],
)
def test_whatever_is_found_is_told_and_fails_the_audit_but_not_the_daily_check(
    audit: Callable[..., tuple[int, str]], tmp_path: Path, answer: list[Any], told: str
) -> None:
    assert audit(answer=answer) == (1 if told else 0, told)
    assert audit("--daily", tmp_path / "asked", answer=answer) == (0, told)


def test_the_daily_check_asks_once_a_day_while_nothing_is_found(
    audit: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    assert audit("--daily", asked, answer=[SOUND]) == (0, "")
    assert audit("--daily", asked, answer=[VULNERABLE]) == (0, "")
    yesterday = time.time() - 25 * 60 * 60
    os.utime(asked, (yesterday, yesterday))
    for _ in range(2):
        assert audit("--daily", asked, answer=[VULNERABLE]) == (0, FOUND)


def test_the_audit_asks_each_time(audit: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    assert audit("--daily", tmp_path / "asked", answer=[SOUND]) == (0, "")
    assert audit(answer=[VULNERABLE])[0] == 1


@pytest.mark.parametrize(("daily", "status"), [(True, 0), (False, 1)], ids=["daily", "audit"])
def test_without_a_network_one_line_says_so(tmp_path: Path, daily: bool, status: int) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    arguments = ("--daily", tmp_path / "asked") if daily else ()
    proxies = {"HTTPS_PROXY": nowhere, "https_proxy": nowhere, "NO_PROXY": "", "no_proxy": ""}
    # Nor what an earlier one has kept.
    assert _run(
        *arguments, **proxies, XDG_CACHE_HOME=str(tmp_path), PIP_CACHE_DIR=str(tmp_path)
    ) == (
        status,
        "Known vulnerabilities: not looked up; the advisory database could not be reached.\n",
    )
