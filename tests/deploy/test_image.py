"""The image that the Dockerfile makes: built for real, run as an orchestrator would run it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.deploy.image import Container
from tests.deploy.nginx import proxied
from tests.deploy.shipped import RedisServer
from tests.playing import play_through, record
from tests.servers import ROOT, serving, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.deploy.image import Image
    from tests.servers import StoreServer

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    """A store by the shipped configuration, over TCP as containers reach it."""
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="module")
def containers(
    image: Image, redis: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Container]]:
    """Two containers over it, as in the compose file."""
    environment = {"SCOUNDREL_REDIS_URL": redis.url, "SCOUNDREL_PROXY_HOPS": "1"}
    logs = tmp_path_factory.mktemp("containers")
    running = [Container(image, environment, logs / str(number)) for number in range(2)]
    try:
        yield [container.start() for container in running]
    finally:
        for container in running:
            container.close()


def test_the_image_plays_a_game_behind_the_shipped_proxy_on_the_shipped_store(
    containers: list[Container],
    wants_nginx: None,  # noqa: ARG001  # named for the skip
) -> None:
    with proxied([container.port for container in containers]) as proxy:
        play_through(proxy, record("in-a-container"))
        upstreams = {line["upstream"] for line in proxy.lines if line["status"] in {200, 201}}
    assert upstreams == {f"127.0.0.1:{container.port}" for container in containers}


def test_its_processes_run_as_nobody_special_without_any_capability(
    containers: list[Container],
) -> None:
    main = containers[0].main
    workers = Path(f"/proc/{main}/task/{main}/children").read_text().split()
    assert len(workers) == 2
    for process in (str(main), *workers):
        status = dict(
            line.split(":\t", 1)
            for line in Path(f"/proc/{process}/status").read_text().splitlines()
        )
        assert status["Uid"].split() == ["10001"] * 4
        assert status["Gid"].split() == ["10001"] * 4
        for capabilities in ("CapPrm", "CapEff", "CapBnd"):
            assert int(status[capabilities], 16) == 0
        assert status["NoNewPrivs"] == "1"


@pytest.mark.parametrize("path", ["/x", "/srv/scoundrel/x", "/opt/scoundrel/x", "/home/x"])
def test_nothing_can_be_written_but_in_tmp(image: Image, path: str) -> None:
    assert "Read-only file system" in image.run("sh", "-c", f"echo > {path}").stderr
    assert image.run("sh", "-c", "echo > /tmp/x").returncode == 0


def test_nothing_of_the_app_belongs_to_its_user_or_is_writable_for_it(image: Image) -> None:
    user = int(image.config["User"].partition(":")[0])
    for top in ("srv/scoundrel", "opt/scoundrel"):
        for path in (image.root / top).rglob("*"):
            status = path.lstat()
            assert status.st_uid != user
            assert path.is_symlink() or not status.st_mode & 0o022, path


def test_there_are_no_build_tools(image: Image) -> None:
    found = image.run("sh", "-c", "command -v cc gcc make ld pip pip3 git curl").stdout
    assert found == ""
    for python in ("python", "/usr/bin/python3"):
        for module in ("pip", "ensurepip"):
            assert image.run(python, "-m", module).returncode != 0
    assert list(image.root.resolve().rglob("pip-*")) == []
    assert not (image.root / "build").exists()


def test_nothing_but_what_is_served_is_in_it(image: Image) -> None:
    assert sorted(path.name for path in (image.root / "srv/scoundrel").iterdir()) == [
        "LICENSE",
        "api",
        "clients",
        "engine",
        "openapi",
        "requirements.txt",
    ]
    assert [path.name for path in (image.root / "srv/scoundrel/clients").iterdir()] == ["web"]


def test_it_has_all_that_the_source_tree_serves(
    containers: list[Container], store_server: StoreServer
) -> None:
    paths = ["/", "/docs", "/docs/problems", "/openapi.json", "/v1/rulesets", "/livez", "/metrics"]
    served = [ROOT / "clients" / "web", ROOT / "api" / "static"]
    paths += [
        f"/{top}/{path.relative_to(directory)}"
        for directory, top in zip(served, ("play", "static"), strict=True)
        for path in directory.rglob("*")
    ]
    with serving(store_server, workers=1) as source:
        for path in paths:
            assert containers[0].get(path).status == source.get(path).status, path


def test_its_health_check_tells_whether_it_answers(
    image: Image, containers: list[Container]
) -> None:
    kind, *check = image.config["Healthcheck"]["Test"]
    assert kind == "CMD"
    healthy = image.run(*check, SCOUNDREL_PORT=str(containers[0].port))
    assert healthy.returncode == 0, healthy.stderr
    assert image.run(*check, SCOUNDREL_PORT="1").returncode != 0


def test_every_line_that_it_prints_is_json(containers: list[Container]) -> None:
    containers[0].get("/v1/rulesets")
    lines = containers[0].output.read_text().splitlines()
    assert lines
    for line in lines:
        assert {"time", "level", "message"} <= set(json.loads(line))


def test_it_stops_when_it_is_told_to(image: Image, redis: RedisServer, tmp_path: Path) -> None:
    container = Container(image, {"SCOUNDREL_REDIS_URL": redis.url}, tmp_path / "log")
    container.start()
    main = container.main
    os.kill(main, signal.SIGTERM)
    assert container.process
    container.process.wait(15)
    wait_until(lambda: not Path(f"/proc/{main}").exists())


def test_the_operators_commands_run_in_it(image: Image, redis: RedisServer) -> None:
    done = image.run("flask", "ledger", "verify", SCOUNDREL_REDIS_URL=redis.url)
    assert done.returncode == 0, done.stderr
    assert "0 differences." in done.stdout
