"""The compose file: it is what Compose takes, and names nothing that is not there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from jsonschema import Draft7Validator, ValidationError  # type: ignore[import-untyped]

from api.settings import load, table
from tests.servers import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
APIS = ["api-1", "api-2"]
# The schema of the Compose Specification, under the licence beside it.
SCHEMA = json.loads(
    Path(__file__).with_name("compose-spec").joinpath("compose-spec.json").read_text()
)


def test_it_is_of_the_form_that_the_specification_gives() -> None:
    Draft7Validator(SCHEMA).validate(COMPOSE)


def test_the_specification_would_not_take_anything() -> None:
    with pytest.raises(ValidationError):
        Draft7Validator(SCHEMA).validate({"services": {"api": {"imgae": "x"}}})


def test_what_is_mounted_is_there() -> None:
    sources = [
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
    ]
    assert sources
    for source in sources:
        assert (ROOT / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]


def test_every_setting_is_one() -> None:
    known = {name for name, _default, _meaning in table()}
    for api in APIS:
        given = {name for name in SERVICES[api]["environment"] if name.startswith("SCOUNDREL_")}
        assert given
        assert given <= known


def test_the_apis_are_those_that_the_proxy_knows() -> None:
    upstream = (ROOT / "deploy" / "nginx" / "upstream.conf").read_text()
    assert re.findall(r"^server (\S+):8000 ", upstream, re.MULTILINE) == APIS


def test_the_proxys_port_is_the_one_that_is_published() -> None:
    site = (ROOT / "deploy" / "nginx" / "site.conf").read_text()
    (port,) = re.findall(r"^listen (\d+);", site, re.MULTILINE)
    (published,) = SERVICES["proxy"]["ports"]
    assert published.endswith(f":{port}")


def test_nobody_reaches_store_or_apis_but_through_the_proxy() -> None:
    assert COMPOSE["networks"]["inside"]["internal"]
    for name, service in SERVICES.items():
        if name != "proxy":
            assert "ports" not in service
            assert service["networks"] == ["inside"]


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_no_root_no_capability_and_a_file_system_to_read(name: str) -> None:
    service = SERVICES[name]
    assert service["user"].partition(":")[0] not in {"", "0", "root"}
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", SERVICES)
def test_an_image_is_of_a_named_version(name: str) -> None:
    image = SERVICES[name]["image"]
    assert name in APIS or re.search(r":\d+\.\d+", image)


def test_the_apis_have_time_to_finish_what_they_are_asked() -> None:
    configuration = (ROOT / "api" / "gunicorn.conf.py").read_text()
    (graceful,) = re.findall(r"^graceful_timeout = (\d+)", configuration, re.MULTILINE)
    for api in APIS:
        assert int(SERVICES[api]["stop_grace_period"].removesuffix("s")) > int(graceful)


# Compose itself, without an engine.


@pytest.fixture
def resolved() -> Callable[..., dict[str, Any]]:
    """Have Debian's Compose read the file with variables of an environment.

    It is of 2021, a year before files had a name of their own, and knows all else.
    """
    if shutil.which("docker-compose") is None:
        pytest.skip("no docker-compose: scripts/apt-packages.sh installs it on Debian as root")

    def read(**environment: str) -> dict[str, Any]:
        nameless = {name: part for name, part in COMPOSE.items() if name != "name"}
        done = subprocess.run(
            ["docker-compose", "--file", "-", "--project-directory", ROOT, "config"],
            input=yaml.safe_dump(nameless),
            env={"PATH": os.environ["PATH"], **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        services: dict[str, Any] = yaml.safe_load(done.stdout)["services"]
        return services

    return read


def test_compose_reads_it_as_it_is_meant(resolved: Callable[..., dict[str, Any]]) -> None:
    services = resolved()
    assert set(services) == set(SERVICES)
    assert services["api-1"] == services["api-2"]
    assert services["api-1"]["environment"] == {
        "SCOUNDREL_REDIS_URL": "redis://redis:6379/0",
        "SCOUNDREL_SECRET": "",
        "SCOUNDREL_KEEP_LOST_DAYS": "",
        "SCOUNDREL_CREATE_LIMIT": "60/minute",
        "SCOUNDREL_PROXY_HOPS": "1",
        "WEB_CONCURRENCY": "2",
    }
    assert services["api-1"]["depends_on"] == {"redis": {"condition": "service_healthy"}}
    assert services["proxy"]["ports"] == [{"published": 8080, "target": 8080}]
    assert services["proxy"]["volumes"] == [f"{ROOT}/deploy/nginx:/etc/nginx/scoundrel:ro"]


def test_compose_puts_the_variables_where_they_belong(
    resolved: Callable[..., dict[str, Any]],
) -> None:
    given = {
        "SCOUNDREL_SECRET": "s" * 32,
        "SCOUNDREL_KEEP_LOST_DAYS": "7",
        "SCOUNDREL_CREATE_LIMIT": "",
        "SCOUNDREL_PROXY_HOPS": "2",
        "WEB_CONCURRENCY": "4",
    }
    services = resolved(SCOUNDREL_LISTEN="127.0.0.1:81", SCOUNDREL_VERSION="0.1.0", **given)
    environment = services["api-2"]["environment"]
    assert {name: environment[name] for name in given} == given
    assert load({n.removeprefix("SCOUNDREL_"): v for n, v in given.items()}).create_limit is None
    assert services["api-2"]["image"] == "scoundrel:0.1.0"
    assert str(services["proxy"]["ports"][0]) == "127.0.0.1:81:8080/tcp"
