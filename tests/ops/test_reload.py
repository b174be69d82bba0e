"""SIGHUP: gunicorn reads its configuration again, and new workers import the code as it is then."""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from tests.servers import ROOT, ApiServer, StoreServer, valkey_binary, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[ApiServer]:
    """A server of a copy of the code, which may be changed."""
    for folder in ("api", "engine", "openapi", "clients"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("node_*"))
    environment = {"PYTHONDONTWRITEBYTECODE": "1"}
    with (
        StoreServer(valkey_binary()) as store,
        ApiServer(
            {"SCOUNDREL_REDIS_URL": store.url, **environment}, workers=1, root=tmp_path
        ) as server,
    ):
        yield server


def test_new_workers_run_new_code_after_sighup(copied: ApiServer) -> None:
    table, users = (copied.root / "api/http" / name for name in ("problem_types.py", "errors.py"))
    table.write_text(table.read_text().replace('"Not found"', '"Moved"') + "\nADDED = 1\n")
    users.write_text(users.read_text() + "\nfrom api.http.problem_types import ADDED\n")
    assert copied.process
    os.kill(copied.process.pid, signal.SIGHUP)
    wait_until(lambda: copied.get("/nothing").json["title"] == "Moved")
    assert copied.process.poll() is None
