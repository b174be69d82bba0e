"""The published contract matches the app, and has an example for every response."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from api.http.openapi import VERSION
from openapi.__main__ import FILE
from openapi.document import written
from tests.api.documented import Document
from tests.servers import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTRACT: dict[str, Any] = json.loads(FILE.read_text())
METHODS = ("get", "post")


def responses() -> Iterator[tuple[str, str, str, dict[str, Any], str]]:
    """Yield operation, status, media type, content and description of each response."""
    for path in CONTRACT["paths"].values():
        for method in METHODS:
            operation = path.get(method, {"responses": {}})
            for status, response in operation["responses"].items():
                for media_type, content in response.get("content", {}).items():
                    where = operation["operationId"], status, media_type
                    yield *where, content, response["description"]


def test_the_committed_document_is_up_to_date() -> None:
    assert FILE.read_text() == written(), "run `make openapi`"


def test_each_response_has_an_example() -> None:
    missing = [
        (operation, status, media_type)
        for operation, status, media_type, content, _ in responses()
        if not content.get("examples")
    ]
    assert missing == []


def test_each_problem_code_has_an_example() -> None:
    for operation, status, media_type, content, description in responses():
        if media_type == "application/problem+json":
            documented = set(re.findall(r"`(\w+)`:", description))
            shown = {example["value"]["code"] for example in content["examples"].values()}
            assert shown == documented, (operation, status)


def test_each_example_of_a_request_matches_its_schema() -> None:
    document = Document(CONTRACT)
    shown = [
        (operation["operationId"], example["value"])
        for path in CONTRACT["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
        for example in operation["requestBody"]["content"]["application/json"]["examples"].values()
    ]
    assert shown
    assert [pair for pair in shown if not document.takes(*pair)] == []


@pytest.mark.parametrize("file", ["pyproject.toml", "CHANGELOG.md"])
def test_the_version_is_the_same_everywhere(file: str) -> None:
    text = (ROOT / file).read_text()
    if file == "pyproject.toml":
        assert tomllib.loads(text)["project"]["version"] == VERSION
    else:
        (latest, *_) = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", text, re.MULTILINE)
        assert latest == VERSION


@pytest.mark.parametrize(
    ("schema", "field"), [("Problem", "code"), ("Event", "type"), ("Game", "mode")]
)
def test_extensible_values_are_no_enumerations(schema: str, field: str) -> None:
    assert "enum" not in CONTRACT["components"]["schemas"][schema]["properties"][field]


def test_the_released_contract_has_the_current_version() -> None:
    released = json.loads(FILE.with_name("released.json").read_text())
    assert released["info"]["version"] == VERSION
