"""The published contract is that of the app, and its examples are what the app answers."""

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


def answers() -> Iterator[tuple[str, str, str, dict[str, Any], str]]:
    """Yield operation, status, media type, content and description of each documented answer."""
    for path in CONTRACT["paths"].values():
        for method in METHODS:
            operation = path.get(method, {"responses": {}})
            for status, answer in operation["responses"].items():
                for media_type, content in answer.get("content", {}).items():
                    where = operation["operationId"], status, media_type
                    yield *where, content, answer["description"]


def test_the_committed_document_is_what_the_app_documents() -> None:
    assert FILE.read_text() == written(), "run `make openapi`"


def test_each_documented_answer_has_an_example() -> None:
    bare = [
        (operation, status, media_type)
        for operation, status, media_type, content, _ in answers()
        if not content.get("examples")
    ]
    assert bare == []


def test_each_documented_problem_code_has_an_example() -> None:
    for operation, status, media_type, content, description in answers():
        if media_type == "application/problem+json":
            documented = set(re.findall(r"`(\w+)`:", description))
            shown = {example["value"]["code"] for example in content["examples"].values()}
            assert shown == documented, (operation, status)


def test_each_request_that_is_shown_satisfies_its_schema() -> None:
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
def test_what_may_grow_is_no_enumeration_in_answers(schema: str, field: str) -> None:
    assert "enum" not in CONTRACT["components"]["schemas"][schema]["properties"][field]


def test_the_released_contract_is_that_of_the_latest_release() -> None:
    released = json.loads(FILE.with_name("released.json").read_text())
    assert released["info"]["version"] == VERSION
