"""The long form of these tests runs, and says how it went."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.servers import ROOT

pytestmark = pytest.mark.slow


def test_a_soak_of_one_fault_says_what_was_done() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.soak"],
        cwd=ROOT,
        env={**os.environ, "SECONDS": "1", "FAULTS_SEED": "3"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, *_rest, last = done.stdout.splitlines()
    assert first == "FAULTS_SEED=3"
    assert "Nothing was wrong: 1 faults, " in last
