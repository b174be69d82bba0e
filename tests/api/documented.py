"""Check responses against the OpenAPI document: anything undocumented is an error."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from jsonschema import (  # type: ignore[import-untyped]  # it has no type hints
    Draft202012Validator,
    FormatChecker,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.servers import Reply

PROBLEM = "application/problem+json"

ON_EVERY_REPLY = ("X-Request-ID", "X-Content-Type-Options", "Referrer-Policy", "Cache-Control")

OPTIONAL_HEADERS = frozenset({"Idempotent-Replayed", "Link"})
"""Documented headers that only some responses have."""

_FORMATS = FormatChecker()


class Undocumented(AssertionError):
    """A response does not match the document."""


class Operation(NamedTuple):
    """An operation of the document and the pattern of its path."""

    method: str
    template: str
    pattern: re.Pattern[str]
    definition: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The operation ID."""
        return str(self.definition["operationId"])


class Document:
    """An OpenAPI 3.1 document, used to check requests and responses."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._components = _closed(document.get("components", {}))
        self._open_components = document.get("components", {})
        self.operations = tuple(_operations(document["paths"]))
        self._validator = cache(self._make_validator)

    def find(self, method: str, path: str) -> Operation | None:
        """Return the operation for a request, or None."""
        method = "GET" if method == "HEAD" else method
        return next((op for op in self._at(path) if op.method == method), None)

    def check(self, method: str, path: str, reply: Reply) -> None:
        """Raise Undocumented unless ``reply`` is documented as a response to the request."""
        headers = {name.lower(): value for name, value in reply.headers.items()}
        for name in ON_EVERY_REPLY:
            _expect(name.lower() in headers, f"{name} is missing")
        operations = list(self._at(path))
        operation = self.find(method, path)
        if operation is not None:
            self._check_operation(operation, method, reply, headers)
        elif method == "OPTIONS" and operations:
            _expect(reply.status == HTTPStatus.NO_CONTENT, f"OPTIONS returned {reply.status}")
            _expect("allow" in headers, "OPTIONS without Allow")
            _expect(not reply.body, "OPTIONS with a body")
        elif operations:
            expected = HTTPStatus.METHOD_NOT_ALLOWED
            self._check_problem(reply, headers, expected, has_body=method != "HEAD")
            _expect("allow" in headers, "405 without Allow")
        elif reply.status >= HTTPStatus.BAD_REQUEST:
            self._check_problem(reply, headers, reply.status, has_body=method != "HEAD")

    def takes(self, operation_id: str, body: Any) -> bool:  # noqa: ANN401  # any JSON value
        """Return whether the request schema of the operation accepts ``body``."""
        definition = next(op.definition for op in self.operations if op.id == operation_id)
        schema = definition["requestBody"]["content"]["application/json"]["schema"]
        whole = {**schema, "components": self._open_components}
        return bool(Draft202012Validator(whole).is_valid(body))

    def schemas(self) -> Mapping[str, Any]:
        """Return the schemas of the document by name."""
        schemas: Mapping[str, Any] = self._open_components.get("schemas", {})
        return schemas

    def _at(self, path: str) -> Iterable[Operation]:
        bare = path.partition("?")[0]
        return (op for op in self.operations if op.pattern.fullmatch(bare))

    def _check_operation(
        self, operation: Operation, method: str, reply: Reply, headers: Mapping[str, str]
    ) -> None:
        responses = operation.definition["responses"]
        response = responses.get(str(reply.status))
        _expect(
            response is not None, f"{operation.id} returned {reply.status}: {reply.body[:300]!r}"
        )
        for name, header in response.get("headers", {}).items():
            value = headers.get(name.lower())
            if value is None:
                optional = name in OPTIONAL_HEADERS or not header.get("required", True)
                _expect(optional, f"{operation.id} {reply.status}: no {name}")
            else:
                self._check_header(name, value, header.get("schema", {}))
        content = response.get("content", {})
        if not content:
            _expect(not reply.body, f"{operation.id} {reply.status}: undocumented body")
            return
        media_type = _media_type(headers)
        _expect(media_type in content, f"{operation.id} {reply.status}: {media_type!r}")
        if method == "HEAD":
            _expect(not reply.body, "HEAD with a body")
            return
        if media_type.endswith("json"):
            self._check_json(operation, str(reply.status), media_type, reply.body)
        if media_type == PROBLEM:
            self._check_problem(reply, headers, reply.status, has_body=True)
            code = reply.json["code"]
            _expect(
                f"`{code}`" in response["description"],
                f"{operation.id} {reply.status}: the code {code} is not documented",
            )

    def _check_json(self, operation: Operation, status: str, media_type: str, body: bytes) -> None:
        try:
            value = json.loads(
                body.decode(), parse_constant=_refuse_constant, object_pairs_hook=_unique
            )
        except ValueError as error:
            raise Undocumented(f"{operation.id} {status}: {error}") from None
        self._expect_valid(
            f"{operation.id} {status}",
            self._validator(operation.method, operation.template, status, media_type),
            value,
        )

    def _check_header(self, name: str, value: str, schema: Mapping[str, Any]) -> None:
        plain: Any = int(value) if schema.get("type") == "integer" and value.isdigit() else value
        self._expect_valid(name, Draft202012Validator(schema), plain)

    def _check_problem(
        self, reply: Reply, headers: Mapping[str, str], status: int, *, has_body: bool
    ) -> None:
        _expect(reply.status == status, f"{reply.status} instead of {status}")
        _expect(_media_type(headers) == PROBLEM, f"{status} as {_media_type(headers)!r}")
        if not has_body:
            return
        body = reply.json
        self._expect_valid("problem", self._problem_validator(), body)
        _expect(body["status"] == status, f"{status}, but {body['status']} in the body")
        _expect(body["request_id"] == headers["x-request-id"], "different request IDs")
        _expect(body["type"].endswith(f"#{body['code']}"), f"{body['code']} is {body['type']}")

    def _problem_validator(self) -> Any:  # noqa: ANN401  # jsonschema is not typed
        schema = {"$ref": "#/components/schemas/Problem", "components": self._components}
        return Draft202012Validator(schema, format_checker=_FORMATS)

    def _make_validator(self, method: str, template: str, status: str, media_type: str) -> Any:  # noqa: ANN401  # jsonschema is not typed
        (response,) = [
            op.definition["responses"][status]
            for op in self.operations
            if (op.method, op.template) == (method, template)
        ]
        schema = _closed(response["content"][media_type]["schema"])
        whole = {**schema, "components": self._components}
        return Draft202012Validator(whole, format_checker=_FORMATS)

    @staticmethod
    def _expect_valid(what: str, validator: Any, value: Any) -> None:  # noqa: ANN401  # jsonschema is not typed
        for error in validator.iter_errors(value):
            raise Undocumented(f"{what}: {error.json_path}: {error.message}")


def _operations(paths: Mapping[str, Any]) -> Iterable[Operation]:
    """Yield the operations, paths with fewer variables first."""
    for template in sorted(paths, key=lambda path: path.count("{")):
        parts = re.split(r"\{[^}]+\}", template)
        pattern = re.compile("[^/]+".join(map(re.escape, parts)))
        for method, definition in paths[template].items():
            if method != "parameters":
                yield Operation(method.upper(), template, pattern, definition)


def _closed(schema: Any) -> Any:  # noqa: ANN401  # a part of a schema
    """Return ``schema`` with unknown fields forbidden.

    Fields may be added later, but every field of today's responses must be documented.
    """
    closed = deepcopy(schema)
    if isinstance(closed, dict):
        closed = {name: _closed(part) for name, part in closed.items()}
        if isinstance(closed.get("properties"), dict) and closed["properties"]:
            closed["additionalProperties"] = False
    elif isinstance(closed, list):
        closed = [_closed(part) for part in closed]
    return closed


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip()


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) != len(pairs):
        raise ValueError("a name is repeated")
    return names


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise Undocumented(message)
