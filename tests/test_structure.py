"""Conventions for everything that is added: routes, resources, schemas, and the README."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import api.resources
from api import create_app
from api.http.contract import Blueprint
from api.http.openapi import document
from api.settings import table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ROOT = Path(__file__).parents[1]

PAGES = {"web_client", "pages", "metrics"}
"""The blueprints that are not part of the API: pages, files and metrics."""

RESOURCES = [
    import_module(f"api.resources.{path.stem}")
    for path in sorted(Path(api.resources.__path__[0]).glob("*.py"))
    if path.stem != "__init__"
]

APP = create_app({"REDIS_URL": "redis://nowhere:1"})
DOCUMENT: dict[str, Any] = json.loads(json.dumps(document(APP)))
OPERATIONS: dict[str, dict[str, Any]] = {
    f"{method.upper()} {path}": definition
    for path, methods in DOCUMENT["paths"].items()
    for method, definition in methods.items()
    if method != "parameters"
}


def routes() -> Iterator[str]:
    """Yield method and path of each route, except those of pages and their files."""
    for rule in APP.url_map.iter_rules():
        if rule.endpoint.partition(".")[0] not in PAGES:
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
                yield f"{method} {path}"


# Routes.


@pytest.mark.parametrize("route", sorted(routes()))
def test_a_route_is_documented(route: str) -> None:
    operation = OPERATIONS[route]
    assert re.fullmatch("[a-z]+[A-Z][A-Za-z]+", operation["operationId"])
    assert operation["summary"]
    assert operation["description"]
    assert operation["tags"]


def test_nothing_else_is_documented() -> None:
    assert set(OPERATIONS) == set(routes())


def test_no_two_operations_share_an_id() -> None:
    ids = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("route", sorted(OPERATIONS))
def test_the_variables_of_a_path_are_documented(route: str) -> None:
    named = {
        parameter["name"]
        for parameter in OPERATIONS[route].get("parameters", [])
        if parameter["in"] == "path"
    }
    assert named == set(re.findall(r"\{(\w+)\}", route))


@pytest.mark.parametrize("route", sorted(OPERATIONS))
def test_parameters_and_responses_of_an_operation_are_described(route: str) -> None:
    operation = OPERATIONS[route]
    responses = operation["responses"].values()
    headers = [header for each in responses for header in each.get("headers", {}).values()]
    for part in (*operation.get("parameters", []), *responses, *headers):
        assert part["description"]


# Schemas.


def test_every_field_is_described() -> None:
    bare = [
        f"{name}.{field}"
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for field, definition in schema.get("properties", {}).items()
        if not {"description", "$ref"} & set(definition)
    ]
    assert bare == []


def _used(part: Any) -> set[str]:  # noqa: ANN401  # a part of the document
    """Return the schemas that a part of the document uses, directly or through others."""
    found = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(part)))
    while True:
        schemas = DOCUMENT["components"]["schemas"]
        further = re.findall(
            r'"#/components/schemas/(\w+)"', json.dumps([schemas[name] for name in found])
        )
        if found.issuperset(further):
            return found
        found.update(further)


def test_schemas_of_responses_allow_further_fields() -> None:
    responses = _used([operation["responses"] for operation in OPERATIONS.values()])
    schemas = DOCUMENT["components"]["schemas"]
    closed = [name for name in responses if schemas[name].get("additionalProperties") is not True]
    assert closed == []


def test_schemas_of_requests_allow_only_documented_fields() -> None:
    requests = _used([operation.get("requestBody") for operation in OPERATIONS.values()])
    schemas = DOCUMENT["components"]["schemas"]
    open_ = [name for name in requests if schemas[name].get("additionalProperties") is not False]
    assert open_ == []


def test_every_schema_is_used() -> None:
    assert _used(list(OPERATIONS.values())) == set(DOCUMENT["components"]["schemas"])


@pytest.mark.parametrize("union", ["oneOf", "allOf", "discriminator"])
def test_schemas_use_no_union_that_generators_do_not_support(union: str) -> None:
    assert f'"{union}"' not in json.dumps(DOCUMENT)


def test_the_only_choice_in_a_schema_is_an_object_or_null() -> None:
    for choice in re.findall(r'"anyOf": (\[[^\]]*\])', json.dumps(DOCUMENT)):
        one, other = json.loads(choice)
        assert (set(one), other) == ({"$ref"}, {"type": "null"})


# Resources.


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda module: module.__name__)
def test_a_resource_has_one_blueprint_called_blp(resource: ModuleType) -> None:
    defined = {
        name: value
        for name, value in vars(resource).items()
        if isinstance(value, Blueprint) and value.import_name == resource.__name__
    }
    assert list(defined) == ["blp"]
    assert defined["blp"].description


def test_no_two_resources_share_a_name() -> None:
    names = [resource.blp.name for resource in RESOURCES]
    assert len(names) == len(set(names))


def test_every_resource_is_registered() -> None:
    assert {resource.blp.name for resource in RESOURCES} == set(APP.blueprints) - PAGES


def test_the_folder_of_resources_contains_only_modules() -> None:
    here = Path(api.resources.__path__[0])
    others = [path.name for path in here.iterdir() if path.suffix != ".py"]
    assert set(others) <= {"__pycache__"}


# The README.


def test_the_readme_lists_the_settings() -> None:
    text = (ROOT / "README.md").read_text()
    rows = text[text.index("| Variable") :].split("\n\n", 1)[0].splitlines()[2:]
    listed = [tuple(cell.strip() for cell in row.strip("|").split("|")) for row in rows]
    assert listed == [
        (f"`{name}`", f"`{default}`" if default else "", meaning)
        for name, default, meaning in table()
    ]
