"""The image: built from the Dockerfile, and run as in production."""

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
    """A store with the shipped configuration, reached over TCP."""
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="module")
def containers(
    image: Image, redis: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Container]]:
    """Two containers on this store, as in the compose file."""
    environment = {"SCOUNDREL_REDIS_URL": redis.url, "SCOUNDREL_PROXY_HOPS": "1"}
    logs = tmp_path_factory.mktemp("containers")
    running = [Container(image, environment, logs / str(number)) for number in range(2)]
    try:
        yield [container.start() for container in running]
    finally:
        for container in running:
            container.close()


def test_a_game_is_played_with_the_shipped_proxy_and_store(
    containers: list[Container],
    needs_nginx: None,  # noqa: ARG001  # for the skip
) -> None:
    with proxied([container.port for container in containers]) as proxy:
        play_through(proxy, record("in-a-container"))
        upstreams = {line["upstream"] for line in proxy.lines if line["status"] in {200, 201}}
    assert upstreams == {f"127.0.0.1:{container.port}" for container in containers}


def test_processes_run_unprivileged_without_capabilities(
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
def test_only_tmp_is_writable(image: Image, path: str) -> None:
    assert "Read-only file system" in image.run("sh", "-c", f"echo > {path}").stderr
    assert image.run("sh", "-c", "echo > /tmp/x").returncode == 0


def test_the_apps_files_are_not_writable_for_its_user(image: Image) -> None:
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


def test_the_image_has_only_the_files_it_needs(image: Image) -> None:
    assert sorted(path.name for path in (image.root / "srv/scoundrel").iterdir()) == [
        "LICENSE",
        "api",
        "clients",
        "engine",
        "openapi",
        "requirements.txt",
    ]
    assert [path.name for path in (image.root / "srv/scoundrel/clients").iterdir()] == ["web"]


def test_the_image_serves_everything_that_the_source_tree_serves(
    containers: list[Container], store_server: StoreServer
) -> None:
    paths = ["/", "/docs", "/docs/problems", "/openapi.json", "/v1/rulesets", "/livez", "/metrics"]
    served = [ROOT / "clients" / "web", ROOT / "api" / "site" / "static"]
    paths += [
        f"/{top}/{path.relative_to(directory)}"
        for directory, top in zip(served, ("play", "static"), strict=True)
        for path in directory.rglob("*")
    ]
    with serving(store_server, workers=1) as source:
        for path in paths:
            assert containers[0].get(path).status == source.get(path).status, path


def test_the_health_check_detects_whether_the_server_responds(
    image: Image, containers: list[Container]
) -> None:
    kind, *check = image.config["Healthcheck"]["Test"]
    assert kind == "CMD"
    healthy = image.run(*check, SCOUNDREL_PORT=str(containers[0].port))
    assert healthy.returncode == 0, healthy.stderr
    assert image.run(*check, SCOUNDREL_PORT="1").returncode != 0


def test_every_line_of_output_is_json(containers: list[Container]) -> None:
    containers[0].get("/v1/rulesets")
    lines = containers[0].output.read_text().splitlines()
    assert lines
    for line in lines:
        assert {"time", "level", "message"} <= set(json.loads(line))


def test_a_container_stops_on_sigterm(image: Image, redis: RedisServer, tmp_path: Path) -> None:
    container = Container(image, {"SCOUNDREL_REDIS_URL": redis.url}, tmp_path / "log")
    container.start()
    main = container.main
    os.kill(main, signal.SIGTERM)
    assert container.process
    container.process.wait(15)
    wait_until(lambda: not Path(f"/proc/{main}").exists())


def test_the_operators_commands_run_in_the_image(image: Image, redis: RedisServer) -> None:
    done = image.run("flask", "ledger", "verify", SCOUNDREL_REDIS_URL=redis.url)
    assert done.returncode == 0, done.stderr
    assert "0 differences." in done.stdout
