"""A client that openapi-python-client makes of the contract plays a whole game."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.clients.expected import first, played, score_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.servers import ApiServer

    Operation = Callable[..., Any]

PACKAGE = "generated_scoundrel"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not find_spec("openapi_python_client"), reason="openapi-python-client is not installed"
    ),
]


@pytest.fixture(scope="module")
def generated(server: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory with the generated package; generating must give no warning."""
    directory = tmp_path_factory.mktemp("client")
    document = directory / "openapi.json"
    document.write_bytes(server.get("/openapi.json").body)
    # The generator calls ruff by name, and the environment need not be the active one.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning"),
            *("--path", document, "--output-path", directory / PACKAGE, "--meta", "none"),
        ],
        cwd=directory,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return directory


@pytest.fixture
def client(generated: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401  # generated
    """The generated client of the running API."""
    monkeypatch.syspath_prepend(str(generated))
    client = import_module(PACKAGE).Client(base_url=url, raise_on_unexpected_status=True)
    with client:
        yield client


def operation(tag: str, name: str) -> Operation:
    """Return the function that the generator has made of an operation."""
    sync: Operation = import_module(f"{PACKAGE}.api.{tag}.{name}").sync
    return sync


def model(name: str) -> Any:  # noqa: ANN401  # generated
    """Return the class that the generator has made of a schema."""
    return getattr(import_module(f"{PACKAGE}.models"), name)


def test_every_operation_is_generated(generated: Path) -> None:
    document = json.loads((generated / "openapi.json").read_text())
    operations = [
        operation["operationId"]
        for path in document["paths"].values()
        for method, operation in path.items()
        if method != "parameters"
    ]
    modules = {
        path.stem.replace("_", "")
        for path in (generated / PACKAGE / "api").glob("*/*.py")
        if path.stem != "__init__"
    }
    assert modules == {name.lower() for name in operations}


def test_it_plays_a_whole_game(client: Any) -> None:  # noqa: ANN401  # generated
    game = operation("games", "create_game")(
        client=client,
        body=model("NewGame")(seed="demo-1", player="Robin"),
        idempotency_key=str(uuid.uuid4()),
    )
    assert isinstance(game, model("CreatedGame"))
    while game.status == "playing":
        game = operation("actions", "apply_actions")(
            game.id,
            client=client,
            body=model("Actions")(version=game.version, actions=game.actions[:1]),
        )
        assert isinstance(game, model("GameWithEvents"))
    history = operation("histories", "get_history")(game.id, client=client)
    assert history.notation == played("demo-1", first)
    score = operation("scores", "get_score")(game.id, client=client)
    assert score.score == game.score == score_of(history.notation)
    page = operation("ledger", "list_ledger")(client=client, seed="demo-1", around=game.id)
    assert game.id in [entry.game_id for entry in page.entries]


def test_a_refusal_is_a_problem_with_its_code_and_the_state(client: Any) -> None:  # noqa: ANN401  # generated
    game = operation("games", "create_game")(client=client, body=model("NewGame")(seed="demo-1"))
    refused = operation("actions", "apply_actions")(
        game.id, client=client, body=model("Actions")(version=7, actions=["avoid"])
    )
    assert isinstance(refused, model("Problem"))
    assert refused.code == "version_mismatch"
    assert refused.state.version == 0


def test_a_value_that_is_added_one_day_is_no_error(client: Any) -> None:  # noqa: ANN401  # generated
    """The contract promises that codes and types of events may be added."""
    game = operation("games", "create_game")(client=client, body=model("NewGame")(seed="demo-1"))
    event = {"type": "trap_sprung", "card": "2D"}
    assert model("GameWithEvents").from_dict({**game.to_dict(), "events": [event]})
    problem = {
        "type": "/docs/problems#too_dark",
        "title": "T",
        "detail": "D",
        "status": 409,
        "code": "too_dark",
        "request_id": "r",
    }
    assert model("Problem").from_dict(problem)
