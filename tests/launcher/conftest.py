"""Launchers that leave nothing behind."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.launcher.server import Server


class Launch(Protocol):
    """Starts a launcher whose games are in the test's directory of that name."""

    def __call__(self, name: str = "one", **environment: str) -> Server: ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if sys.platform != "linux":
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="looks at processes through /proc"))


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A directory for sockets, with a name that is short enough for them."""
    path = Path(tempfile.mkdtemp(prefix="rt-", dir="/tmp"))  # pytest's is too long
    yield path
    shutil.rmtree(path)


@pytest.fixture
def launch(tmp_path: Path, runtime: Path) -> Iterator[Launch]:
    """Start launchers; whatever is left of them at the end is killed."""
    servers = []

    def start(name: str = "one", **environment: str) -> Server:
        servers.append(Server(tmp_path / name, runtime, **environment))
        return servers[-1]

    yield start
    for server in servers:
        server.clear()
