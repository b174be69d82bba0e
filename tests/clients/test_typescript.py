"""The TypeScript client: its types come from the contract, and it plays a whole game."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.clients.expected import score_of
from tests.clients.network import ROUGH
from tests.servers import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clients.network import Network
    from tests.servers import ApiServer

SOURCES = ROOT / "clients" / "typescript"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("node") and shutil.which("npm")),
        reason="TypeScript requires Node.js and npm",
    ),
]


def run(directory: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=directory, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def project(server: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, built as its README says, from the document of the running server."""
    top = tmp_path_factory.mktemp("typescript")
    (top / "openapi").mkdir()
    (top / "openapi" / "openapi.json").write_bytes(server.get("/openapi.json").body)
    directory = top / "clients" / "typescript"
    generated = shutil.ignore_patterns("node_modules", "build", "api.d.ts")
    shutil.copytree(SOURCES, directory, ignore=generated)
    for command in (["ci"], ["run", "generate"], ["run", "check"], ["run", "build"]):
        done = run(directory, "npm", *command)
        assert done.returncode == 0, done.stdout + done.stderr
    return directory


def test_it_plays_a_whole_game(project: Path, url: str) -> None:
    done = run(project, "node", "build/play.js", "--url", url, "--seed", "demo-1")
    assert done.returncode == 0, done.stderr
    result, line = done.stdout.splitlines()
    assert line.startswith("original/demo-1/")
    actions = len(line.split("/")[2].split())
    assert result == f"lost, score {score_of(line)}, {actions} actions"


def test_lost_requests_and_responses_are_repeated_and_played_once(
    project: Path, network: Network, url: str, server: ApiServer
) -> None:
    direct = run(project, "node", "build/play.js", "--url", url, "--seed", "lossy")
    network.fail(*ROUGH, forever=True)
    done = run(project, "node", "build/play.js", "--url", network.url, "--seed", "lossy")
    assert done.stdout == direct.stdout != ""
    assert server.get("/v1/ledger?seed=lossy").json["total"] == 2


def test_an_error_names_the_code_and_the_field(project: Path, url: str) -> None:
    done = run(project, "node", "build/play.js", "--url", url, "--seed", "a seed")
    assert done.returncode == 1
    assert "invalid_request" in done.stderr
    assert "/seed" in done.stderr


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("legal.version", "legal.versoin"),
        ("newGame.player", "newGame.name"),
        ("version: legal.version", 'version: "0"'),
    ],
)
def test_a_mismatch_with_the_contract_does_not_compile(
    project: Path, right: str, wrong: str
) -> None:
    program = project / "play.ts"
    source = program.read_text()
    assert right in source
    try:
        program.write_text(source.replace(right, wrong))
        done = run(project, "npm", "run", "check")
    finally:
        program.write_text(source)
    assert "error TS" in done.stdout


def test_the_locked_packages_name_no_registry() -> None:
    lock = json.loads((SOURCES / "package-lock.json").read_text())
    assert lock["packages"]
    for name, package in lock["packages"].items():
        assert "resolved" not in package, name
        assert "integrity" in package or name == ""
