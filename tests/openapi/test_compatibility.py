"""The contract is compatible with that of the last release.

A release copies ``openapi/openapi.json`` to ``openapi/released.json``.
"""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.openapi.compatibility import METHODS, breaks

if TYPE_CHECKING:
    from collections.abc import Iterator

DIRECTORY = Path(__file__).parents[2] / "openapi"


def without_examples(members: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON object without its examples, which do not affect compatibility."""
    return {name: value for name, value in members.items() if name != "examples"}


RELEASED, CURRENT = (
    json.loads((DIRECTORY / name).read_text(), object_hook=without_examples)
    for name in ("released.json", "openapi.json")
)

THING = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["a", "b"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
        "name": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a"},
        "ratio": {"type": "number"},
        "at": {"type": ["string", "null"], "format": "date-time"},
        "list": {
            "type": "array",
            "maxItems": 9,
            "contains": {"const": "a"},
            "items": {"type": "string"},
        },
        "inner": {"anyOf": [{"$ref": "#/components/schemas/Inner"}, {"type": "null"}]},
    },
    "required": ["kind"],
}
BASE: dict[str, Any] = {
    "servers": [{"url": "/"}],
    "paths": {
        "/things/{id}": {
            "post": {
                "operationId": "changeThing",
                "security": [{}, {"token": []}],
                "parameters": [
                    {"in": "path", "name": "id", "required": True, "schema": {"type": "string"}},
                    {"in": "query", "name": "limit", "schema": {"type": "integer"}},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Change"}},
                        "text/plain": {"schema": {"type": "string"}},
                    }
                },
                "responses": {
                    "200": {
                        "description": "Changed.",
                        "headers": {"ETag": {"schema": {"type": "string"}}},
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}},
                            "text/plain": {"schema": {"type": "string"}},
                        },
                    },
                    "404": {"description": "Not Found. `unknown`: No. `expired`: No more."},
                },
            },
            "get": {
                "operationId": "getThing",
                "parameters": [
                    {"in": "path", "name": "id", "required": True, "schema": {"type": "string"}}
                ],
                "responses": {"200": {"description": "It."}},
            },
        },
    },
    "components": {
        "schemas": {
            "Change": {**deepcopy(THING), "additionalProperties": False},
            "Thing": {**deepcopy(THING), "additionalProperties": True},
            "Inner": {
                "type": "object",
                "properties": {
                    "n": {"type": "integer"},
                    "inner": {"$ref": "#/components/schemas/Inner"},
                },
                "required": ["n"],
            },
        },
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    },
}
POST = "/paths/~1things~1{id}/post"
SENT = "/components/schemas/Change"
RETURNED = "/components/schemas/Thing"
OK = f"{POST}/responses/200"
GONE = object()

BREAKS: dict[str, tuple[str, Any, str]] = {
    "a path is removed": ("/paths/~1things~1{id}", GONE, "POST /things/{id}: removed"),
    "an operation is removed": (
        "/paths/~1things~1{id}/get",
        GONE,
        "GET /things/{id}: removed",
    ),
    "another server": ("/servers/0/url", "/api", "the servers have changed"),
    "another operationId": (f"{POST}/operationId", "alterThing", "operationId was changeThing"),
    "a schema is removed": (
        "/components/schemas/Other",
        GONE,
        "Other: removed from the schemas",
    ),
    "another security scheme": (
        "/components/securitySchemes/token/scheme",
        "basic",
        "token: another security scheme",
    ),
    "a token is required": (f"{POST}/security", [{"token": []}], "without a token it is refused"),
    "a token is not accepted": (f"{POST}/security", [{}], "token it is refused"),
    "a token is required everywhere": ("/security", [{"token": []}], "GET /things/{id}: without"),
    "a parameter is removed": (
        f"{POST}/parameters/1",
        GONE,
        "query limit: no longer accepted",
    ),
    "a parameter is required": (f"{POST}/parameters/1/required", True, "limit: is now required"),
    "a new parameter is required": (
        f"{POST}/parameters/2",
        {"in": "header", "name": "Key", "required": True},
        "header Key: is now required",
    ),
    "a parameter of another type": (
        f"{POST}/parameters/0/schema/type",
        "integer",
        "path id: may no longer be string",
    ),
    "a parameter of another style": (
        f"{POST}/parameters/1/style",
        "simple",
        "limit: another style",
    ),
    "a body is not accepted": (f"{POST}/requestBody", GONE, "no longer accepts a body"),
    "a body is required": (f"{POST}/requestBody/required", True, "a body is now required"),
    "a body of other media types": (
        f"{POST}/requestBody/content/text~1plain",
        GONE,
        "body: text/plain is removed",
    ),
    "a field is not accepted": (f"{SENT}/properties/name", GONE, "body/name: removed"),
    "a field is required": (f"{SENT}/required", ["kind", "name"], "body/name: is now required"),
    "a new field is required": (f"{SENT}/required", ["kind", "new"], "body/new: is now required"),
    "a field of a narrower type": (
        f"{SENT}/properties/ratio/type",
        "integer",
        "body/ratio: may no longer be number",
    ),
    "a field that is no longer nullable": (
        f"{SENT}/properties/at/type",
        "string",
        "body/at: may no longer be null",
    ),
    "an object that is no longer nullable": (
        f"{SENT}/properties/inner",
        {"$ref": "#/components/schemas/Inner"},
        "body/inner: may no longer be null",
    ),
    "an item of another type": (
        f"{SENT}/properties/list/items/type",
        "integer",
        "body/list/0: may no longer be string",
    ),
    "a value is not accepted": (f"{SENT}/properties/kind/enum", ["a"], "body/kind: no longer 'b'"),
    "values are restricted": (f"{SENT}/properties/name/enum", ["ab"], "body/name: another enum"),
    "a higher minimum": (f"{SENT}/properties/count/minimum", 2, "body/count: another minimum"),
    "a lower maximum": (f"{SENT}/properties/count/maximum", 8, "body/count: another maximum"),
    "a new bound": (f"{SENT}/properties/list/minItems", 1, "body/list: another minItems"),
    "a shorter string": (f"{SENT}/properties/name/maxLength", 8, "body/name: another maxLength"),
    "another pattern": (f"{SENT}/properties/name/pattern", "^b", "body/name: another pattern"),
    "a format": (f"{SENT}/properties/name/format", "uuid", "body/name: another format"),
    "another default": (f"{SENT}/properties/count/default", 2, "count: another default"),
    "an unknown keyword": (f"{SENT}/not", {"required": ["at"]}, "body: another not"),
    "a status is removed": (f"{POST}/responses/404", GONE, "404: no longer returned"),
    "a code is removed": (
        f"{POST}/responses/404/description",
        "Not Found. `unknown`: No.",
        "404: the code expired is removed",
    ),
    "a header is removed": (f"{OK}/headers/ETag", GONE, "200: the header ETag is removed"),
    "a header of another type": (
        f"{OK}/headers/ETag/schema/type",
        "integer",
        "200: ETag: may now be integer",
    ),
    "a response of other media types": (
        f"{OK}/content/text~1plain",
        GONE,
        "text/plain is removed",
    ),
    "a field is not returned": (f"{RETURNED}/properties/name", GONE, "200/name: removed"),
    "a nested field is not returned": (
        "/components/schemas/Inner/properties/n",
        GONE,
        "200/inner/n: removed",
    ),
    "a field may be missing": (f"{RETURNED}/required", [], "200/kind: may be missing"),
    "a field may be null": (
        f"{RETURNED}/properties/name/type",
        ["string", "null"],
        "200/name: may now be null",
    ),
    "a field of another type": (
        f"{RETURNED}/properties/count/type",
        "string",
        "200/count: may now be string",
    ),
    "an integer that may be a fraction": (
        f"{RETURNED}/properties/count/type",
        "number",
        "200/count: may now be number",
    ),
    "a value is not returned": (
        f"{RETURNED}/properties/kind/enum",
        ["a"],
        "200/kind: no longer 'b'",
    ),
    "any value is returned": (f"{RETURNED}/properties/kind/enum", GONE, "200/kind: another enum"),
    "longer responses": (
        f"{RETURNED}/properties/name/maxLength",
        10,
        "200/name: another maxLength",
    ),
    "unbounded responses": (f"{RETURNED}/properties/count/maximum", GONE, "count: another maximum"),
    "another format of a response": (
        f"{RETURNED}/properties/at/format",
        "date",
        "200/at: another format",
    ),
}

HARMLESS: dict[str, tuple[str, Any]] = {
    "nothing": ("/info", {"version": "2"}),
    "a new path": ("/paths/~1new", {"get": {"operationId": "getNew", "responses": {}}}),
    "a new operation": ("/paths/~1things~1{id}/put", {"operationId": "put", "responses": {}}),
    "a new parameter": (f"{POST}/parameters/2", {"in": "query", "name": "day"}),
    "a parameter that becomes optional": (f"{POST}/parameters/0/required", False),
    "another way to authenticate": (f"{POST}/security", [{}, {"token": []}, {"key": []}]),
    "another media type of a body": (f"{POST}/requestBody/content/text~1csv", {}),
    "another media type of a response": (f"{OK}/content/text~1csv", {}),
    "a new body": ("/paths/~1things~1{id}/get/requestBody", {"content": {}}),
    "a new field of a request": (f"{SENT}/properties/new", {"type": "string"}),
    "a field that becomes optional": (f"{SENT}/required", []),
    "a wider type of a request": (f"{SENT}/properties/count/type", ["integer", "null"]),
    "a new value of a request": (f"{SENT}/properties/kind/enum", ["a", "b", "c"]),
    "wider bounds of a request": (f"{SENT}/properties/count/maximum", 10),
    "no bounds of a request": (f"{SENT}/properties/name/pattern", GONE),
    "a request with unknown fields": (f"{SENT}/additionalProperties", True),
    "a new field of a response": (f"{RETURNED}/properties/new", {"type": "string"}),
    "a new value of a response": (f"{RETURNED}/properties/kind/enum", ["a", "b", "c"]),
    "a field that is always returned": (f"{RETURNED}/required", ["kind", "name"]),
    "a narrower type of a response": (f"{RETURNED}/properties/at/type", "string"),
    "narrower bounds of a response": (f"{RETURNED}/properties/count/maximum", 8),
    "another default of a response": (f"{RETURNED}/properties/count/default", 2),
    "a new status": (f"{POST}/responses/409", {"description": "Conflict."}),
    "a new code": (
        f"{POST}/responses/404/description",
        "Not Found. `unknown`: No. `expired`: No more. `hidden`: Maybe.",
    ),
    "a new header": (f"{OK}/headers/Link", {"schema": {"type": "string"}}),
    "a new schema": ("/components/schemas/More", {"type": "object"}),
    "another description": (f"{SENT}/properties/name/description", "The name."),
}


def changed(document: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:  # noqa: ANN401  # any JSON
    """Return a copy of ``document`` with another or no value at a JSON pointer."""
    copy = deepcopy(document)
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    inner: Any = copy
    for part in parts[:-1]:
        inner = inner[int(part) if isinstance(inner, list) else part]
    last: Any = int(parts[-1]) if isinstance(inner, list) else parts[-1]
    if value is GONE:
        del inner[last]
    elif isinstance(inner, list) and last == len(inner):
        inner.append(value)
    else:
        inner[last] = value
    return copy


def test_the_contract_is_compatible_with_the_last_release() -> None:
    assert breaks(RELEASED, CURRENT) == []


@pytest.mark.parametrize(("pointer", "value", "expected"), BREAKS.values(), ids=BREAKS)
def test_a_breaking_change_is_found(pointer: str, value: Any, expected: str) -> None:  # noqa: ANN401  # any JSON
    base = changed(BASE, "/components/schemas/Other", {"type": "object"})
    found = breaks(base, changed(base, pointer, value))
    assert any(expected in one for one in found), found


@pytest.mark.parametrize(("pointer", "value"), HARMLESS.values(), ids=HARMLESS)
def test_a_compatible_change_passes(pointer: str, value: Any) -> None:  # noqa: ANN401  # any JSON
    assert breaks(BASE, changed(BASE, pointer, value)) == []


def test_refusing_unknown_fields_is_found() -> None:
    opened = changed(BASE, f"{SENT}/additionalProperties", True)
    assert breaks(opened, BASE) == ["POST /things/{id}: body: unknown fields"]


def test_a_nullable_object_can_be_written_in_two_ways() -> None:
    inner = {"type": ["object", "null"], **_without_type(BASE["components"]["schemas"]["Inner"])}
    assert breaks(BASE, changed(BASE, f"{RETURNED}/properties/inner", inner)) == []


def test_a_parameter_can_move_from_an_operation_to_its_path() -> None:
    moved = deepcopy(BASE)
    item = moved["paths"]["/things/{id}"]
    item["parameters"] = item["post"].pop("parameters")
    assert breaks(BASE, moved) == []


def test_every_removal_from_the_contract_is_found() -> None:
    missed = [
        pointer
        for pointer in _essentials(RELEASED)
        if not breaks(RELEASED, changed(RELEASED, pointer, GONE))
    ]
    assert missed == []


def _essentials(document: dict[str, Any]) -> Iterator[str]:
    """Yield pointers to the operations, statuses, parameters, fields and values of a document."""
    for path, item in document["paths"].items():
        escaped = path.replace("/", "~1")
        for method in (method for method in METHODS if method in item):
            here = f"/paths/{escaped}/{method}"
            yield here
            for status in item[method]["responses"]:
                yield f"{here}/responses/{status}"
            for number, _parameter in enumerate(item[method].get("parameters", ())):
                yield f"{here}/parameters/{number}"
    for name, schema in document["components"]["schemas"].items():
        here = f"/components/schemas/{name}/properties"
        for field, inner in schema.get("properties", {}).items():
            yield f"{here}/{field}"
            for number, _word in enumerate(inner.get("enum", ())):
                yield f"{here}/{field}/enum/{number}"


def _without_type(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "type"}
