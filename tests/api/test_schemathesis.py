"""Schemathesis generates requests from the contract and must find no violation of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from api.http.fields import ActionText
from engine import ACTIONS
from openapi.__main__ import FILE
from tests.api.in_words import RANKED
from tests.playing import begin, play_through, record
from tests.servers import ROOT

if TYPE_CHECKING:
    from tests.servers import ApiServer

SECONDS = 60
SETTINGS = Path(__file__).with_name("schemathesis.toml")
OF_A_GAME = ("getGame", "listActions", "applyActions", "getScore", "getHistory")


@pytest.fixture(scope="module")
def reports(server: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run all phases of schemathesis and return the directory of the reports."""
    directory = tmp_path_factory.mktemp("schemathesis")
    address = f"http://127.0.0.1:{server.port}"
    games = {
        "GAME_ID": begin(server, record("schemathesis"))[0],
        "RANKED_ID": play_through(server, record(RANKED)),
    }
    run = subprocess.run(
        [
            *(Path(sys.executable).with_name("schemathesis"), "--config-file", SETTINGS),
            *("run", FILE, "--url", address, "--checks", "all", "--no-color"),
            *("--phases", "examples,coverage,fuzzing,stateful"),
            *("--seed", "1", "--max-time", str(SECONDS)),
            *("--report-json-path", "run.json", "--report-ndjson-path", "run.ndjson"),
        ],
        cwd=directory,
        env={**os.environ, "PYTHONWARNINGS": "", "PYTHONPATH": str(ROOT), **games},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-5000:]
    return directory


@pytest.mark.slow
def test_every_response_conforms_to_the_contract(reports: Path) -> None:
    """All checks of all operations pass, without warnings about untested parts."""
    run = json.loads((reports / "run.json").read_bytes())
    operations = sum(len(path) for path in json.loads(FILE.read_bytes())["paths"].values())
    assert run["operations"]["tested"] == operations
    assert {phase["status"] for phase in run["phases"].values()} == {"success"}
    assert not any(run["warnings"].values())
    assert run["test_cases"]["generated"] > 1000


@pytest.mark.slow
@pytest.mark.parametrize("operation_id", OF_A_GAME)
def test_links_lead_from_a_created_game_to_every_operation_on_it(
    reports: Path, operation_id: str
) -> None:
    events = map(json.loads, (reports / "run.ndjson").read_bytes().splitlines())
    scenarios = [event["ScenarioFinished"] for event in events if "ScenarioFinished" in event]
    followed = {
        case["transition"]["id"]
        for scenario in scenarios
        for case in scenario["recorder"].get("cases", {}).values()
        if case.get("is_transition_applied")
    }
    assert any(f"POST /v1/games -> [201] {operation_id} -> " in link for link in followed)


def test_the_published_action_pattern_matches_all_actions() -> None:
    assert all(re.fullmatch(ActionText.pattern, action.text) for action in ACTIONS)
