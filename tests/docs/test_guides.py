"""The guide for client authors: its code blocks run against a real server."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from api.http.problem_types import PROBLEM_TYPES
from engine import parse_action, parse_notation
from tests.docs.guides import (
    DOCS,
    Block,
    blocks,
    examples,
    printed,
    promised,
    run_node,
    run_shell,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers import ApiServer

ROOT = DOCS.parent
GUIDE = (DOCS / "CLIENTS.md").read_text()
GAMES = [block for block in blocks(GUIDE) if block.language == "notation"]
SHELL = examples(GUIDE, "sh")
SCRIPT = examples(GUIDE, "js")
VECTORS = ROOT / "openapi" / "vectors"

needs_curl = pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("jq")),
    reason="the guide's session requires curl and jq",
)
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="requires Node.js")


@pytest.fixture(scope="module")
def session(server: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The output of each block of the guide's shell session."""
    return run_shell(
        [example.code.text for example in SHELL],
        tmp_path_factory.mktemp("guide"),
        {"http://127.0.0.1:8000": f"http://127.0.0.1:{server.port}"},
    )


@needs_curl
@pytest.mark.parametrize("number", range(len(SHELL)), ids=lambda n: f"line {SHELL[n].code.line}")
def test_shell_blocks_print_the_output_in_the_guide(number: int, session: list[str]) -> None:
    output = SHELL[number].output
    if output is None:
        assert session[number] == ""
    else:
        assert printed(session[number], output) == promised(output)


@needs_node
def test_the_script_prints_the_output_in_the_guide(tmp_path: Path) -> None:
    (example,) = SCRIPT
    assert example.output
    assert run_node(example.code.text, tmp_path) == example.output.text


@needs_node
def test_the_script_deals_the_decks_of_the_vectors(tmp_path: Path) -> None:
    decks = json.loads((VECTORS / "deals.json").read_text())
    seeds = json.dumps([deck["seed"] for deck in decks])
    (example,) = SCRIPT
    call = f"\nconsole.log(JSON.stringify({seeds}.map(deal)));"
    _, dealt = run_node(example.code.text + call, tmp_path).splitlines()
    assert json.loads(dealt) == [deck["dungeon"] for deck in decks]


@needs_node
def test_the_script_shuffles_avoided_rooms_like_the_server(
    server: ApiServer, tmp_path: Path
) -> None:
    """After eleven avoided rooms, the whole pack, the first avoided room turns up again."""
    game = {"ruleset": "strict", "options": {"avoiding": "always"}, "seed": "demo-1"}
    reply = server.post("/v1/replays", {**game, "actions": ["avoid"] * 11})
    (example,) = SCRIPT
    call = "\nconsole.log(shuffle(deal('demo-1').slice(0, 4), 'demo-1', 'avoid/1').join(' '));"
    _, shuffled = run_node(example.code.text + call, tmp_path).splitlines()
    assert reply.json["room"] == shuffled.split()


@pytest.mark.parametrize("block", GAMES, ids=lambda block: block.note)
def test_a_game_of_the_guide_ends_with_its_score(block: Block, server: ApiServer) -> None:
    status, score = block.note.split()
    line = block.text.strip()
    reply = server.post("/v1/replays", {"notation": line})
    assert reply.status == 200, reply.body
    assert (reply.json["status"], reply.json["score"]) == (status, int(score))
    assert reply.json["ruleset"] == "original"
    assert not reply.json["custom"]
    assert reply.json["notation"] == line


def test_the_games_are_a_win_a_win_with_a_bonus_and_a_loss() -> None:
    kinds = [(block.note.split()[0], int(block.note.split()[1]) > 20) for block in GAMES]
    assert kinds == [("won", False), ("won", True), ("lost", False)]
    assert len({parse_notation(block.text.strip()).seed for block in GAMES}) == 3


def test_the_table_of_problems_lists_every_code_with_its_status() -> None:
    rows = re.findall(r"^\| (\d{3}) \| `(\w+)` \| \S", GUIDE, re.MULTILINE)
    assert {(int(status), code) for status, code in rows} == {
        (problem.status, problem.code) for problem in PROBLEM_TYPES.values()
    }
    assert len(rows) == len(PROBLEM_TYPES)
    assert rows == sorted(rows, key=lambda row: row[0])


def test_every_field_in_the_guide_is_a_field_of_a_game(server: ApiServer) -> None:
    schemas = server.get("/openapi.json").json["components"]["schemas"]
    fields = set(schemas["GameWithEvents"]["properties"])
    table = re.search(r"^\| field \|.*\n(?:\|.*\n)+", GUIDE, re.MULTILINE)
    assert table
    explained = re.findall(r"^\| ((?:`[\w.]+`(?:, )?)+) \|", table[0], re.MULTILINE)
    names = {name for cell in explained for name in re.findall(r"`(\w+)", cell)}
    assert names
    assert names <= fields


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_relative_links_have_a_target(page: Path) -> None:
    text = page.read_text()
    anchors = {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors
        elif not re.match(r"https?:", target):
            assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_json_blocks_are_valid(page: Path) -> None:
    for block in blocks(page.read_text()):
        if block.language == "json":
            assert promised(block)


def test_runnable_blocks_are_marked_run() -> None:
    runnable = [block for block in blocks(GUIDE) if block.language in {"sh", "js"}]
    assert {block.note for block in runnable} == {"run"}


def test_actions_named_in_the_guide_exist() -> None:
    named = re.findall(r"(?<![\w.])((?:equip|drink|fight):\w+(?::\w+)?)", GUIDE)
    assert [str(parse_action(text)) for text in named] == named
