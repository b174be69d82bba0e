"""How a resource declares its operations, and how their documentation comes of it.

flask-smorest's ``Api`` and ``Blueprint`` are subclassed here and nowhere else. A view is declared
with what it reads and answers; the declaration parses the request for it and documents the
operation. What it returns is ready, so that nothing is serialised twice; tests hold the responses
against the documentation.
"""

from __future__ import annotations

from collections import defaultdict
from functools import wraps
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import flask_smorest

from api.current import request
from api.fields import ActionText, Notation
from api.problems import (
    INVALID_REQUEST,
    LIMIT_HEADERS,
    MALFORMED_JSON,
    MALFORMED_REQUEST,
    MEDIA_TYPE,
    NOT_ACCEPTABLE,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    ProblemSchema,
    ProblemType,
    from_http_exception,
)
from api.requests import negotiate, read_body, read_query
from api.responses import JSON, TEXT
from api.schemas import RequestSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flask import Response
    from marshmallow import Schema

View = TypeVar("View", bound="Callable[..., Response]")

_BODY_PROBLEMS = (MALFORMED_JSON, MALFORMED_REQUEST, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE)


class NoQuery(RequestSchema):
    """No query arguments."""


class Answer(NamedTuple):
    """What an operation answers when all is well."""

    schema: type[Schema]
    description: str
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({})
    text: str | None = None
    """What the answer is as text/plain, if it can be had so."""
    tagged: bool = False
    """Whether it carries an entity tag; if it is read with GET, also whether 304 may answer."""
    links: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    """Which operations go on from it, by their id, and where in it they find what they take."""


class Api(flask_smorest.Api):  # type: ignore[misc]  # flask-smorest is not typed
    """The API: errors are our problems, and only what is declared is documented."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # flask-smorest is not typed
        super().__init__(*args, **kwargs)
        self.register_field(ActionText, "string", None)
        self.register_field(Notation, "string", None)

    def _register_responses(self) -> None:
        """Register no responses by status: each operation documents its own."""

    def handle_http_exception(self, error: Any) -> Response:  # noqa: ANN401  # flask-smorest is not typed
        """Answer what Flask and Werkzeug refuse as a problem."""
        return from_http_exception(error)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # flask-smorest is not typed
    """A resource: its operations, each declared with what it reads, answers and refuses."""

    def operation(  # noqa: PLR0913  # one argument for each part of a declaration
        self,
        method: str,
        rule: str,
        operation_id: str,
        *,
        answer: Answer,
        body: type[Schema] | None = None,
        query: type[Schema] = NoQuery,
        problems: Iterable[ProblemType] = (),
        parameters: Iterable[Mapping[str, Any]] = (),
        locked: bool = False,
    ) -> Callable[[View], View]:
        """Register a view as an operation.

        The view gets its path arguments, then ``body`` and ``query`` as their schemas load them,
        each only if declared. ``locked`` says that a locked game's token is wanted.
        The first line of its docstring is the operation's summary, the rest
        its description.
        """
        refused = (*(_BODY_PROBLEMS if body else ()), NOT_ACCEPTABLE, INVALID_REQUEST, *problems)
        offered = (JSON, TEXT) if answer.text else (JSON,)

        def declare(view: View) -> View:
            body_schema = body() if body else None
            query_schema = query()

            @wraps(view)
            def handle(**arguments: Any) -> Response:  # noqa: ANN401  # the path's
                asking = request()
                negotiate(asking, offered)
                if body_schema:
                    arguments["body"] = read_body(asking, body_schema)
                if query is not NoQuery:
                    arguments["query"] = read_query(asking, query_schema)
                elif asking.query_string:
                    read_query(asking, query_schema)  # which refuses it
                return view(**arguments)

            documentation: dict[str, Any] = {
                "operationId": operation_id,
                "responses": {
                    **_documented_answer(answer, method),
                    **_documented_problems(refused),
                },
            }
            if locked:
                documentation["security"] = [{}, {"token": []}]
            if body:
                documentation["requestBody"] = {
                    "required": True,
                    "content": {"application/json": {"schema": body}},
                }
            if documented := _documented_parameters(parameters, answer, method, query):
                documentation["parameters"] = documented
            # What flask-smorest's own decorators leave behind, without a wrapper for each of them.
            handle._apidoc = {"manual_doc": documentation}  # type: ignore[attr-defined]  # noqa: SLF001
            self.add_url_rule(rule, view.__name__, handle, methods=[method])
            return view

        return declare


def _documented_answer(answer: Answer, method: str) -> dict[str, Any]:
    tag = {"ETag": "Changes when the answer does."} if answer.tagged else {}
    content: dict[str, Any] = {JSON: {"schema": answer.schema}}
    if answer.text:
        content[TEXT] = {"schema": {"type": "string", "description": answer.text}}
    documented: dict[str, Any] = {
        str(answer.status): {
            "description": answer.description,
            "headers": _documented_headers({**answer.headers, **tag}),
            "content": content,
        }
    }
    if answer.links:
        documented[str(answer.status)]["links"] = {
            name: {"operationId": name, **link} for name, link in answer.links.items()
        }
    if answer.tagged and method == "GET":
        documented["304"] = {
            "description": "Nothing has changed since the answer that `If-None-Match` names.",
            "headers": _documented_headers(tag),
        }
    return documented


def _documented_parameters(
    given: Iterable[Mapping[str, Any]], answer: Answer, method: str, query: type[Schema]
) -> list[Mapping[str, Any]]:
    documented = [*given]
    if answer.tagged and method == "GET":
        documented.append(_IF_NONE_MATCH)
    if query is not NoQuery:
        documented.append({"in": "query", "schema": query})
    return documented


def _documented_headers(headers: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: {
            "description": text,
            "required": name not in _ONLY_SOMETIMES,
            "schema": {"type": "string"},
        }
        for name, text in headers.items()
    }


def _documented_problems(problems: Iterable[ProblemType]) -> dict[str, Any]:
    by_status: dict[int, list[ProblemType]] = defaultdict(list)
    for problem in problems:
        by_status[problem.status].append(problem)
    return {
        str(status): {
            "description": f"{HTTPStatus(status).phrase}. "
            + " ".join(f"`{kind.code}`: {kind.meaning}" for kind in kinds),
            "headers": _documented_headers(
                {name: _PROBLEM_HEADERS[name] for kind in kinds for name in kind.headers}
            ),
            "content": {MEDIA_TYPE: {"schema": ProblemSchema}},
        }
        for status, kinds in sorted(by_status.items())
    }


_ONLY_SOMETIMES = {"Idempotent-Replayed", "Link", "RateLimit", "RateLimit-Policy"}
_PROBLEM_HEADERS = {
    **LIMIT_HEADERS,
    "Retry-After": "After how many seconds to try again.",
    "WWW-Authenticate": "How to prove that one may: `Bearer`.",
}
_IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The `ETag` of an earlier answer: if nothing has changed since, 304 says so.",
    "schema": {"type": "string"},
}
