"""The compose file: it is what Compose takes, and names nothing that is not there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator, ValidationError  # type: ignore[import-untyped]

from api.settings import table
from tests.servers import ROOT

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
