"""Tests of the check of responses against the OpenAPI document."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.documented import Document, Undocumented
from tests.servers import Reply

PROBLEM_SCHEMA = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"enum": ["gone", "odd", "not_found", "method_not_allowed"]},
        "request_id": {"type": "string"},
    },
    "required": ["type", "status", "code", "request_id"],
    "additionalProperties": True,
}
THING_SCHEMA = {
    "type": "object",
    "properties": {
        "at": {"type": "string", "format": "date-time"},
        "inner": {"anyOf": [{"$ref": "#/components/schemas/Inner"}, {"type": "null"}]},
    },
    "required": ["at"],
    "additionalProperties": True,
}
INNER_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}

GET_THING = {
    "operationId": "getThing",
    "responses": {
        "200": {
            "description": "The thing.",
            "headers": {"ETag": {"schema": {"type": "string"}}},
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}},
                "text/plain": {"schema": {"type": "string"}},
            },
        },
        "304": {"description": "Not modified."},
        "404": {
            "description": "Not found. `gone`: no longer available.",
            "headers": {"Retry-After": {"schema": {"type": "integer"}}},
            "content": {
                "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
            },
        },
    },
}
MAKE_THING = {
    "operationId": "makeThing",
    "requestBody": {"content": {"application/json": {"schema": INNER_SCHEMA}}},
    "responses": {"204": {"description": "Made."}},
}

DOCUMENT = Document(
    {
        "paths": {
            "/things/{thing_id}": {"get": GET_THING},
            "/things": {"post": MAKE_THING},
            "/things/first": {"get": {"operationId": "getFirst", "responses": {}}},
        },
        "components": {
            "schemas": {"Thing": THING_SCHEMA, "Inner": INNER_SCHEMA, "Problem": PROBLEM_SCHEMA}
        },
    }
)

COMMON = {
    "X-Request-ID": "r1",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
NOW = "2026-01-02T03:04:05.678Z"


def reply(status: int, body: Any = None, media_type: str = "", **headers: str) -> Reply:  # noqa: ANN401  # any JSON value
    encoded = (
        body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    )
    content_type = {"Content-Type": media_type} if media_type else {}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {**COMMON, **content_type, **named}, encoded)


def thing(body: Any, **headers: str) -> Reply:  # noqa: ANN401  # any JSON value
    return reply(200, body, "application/json", **{"ETag": '"1"', **headers})


def problem(status: int, code: str, /, **members: Any) -> Reply:  # noqa: ANN401  # any JSON value
    body = {"type": f"/p#{code}", "status": status, "code": code, "request_id": "r1", **members}
    return reply(status, body, "application/problem+json", Retry_After="1", Allow="GET")


def problem_without_body(status: int) -> Reply:
    return reply(status, None, "application/problem+json", Allow="POST")


def without(name: str, from_reply: Reply) -> Reply:
    headers = {key: value for key, value in from_reply.headers.items() if key != name}
    return Reply(from_reply.status, headers, from_reply.body)


GONE = problem(404, "gone")

GOOD = {
    "valid body": ("GET", "/things/1", thing({"at": NOW, "inner": {"n": 1}})),
    "query string": ("GET", "/things/1?a=b", thing({"at": NOW})),
    "second media type": ("GET", "/things/1", reply(200, b"hm", "text/plain", ETag='"1"')),
    "media type with a parameter": (
        "GET",
        "/things/1",
        reply(200, b"hm", "text/plain; charset=utf-8", ETag='"1"'),
    ),
    "HEAD": ("HEAD", "/things/1", reply(200, None, "application/json", ETag='"1"')),
    "no body": ("GET", "/things/1", reply(304)),
    "problem": ("GET", "/things/1", problem(404, "gone")),
    "OPTIONS": ("OPTIONS", "/things/1", reply(204, Allow="GET")),
    "undocumented method refused": ("PUT", "/things/1", problem(405, "method_not_allowed")),
    "HEAD without GET": ("HEAD", "/things", problem_without_body(405)),
    "unknown path refused": ("GET", "/other", problem(404, "not_found")),
    "HTML page": ("GET", "/other", reply(200, b"<html>", "text/html")),
}

BAD = {
    "undocumented status": ("GET", "/things/1", reply(201, {"at": NOW}, "application/json")),
    "undocumented media type": ("GET", "/things/1", reply(200, b"hm", "text/html", ETag='"1"')),
    "no media type": ("GET", "/things/1", reply(200, b"{}", "", ETag='"1"')),
    "invalid JSON": ("GET", "/things/1", thing(b"{")),
    "NaN": ("GET", "/things/1", thing(b'{"at": NaN}')),
    "repeated name": ("GET", "/things/1", thing(f'{{"at": "{NOW}", "at": "{NOW}"}}'.encode())),
    "missing field": ("GET", "/things/1", thing({"inner": None})),
    "wrong type": ("GET", "/things/1", thing({"at": NOW, "inner": {"n": "1"}})),
    "wrong format": ("GET", "/things/1", thing({"at": "yesterday"})),
    "undocumented field": ("GET", "/things/1", thing({"at": NOW, "more": 1})),
    "undocumented nested field": ("GET", "/things/1", thing({"at": NOW, "inner": {"m": 1}})),
    "undocumented body": ("GET", "/things/1", reply(304, {"at": NOW}, "application/json")),
    "HEAD with a body": ("HEAD", "/things/1", thing({"at": NOW})),
    "undocumented code": ("GET", "/things/1", problem(404, "odd")),
    "code missing from the schema": ("GET", "/things/1", problem(404, "new")),
    "different statuses in a problem": ("GET", "/things/1", problem(404, "gone", status=410)),
    "different request IDs in a problem": (
        "GET",
        "/things/1",
        problem(404, "gone", request_id="r2"),
    ),
    "wrong problem type": ("GET", "/things/1", problem(404, "gone", type="/p#odd")),
    "missing header": ("GET", "/things/1", without("ETag", thing({"at": NOW}))),
    "wrong header type": (
        "GET",
        "/things/1",
        Reply(404, {**GONE.headers, "Retry-After": "soon"}, GONE.body),
    ),
    "no request ID": ("GET", "/things/1", without("X-Request-ID", thing({"at": NOW}))),
    "OPTIONS with a body": ("OPTIONS", "/things/1", reply(204, b"?", Allow="GET")),
    "OPTIONS without Allow": ("OPTIONS", "/things/1", reply(204)),
    "OPTIONS with 200": ("OPTIONS", "/things/1", reply(200, Allow="GET")),
    "405 without Allow": ("PUT", "/things/1", without("Allow", problem(405, "method_not_allowed"))),
    "undocumented method served": ("PUT", "/things/1", reply(200)),
    "HTML error page": ("GET", "/other", reply(404, b"<html>", "text/html")),
}


@pytest.mark.parametrize(("method", "path", "good"), GOOD.values(), ids=GOOD)
def test_a_documented_response_passes(method: str, path: str, good: Reply) -> None:
    DOCUMENT.check(method, path, good)


@pytest.mark.parametrize(("method", "path", "bad"), BAD.values(), ids=BAD)
def test_an_undocumented_response_fails(method: str, path: str, bad: Reply) -> None:
    with pytest.raises(Undocumented):
        DOCUMENT.check(method, path, bad)


def test_a_path_without_variables_takes_precedence() -> None:
    found = DOCUMENT.find("GET", "/things/first")
    assert found is not None
    assert found.id == "getFirst"


def test_a_request_body_is_checked_against_its_schema() -> None:
    assert DOCUMENT.takes("makeThing", {"n": 1})
    assert not DOCUMENT.takes("makeThing", {"n": "1"})
