"""The compose file: it is valid, secure, and matches the other files."""

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
# The schema of the Compose Specification, with its licence beside it.
SCHEMA = json.loads(
    Path(__file__).with_name("compose-spec").joinpath("compose-spec.json").read_text()
)


def test_it_matches_the_schema_of_the_specification() -> None:
    Draft7Validator(SCHEMA).validate(COMPOSE)


def test_the_schema_refuses_unknown_keys() -> None:
    with pytest.raises(ValidationError):
        Draft7Validator(SCHEMA).validate({"services": {"api": {"imgae": "x"}}})


def test_mounted_files_and_volumes_exist() -> None:
    sources = [
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
    ]
    assert sources
    for source in sources:
        assert (ROOT / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]


def test_every_setting_exists() -> None:
    known = {name for name, _default, _meaning in table()}
    for api in APIS:
        given = {name for name in SERVICES[api]["environment"] if name.startswith("SCOUNDREL_")}
        assert given
        assert given <= known


def test_the_proxy_lists_the_apis() -> None:
    upstream = (ROOT / "deploy" / "nginx" / "upstream.conf").read_text()
    assert re.findall(r"^server (\S+):8000 ", upstream, re.MULTILINE) == APIS


def test_the_port_of_the_proxy_is_published() -> None:
    site = (ROOT / "deploy" / "nginx" / "site.conf").read_text()
    (port,) = re.findall(r"^listen (\d+);", site, re.MULTILINE)
    (published,) = SERVICES["proxy"]["ports"]
    assert published.endswith(f":{port}")


def test_only_the_proxy_is_reachable_from_outside() -> None:
    assert COMPOSE["networks"]["inside"]["internal"]
    for name, service in SERVICES.items():
        if name != "proxy":
            assert "ports" not in service
            assert service["networks"] == ["inside"]


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_no_root_no_capabilities_and_a_read_only_file_system(name: str) -> None:
    service = SERVICES[name]
    assert service["user"].partition(":")[0] not in {"", "0", "root"}
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", SERVICES)
def test_an_image_has_a_version(name: str) -> None:
    image = SERVICES[name]["image"]
    assert name in APIS or re.search(r":\d+\.\d+", image)


def test_the_apis_have_time_to_finish_requests() -> None:
    configuration = (ROOT / "api" / "server" / "gunicorn.conf.py").read_text()
    (graceful,) = re.findall(r"^graceful_timeout = (\d+)", configuration, re.MULTILINE)
    for api in APIS:
        assert int(SERVICES[api]["stop_grace_period"].removesuffix("s")) > int(graceful)


# Compose, without an engine


@pytest.fixture
def resolved() -> Callable[..., dict[str, Any]]:
    """Return a function that lets Debian's Compose resolve the file with an environment.

    This Compose is from 2021 and does not know ``name``, but everything else.
    """
    if shutil.which("docker-compose") is None:
        pytest.skip(
            "requires docker-compose: scripts/apt-packages.sh installs it on Debian as root"
        )

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


def test_compose_resolves_the_defaults(resolved: Callable[..., dict[str, Any]]) -> None:
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


def test_compose_resolves_the_variables(
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
