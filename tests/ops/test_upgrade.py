"""Two versions on one store: an older version and this one serve the same games at the same time.

The older version is the last release or, before the first release, the newest commit with another
server. ``OLDER=commit`` selects another version.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.deploy.crowd import crowd
from tests.deploy.nginx import nginx_binary, proxied, stop_soon_after
from tests.playing import Connection, act, answers, begin, of_play, record
from tests.servers import ROOT, ApiServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from redis import Redis

    from tests.servers import StoreServer

pytestmark = pytest.mark.slow


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    # The files may belong to another user, as in a container that runs the tests as root.
    trusting = ("git", "-c", f"safe.directory={ROOT}", "-C", ROOT)
    return subprocess.run([*trusting, *arguments], check=False, capture_output=True)


def _older() -> str | None:
    """Return the older version: ``OLDER``, the last release, or the newest commit with another
    server.
    """
    if asked := os.environ.get("OLDER"):
        return asked
    last = _git("describe", "--tags", "--abbrev=0", "--match=v[0-9]*")
    if last.returncode == 0:
        return last.stdout.decode().strip()
    for commit in _git("rev-list", "--first-parent", "HEAD").stdout.decode().split():
        if _git("diff", "--quiet", commit, "--", "api", "engine").returncode:
            return commit
    return None


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the older version."""
    version = _older()
    if version is None:
        pytest.skip("the history has no older version; OLDER=commit selects one")
    archive = _git("archive", version)
    assert archive.returncode == 0, archive.stderr
    directory = tmp_path_factory.mktemp("older")
    subprocess.run(["tar", "-x", "-C", directory], input=archive.stdout, check=True)
    server = directory / "api" / "server"
    if not server.exists():  # the older version has gunicorn.conf.py in api itself
        server.symlink_to(".")
    return directory


@pytest.fixture
def environment(store_server: StoreServer, redis: Redis) -> dict[str, str]:
    """The environment of servers on an empty store."""
    assert redis.dbsize() == 0
    return {"SCOUNDREL_REDIS_URL": store_server.url, "SCOUNDREL_PROXY_HOPS": "1"}


@pytest.fixture
def both(older: Path, environment: dict[str, str]) -> Iterator[list[ApiServer]]:
    """A server of the older version and one of this version, on one store."""
    with _started(environment, older, ROOT) as servers:
        yield servers


@contextmanager
def _started(environment: dict[str, str], *roots: Path) -> Iterator[list[ApiServer]]:
    servers = [ApiServer(environment, workers=1, root=root) for root in roots]
    try:
        yield [server.start() for server in servers]
    finally:
        for server in servers:
            server.close()


@pytest.mark.parametrize("ruleset", ["original", "gamemaker", "strict", "gravekeeper"])
def test_a_game_is_played_on_both_versions_in_turn(both: list[ApiServer], ruleset: str) -> None:
    for begun_on in range(2):
        game = record(f"{ruleset}-{begun_on}", ruleset)
        deal, *rest = game.steps()
        game_id, _body = begin(both[begun_on], game)
        for action, step in zip(game.actions, rest, strict=True):
            version = step.state.version
            expected = answers(step)
            reply = act(both[version % 2], game_id, version - 1, action)
            assert of_play(reply.json, expected) == expected
            again = act(both[1 - version % 2], game_id, version - 1, action)
            assert (again.status, again.headers["Idempotent-Replayed"]) == (200, "true")
        assert deal.state.version == 0
        for server in both:
            ledger = server.get(f"/v1/ledger?ruleset={ruleset}&seed={game.seed}").json
            assert [entry["game_id"] for entry in ledger["entries"]] == [game_id]
            assert server.get(f"/v1/games/{game_id}/score").json["rank"] == 1


def test_a_key_returns_the_same_game_from_both_versions(both: list[ApiServer]) -> None:
    headers = {"Idempotency-Key": "one-key-for-both-of-them"}
    replies = [
        server.request("POST", "/v1/games", {"locked": True}, headers=headers) for server in both
    ]
    assert replies[0].json["id"] == replies[1].json["id"]
    assert replies[0].json["token"] == replies[1].json["token"]


def test_no_request_is_lost_when_servers_are_replaced_one_by_one(
    older: Path, environment: dict[str, str]
) -> None:
    if nginx_binary() is None:
        pytest.skip("no nginx: scripts/apt-packages.sh installs it on Debian as root")
    with (
        _started(environment, older, older) as servers,
        proxied([server.port for server in servers]) as proxy,
    ):
        with crowd(lambda: Connection(proxy.port), 4, "upgrade") as players:
            for server in servers:
                server.root = ROOT
                stop_soon_after(server, 2.5, signal.SIGTERM)
            time.sleep(1)
        assert proxy.get("/readyz").status == 200
    assert [failure for player in players for failure in player.failed] == []
    assert sum(player.answered for player in players) > 100
    assert sum(player.refused for player in players) <= 2 * len(players)
