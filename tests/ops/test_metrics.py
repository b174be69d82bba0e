"""Metrics: their values over all workers, and counters that never fall."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.ops.logged import LoggedServer
from tests.playing import act, begin, play_through, record
from tests.servers import ROOT, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import ApiServer, StoreServer

Sample = tuple[str, frozenset[tuple[str, str]]]


def samples(server: ApiServer) -> Counter[Sample]:
    """Return all samples."""
    reply = server.get("/metrics")
    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return Counter(
        {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(reply.body.decode())
            for sample in family.samples
        }
    )


def sample(name: str, **labels: str) -> Sample:
    return f"scoundrel_{name}", frozenset(labels.items())


@pytest.fixture
def own(store_server: StoreServer, tmp_path: Path) -> Iterator[LoggedServer]:
    """A server for one test."""
    with LoggedServer(
        {"SCOUNDREL_REDIS_URL": store_server.url, "TMPDIR": str(tmp_path)}, file=tmp_path / "log"
    ) as server:
        yield server


def directories(server: LoggedServer) -> list[Path]:
    return sorted(server.file.parent.glob("metrics-of-scoundrel-*"))


def test_requests_are_counted_by_method_route_and_status(server: LoggedServer) -> None:
    before = samples(server)
    for _ in range(20):
        server.get("/v1/games/unknown")
    server.request("PATCH", "/v1/games")
    after = samples(server)
    after.subtract(before)
    route = "/v1/games/{game_id}"
    assert after[sample("requests_total", method="GET", route=route, status="404")] == 20
    assert after[sample("requests_total", method="PATCH", route="unmatched", status="405")] == 1
    assert after[sample("request_seconds_count", method="GET", route=route)] == 20
    assert after[sample("store_seconds_count", operation="read")] == 20


def test_moves_are_counted_by_result(server: LoggedServer) -> None:
    before = samples(server)
    game_id, _body = begin(server, record("metrics-1"))
    legal = server.get(f"/v1/games/{game_id}").json["actions"][0]
    act(server, game_id, 0, legal)
    act(server, game_id, 0, legal)
    act(server, game_id, 7, legal)
    act(server, game_id, 1, "drink:7H", "equip:2D", "drink:8H")
    act(server, game_id, 1, "nonsense")
    act(server, "unknown", 0, legal)
    server.get(f"/v1/games/{game_id}/actions")
    after = samples(server)
    after.subtract(before)
    moves = {dict(labels)["result"]: n for (name, labels), n in after.items() if "moves_t" in name}
    assert {result: n for result, n in moves.items() if n} == {
        "applied": 1,
        "replayed": 1,
        "version_mismatch": 1,
        "illegal_action": 1,
        "invalid_request": 1,
        "game_not_found": 1,
    }


def test_games_are_counted_at_their_start_and_end(server: LoggedServer) -> None:
    before = samples(server)
    game = record("metrics-2", "strict")
    game_id = play_through(server, game)
    act(server, game_id, len(game.actions) - 1, game.actions[-1])  # a retry ends nothing
    server.post("/v1/games", {"options": {"leave": 2}})
    for _ in range(2):
        server.post("/v1/games", {}, **{"Idempotency-Key": "metrics-metrics-metrics"})
    after = samples(server)
    after.subtract(before)
    status = server.get(f"/v1/games/{game_id}").json["status"]
    counted = {key: n for key, n in after.items() if key[0].startswith("scoundrel_games") and n}
    assert {key: n for key, n in counted.items() if not key[0].endswith("_created")} == {
        sample("games_begun_total", ruleset="strict", mode="seeded"): 1,
        sample("games_finished_total", ruleset="strict", status=status): 1,
        sample("games_begun_total", ruleset="custom", mode="standard"): 1,
        sample("games_begun_total", ruleset="original", mode="standard"): 1,
    }


def test_labels_never_have_text_from_the_client(server: LoggedServer) -> None:
    before = set(samples(server))
    for number in range(5):
        server.request(f"BREW{number}", f"/v1/pots/{number}", headers={"Host": f"h{number}"})
        server.get(f"/v1/games/{number}", **{"X-Request-ID": f"made-up-{number}"})
    new = set(samples(server)) - before
    assert not [key for key in new if re.search(r"BREW|pots|made-up|h\d", str(key))]


@pytest.mark.slow
def test_a_killed_worker_loses_no_count_and_leaves_no_file(own: LoggedServer) -> None:
    assert own.process is not None
    for _ in range(30):
        own.get("/v1/rulesets")
    counted = sample("requests_total", method="GET", route="/v1/rulesets", status="200")
    assert samples(own)[counted] == 30
    workers = _children(own.process.pid)
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    wait_until(lambda: not set(workers) & set(_children(own.process.pid)) if own.process else 0)
    wait_until(own._answers)
    for _ in range(2):
        assert samples(own)[counted] == 30
    own.get("/v1/rulesets")
    assert samples(own)[counted] == 31
    (directory,) = directories(own)
    left = {int(path.stem.rpartition("_")[2]) for path in directory.glob("*.db")}
    assert left
    assert not left & set(workers)


@pytest.mark.slow
def test_the_directory_of_the_metrics_is_removed_with_the_server(own: LoggedServer) -> None:
    assert own.process is not None
    assert len(directories(own)) == 1
    own.process.terminate()
    assert own.process.wait(20) == 0
    assert directories(own) == []


@pytest.mark.slow
def test_only_directories_of_dead_servers_are_removed_by_the_next(
    own: LoggedServer,
) -> None:
    (living,) = directories(own)
    killed = LoggedServer(own.environment, file=own.file)
    killed.start()
    (dead,) = set(directories(own)) - {living}
    killed.close()
    wait_until(lambda: not _alive_in(dead))
    third = LoggedServer(own.environment, file=own.file)
    try:
        third.start()
        assert dead not in directories(own)
        assert living in directories(own)
        assert own.get("/metrics").status == 200
    finally:
        third.close()


@pytest.mark.slow
def test_metrics_require_no_store(tmp_path: Path) -> None:
    server = LoggedServer({"SCOUNDREL_REDIS_URL": f"unix://{tmp_path}/none"}, file=tmp_path / "log")
    try:
        server.start()
        server.get("/v1/games/unknown")
        route = "/v1/games/{game_id}"
        assert samples(server)[sample("requests_total", method="GET", route=route, status="503")]
    finally:
        server.close()


def test_a_process_without_gunicorn_has_its_own_metrics() -> None:
    script = (
        "from api import create_app\n"
        "client = create_app({'REDIS_URL': 'redis://nowhere:1'}).test_client()\n"
        "client.get('/livez')\n"
        "print(client.get('/metrics').text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    line = 'scoundrel_requests_total{method="GET",route="/livez",status="200"} 1.0'
    assert line in done.stdout


def _children(process: int) -> list[int]:
    return [
        int(pid) for pid in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


def _alive_in(directory: Path) -> bool:
    """Whether a process has the directory's lock open."""
    held = str(directory / "lock")
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if str(link.readlink()) == held:
                return True
        except OSError:
            continue
    return False
