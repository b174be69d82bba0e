"""The README: its session is run, and its tables are compared with the code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine import OPTIONS, RULESETS
from tests.servers import ROOT, StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

README = (ROOT / "README.md").read_text()
ADDRESS = "http://127.0.0.1:8000"
_ID = re.compile(r"(?<=/v1/games/)[A-Za-z0-9_-]{22}")


@pytest.fixture
def address() -> Iterator[str]:
    store = StoreServer(valkey_binary()).start()
    try:
        with serving(store, workers=1) as api:
            yield f"http://127.0.0.1:{api.port}"
    finally:
        store.close()


def session() -> list[tuple[str, str]]:
    """Return the commands of the README's session, each with its expected output."""
    blocks = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    steps = re.split(r"^\$ ", "".join(blocks), flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (step.partition("\n") for step in steps)]


@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("jq")), reason="requires curl and jq"
)
def test_commands_print_the_output_in_the_readme(address: str) -> None:
    game_id = ""
    assert session()
    for command, printed in session():
        here = _ID.sub(game_id, command.replace(ADDRESS, address)) if game_id else command
        run = subprocess.run(
            ["bash", "-c", here.replace(ADDRESS, address)],
            capture_output=True,
            text=True,
            check=True,
        )
        if not game_id and (found := _ID.search(run.stdout)):
            game_id = found[0]
        expected = _ID.sub(game_id, printed.replace(ADDRESS, address))
        assert run.stdout.rstrip("\r\n") == expected.rstrip("\n"), command


def test_the_table_of_endpoints_matches_the_contract() -> None:
    contract = json.loads((ROOT / "openapi" / "openapi.json").read_text())
    documented = {
        (operation["operationId"], f"{method.upper()} {path}", operation["summary"])
        for path, operations in contract["paths"].items()
        for method, operation in operations.items()
        if method in {"get", "post"}
    }
    listed = re.findall(r"^\| (\w+) \| `((?:GET|POST) [^`]+)` \| (.*) \|$", README, re.MULTILINE)
    assert set(listed) == documented


def test_the_table_of_rulesets_matches_the_engine() -> None:
    rows = [
        f"| `{name}` | "
        + " | ".join(str(getattr(ruleset.options, name)) for ruleset in RULESETS.values())
        + " |"
        for name in OPTIONS
    ]
    assert "\n".join(rows) in README
    assert f"| option | {' | '.join(f'`{name}`' for name in RULESETS)} |" in README


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_to_files_have_a_target(page: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", Path(ROOT, page).read_text())
    missing = [link for link in links if not (ROOT / link).exists()]
    assert not missing
