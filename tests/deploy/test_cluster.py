"""The shipped example of a Cluster: three primaries and their replicas, with redis-server."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from api import create_app
from tests.deploy.shipped import SHIPPED, RedisServer
from tests.playing import act, begin, insist, play_through, record
from tests.servers import ApiServer, redis_binary, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(redis_binary() is None, reason="requires redis-server"),
]


@pytest.fixture(scope="module")
def nodes() -> Iterator[list[RedisServer]]:
    # The nodes speak with each other on their port plus 10,000.
    servers = [RedisServer(SHIPPED / "cluster" / "redis.conf", bus=10_000) for _ in range(6)]
    try:
        for server in servers:
            server.start()
        addresses = [f"127.0.0.1:{server.port}" for server in servers]
        subprocess.run(
            [
                *("redis-cli", "--cluster", "create", *addresses),
                *("--cluster-replicas", "1", "--cluster-yes"),
            ],
            check=True,
            capture_output=True,
        )
        for server in servers:
            wait_until(lambda server=server: _is_ready(server))
        yield servers
    finally:
        for server in servers:
            server.close()


@pytest.fixture(scope="module")
def url(nodes: list[RedisServer]) -> str:
    return f"redis+cluster://{','.join(f'127.0.0.1:{node.port}' for node in nodes[:3])}"


@pytest.fixture(scope="module")
def api(url: str) -> Iterator[ApiServer]:
    with ApiServer({"SCOUNDREL_REDIS_URL": url}, workers=2) as server:
        yield server


def test_games_are_played_and_ranked(api: ApiServer) -> None:
    game_ids = [play_through(api, record(f"cluster-{number}")) for number in range(6)]
    for number, game_id in enumerate(game_ids):
        ledger = api.get(f"/v1/ledger?seed=cluster-{number}").json
        assert [entry["game_id"] for entry in ledger["entries"]] == [game_id]


def test_games_are_on_all_primaries(api: ApiServer, nodes: list[RedisServer]) -> None:
    for _ in range(30):
        assert api.post("/v1/games", {}).status == 201
    primaries = 0
    for node in nodes:
        with node.client as client:
            if client.role()[0] == "master":
                assert list(client.scan_iter("game:*"))
                primaries += 1
    assert primaries == 3


def test_the_operators_commands_see_all_nodes(api: ApiServer, url: str) -> None:
    play_through(api, record("cluster-commands"))
    runner = create_app({"REDIS_URL": url}).test_cli_runner()
    result = runner.invoke(args=["ledger", "verify"])
    assert "0 differences." in result.output
    cleared = runner.invoke(args=["ledger", "clear", "original/cluster-commands", "--yes"])
    assert cleared.output == "1 games removed.\n"
    rebuilt = runner.invoke(args=["ledger", "rebuild"])
    assert rebuilt.output.startswith("0 games added")
    assert api.get("/v1/ledger?seed=cluster-commands").json["entries"] == []


def test_a_game_continues_when_its_primary_is_lost(
    api: ApiServer, nodes: list[RedisServer]
) -> None:
    game = record("cluster-failover")
    game_id, _body = begin(api, game)
    assert act(api, game_id, 0, game.actions[0]).status == 200
    (primary,) = (node for node in nodes if _is_primary_of(node, f"game:{game_id}"))
    primary.stop(signal.SIGKILL)
    for version, action in enumerate(game.actions[1:], 1):
        reply = insist(api, game_id, version, action)
        assert (reply.status, reply.json["version"]) == (200, version + 1)
    assert api.get(f"/v1/games/{game_id}/score").json["score"] is not None


def _is_ready(server: RedisServer) -> bool:
    with server.client as client:
        info = client.execute_command("CLUSTER INFO")
        known = info if isinstance(info, str) else str(info)
        role = client.role()
    connected = role[0] == "master" or "connected" in map(str, role)
    return "ok" in known and connected


def _is_primary_of(server: RedisServer, key: str) -> bool:
    with server.client as client:
        return client.role()[0] == "master" and key in set(map(str, client.scan_iter(key)))


def test_a_node_repeats_no_setting_of_the_single_store() -> None:
    single = _directives((SHIPPED / "redis.conf").read_text())
    node = _directives((SHIPPED / "cluster" / "redis.conf").read_text())
    assert not single & node
    assert "include" in node


def _directives(text: str) -> set[str]:
    return {line.split()[0] for line in text.splitlines() if line and not line.startswith("#")}
