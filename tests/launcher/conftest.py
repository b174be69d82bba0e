"""Fixtures that start launchers and clean up after them."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.launcher.server import Server


class Launch(Protocol):
    """Starts a launcher; ``name`` is the directory of its games."""

    def __call__(self, name: str = "one", **environment: str) -> Server: ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if sys.platform != "linux":
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="requires /proc"))


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A directory for sockets, whose paths must be short."""
    path = Path(tempfile.mkdtemp(prefix="rt-", dir="/tmp"))  # pytest's path is too long
    yield path
    shutil.rmtree(path)


@pytest.fixture
def launch(tmp_path: Path, runtime: Path) -> Iterator[Launch]:
    """Start launchers; kill the processes that remain after the test."""
    servers = []

    def start(name: str = "one", **environment: str) -> Server:
        servers.append(Server(tmp_path / name, runtime, **environment))
        return servers[-1]

    yield start
    for server in servers:
        server.clear()
