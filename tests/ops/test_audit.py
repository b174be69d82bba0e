"""The lookup of known vulnerabilities: its output and its exit status."""

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
redis 8.1.0 is vulnerable: PYSEC-1, CVE-1; fixed in 8.1.1
redis 8.1.0 is vulnerable: PYSEC-2; fixed in no release yet
"""
NOT_KNOWN = "Known vulnerabilities: not looked up; the advisory database does not know 1 of 2.\n"


@pytest.fixture
def audit(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Run the audit with a fake pip-audit; return status and output."""
    fake = tmp_path / "pip_audit"
    fake.mkdir()
    (fake / "__init__.py").touch()

    def run(*arguments: str | Path, answer: list[Any]) -> tuple[int, str]:
        printed = json.dumps({"dependencies": answer, "fixes": []})
        (fake / "__main__.py").write_text(f"print({printed!r})")
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
    ("answer", "printed"),
    [
        ([SOUND], ""),
        ([SOUND, VULNERABLE], FOUND),
        ([SOUND, UNKNOWN], NOT_KNOWN),
    ],
    ids=["nothing", "two vulnerabilities", "an unknown package"],
)
def test_findings_are_printed_and_fail_the_audit_but_not_the_daily_check(
    audit: Callable[..., tuple[int, str]], tmp_path: Path, answer: list[Any], printed: str
) -> None:
    assert audit(answer=answer) == (1 if printed else 0, printed)
    assert audit("--daily", tmp_path / "asked", answer=answer) == (0, printed)


def test_the_daily_check_looks_up_once_a_day_while_nothing_is_found(
    audit: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    assert audit("--daily", asked, answer=[SOUND]) == (0, "")
    assert audit("--daily", asked, answer=[VULNERABLE]) == (0, "")
    yesterday = time.time() - 25 * 60 * 60
    os.utime(asked, (yesterday, yesterday))
    for _ in range(2):
        assert audit("--daily", asked, answer=[VULNERABLE]) == (0, FOUND)


def test_the_audit_always_looks_up(audit: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    assert audit("--daily", tmp_path / "asked", answer=[SOUND]) == (0, "")
    assert audit(answer=[VULNERABLE])[0] == 1


@pytest.mark.parametrize(("daily", "status"), [(True, 0), (False, 1)], ids=["daily", "audit"])
def test_one_line_is_printed_without_a_network(tmp_path: Path, daily: bool, status: int) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    arguments = ("--daily", tmp_path / "asked") if daily else ()
    proxies = {"HTTPS_PROXY": nowhere, "https_proxy": nowhere, "NO_PROXY": "", "no_proxy": ""}
    # Without the cache of an earlier run.
    assert _run(
        *arguments, **proxies, XDG_CACHE_HOME=str(tmp_path), PIP_CACHE_DIR=str(tmp_path)
    ) == (
        status,
        "Known vulnerabilities: not looked up; the advisory database could not be reached.\n",
    )
