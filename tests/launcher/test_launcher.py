"""The launcher serves, keeps the games, and leaves no process behind."""

import os
import signal
import socket
from pathlib import Path

import pytest

from tests.launcher.conftest import Launch
from tests.launcher.server import eventually

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_all_processes_and_removes_the_sockets(
    launch: Launch, runtime: Path, number: int
) -> None:
    server = launch().ready()
    assert (server.get("/livez"), server.get("/readyz")) == (200, 200)
    assert server.end(number) == 0
    assert server.processes() == []
    assert list(runtime.iterdir()) == []


def test_it_prints_the_address_the_directory_and_a_first_command(launch: Launch) -> None:
    server = launch().ready()
    url = f"http://127.0.0.1:{server.port}"
    assert f"{url}\n" in server.output
    assert str(server.data) in server.output
    assert f"curl -X POST {url}/v1/games" in server.output
    assert "Ctrl-C" in server.output


def test_games_survive_a_restart(launch: Launch) -> None:
    first = launch().ready()
    with first.store() as client:
        client.set("game", "kept")
    assert first.end() == 0
    with launch().ready().store() as client:
        assert client.get("game") == "kept"


def test_games_survive_a_kill_of_all_processes(launch: Launch) -> None:
    first = launch(WEB_CONCURRENCY="2").ready()
    with first.store() as client:
        client.set("game", "kept")
    assert eventually(lambda: len(first.processes()) == 5)
    assert first.store_process() in first.processes()
    doomed = set(first.processes())
    first.end(signal.SIGKILL)
    # The new launcher waits until the old store has released the directory.
    with launch().ready().store() as client:
        assert client.get("game") == "kept"
    assert eventually(lambda: not doomed & set(first.processes()), within=5)


def test_a_second_server_on_the_same_directory_is_refused(launch: Launch) -> None:
    first = launch().ready()
    second = launch()
    assert second.status() == 1
    assert str(first.data) in second.output
    assert str(first.launcher.pid) in second.output
    assert "SCOUNDREL_DATA=" in second.output
    assert second.processes() == [first.store_process()]
    assert first.get("/readyz") == 200


def test_servers_with_their_own_directories_run_side_by_side(launch: Launch) -> None:
    servers = [launch(name) for name in ("one", "two", "three")]
    for server in servers:
        with server.ready().store() as client:
            client.set("name", str(server.data))
    for server in servers:
        with server.store() as client:
            assert client.get("name") == str(server.data)
        assert server.get("/readyz") == 200
    assert len({server.port for server in servers}) == 3


def test_a_killed_store_is_restarted_with_its_games(launch: Launch) -> None:
    server = launch().ready()
    for game in ("first", "second"):
        with server.store() as client:
            client.set(game, "kept")
        os.kill(server.store_process(), signal.SIGKILL)
        assert server.get("/livez") == 200
        assert eventually(lambda: server.get("/readyz") == 200, within=10)
    with server.store() as client:
        assert client.mget("first", "second") == ["kept", "kept"]
    assert server.output.count("The embedded store ended (SIGKILL)") == 2


def test_everything_ends_if_gunicorn_is_killed(launch: Launch) -> None:
    server = launch().ready()
    os.kill(server.web_process(), signal.SIGKILL)
    assert server.status() == 128 + signal.SIGKILL
    assert server.processes() == []


def test_a_second_signal_does_not_wait_for_open_connections(launch: Launch) -> None:
    server = launch().ready()
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: here\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 200"
        server.launcher.send_signal(signal.SIGINT)
        assert eventually(lambda: "Ctrl-C again" in server.output)
        assert server.end(signal.SIGINT) == 0
    assert server.processes() == []


def test_only_gunicorn_listens_on_the_network(launch: Launch) -> None:
    server = launch().ready()
    web = {
        line.split()[9]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text().splitlines()[1:]
        if line.split()[3] == "0A"
    }
    process = server.store_process()
    sockets = {str(file.readlink()) for file in Path(f"/proc/{process}/fd").iterdir()}
    assert not {f"socket:[{inode}]" for inode in web} & sockets
    with server.store() as client:
        assert client.config_get("port") == {"port": "0"}


def test_the_store_persists_every_write_and_evicts_nothing(launch: Launch) -> None:
    with launch().ready().store() as client:
        assert client.config_get("appendonly", "appendfsync", "maxmemory-policy", "save") == {
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
            "save": "",
        }
        client.hset("game", mapping={"log": "a" * 300})
        assert client.object("encoding", "game") == "listpack"


def test_the_directories_are_private(launch: Launch, runtime: Path) -> None:
    server = launch().ready()
    (sockets,) = runtime.iterdir()
    assert (server.data.stat().st_mode & 0o777, sockets.stat().st_mode & 0o777) == (0o700, 0o700)


def test_the_socket_directory_of_a_dead_server_is_removed(launch: Launch, runtime: Path) -> None:
    dead = runtime / "scoundrel-dead"
    dead.mkdir()
    (dead / "lock").touch()
    live = launch("one").ready()
    launch("two").ready()
    assert not dead.exists()
    assert live.get("/readyz") == 200
    assert len(list(runtime.iterdir())) == 2


def test_a_configured_store_is_used_and_keeps_running(launch: Launch) -> None:
    other = launch("one").ready()
    with other.store() as client:
        url = f"unix://{client.connection_pool.connection_kwargs['path']}"
    server = launch("two", SCOUNDREL_REDIS_URL=url).ready()
    assert server.get("/readyz") == 200
    assert not server.data.exists()
    assert len(server.processes()) == 3
    assert server.end() == 0
    assert other.get("/readyz") == 200
