"""Schemathesis sends what the contract makes it think of, and finds nothing that breaks it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from api.fields import ActionText
from engine import ACTIONS

if TYPE_CHECKING:
    from tests.servers import ApiServer

# The contract says in words what a schema cannot: which fields go together, what a key stood for,
# and which lines are a notation.
LEFT_OUT = "positive_data_acceptance"


@pytest.mark.slow
def test_no_request_is_answered_other_than_the_contract_says(
    server: ApiServer, tmp_path: Path
) -> None:
    """Examples, edge cases, random requests and sequences of them: the same ones each time."""
    address = f"http://127.0.0.1:{server.port}"
    run = subprocess.run(
        [
            *(Path(sys.executable).with_name("schemathesis"), "run", f"{address}/openapi.json"),
            *("--url", address, "--checks", "all", "--exclude-checks", LEFT_OUT),
            *("--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "15"),
            *("--seed", "1", "--no-color"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-5000:]
    assert " generated" in run.stdout


def test_the_published_pattern_of_an_action_takes_the_actions_there_are() -> None:
    assert all(re.fullmatch(ActionText.pattern, action.text) for action in ACTIONS)
