"""The contract: flask-smorest's Api and Blueprint, subclassed here and nowhere else.

Operations are declared with flask-smorest's own decorators. What all of them have in common is
added by :meth:`Blueprint.route`.
"""

from __future__ import annotations

from collections import defaultdict
from functools import wraps
from http import HTTPStatus
from inspect import unwrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import flask_smorest

from api.http.context import current_request
from api.http.errors import http_exception_response
from api.http.fields import ActionText, Notation
from api.http.problem_types import (
    INVALID_REQUEST,
    LIMIT_HEADERS,
    MALFORMED_JSON,
    MALFORMED_REQUEST,
    MEDIA_TYPE,
    NOT_ACCEPTABLE,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    ProblemType,
)
from api.http.problems import ProblemSchema
from api.http.requests import JSON
from api.http.schemas import RequestSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flask import Response

View = TypeVar("View", bound="Callable[..., Response]")

_BODY_PROBLEMS = (MALFORMED_JSON, MALFORMED_REQUEST, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE)
_OPTIONAL_HEADERS = {"Idempotent-Replayed", "Link", "RateLimit", "RateLimit-Policy"}
_PROBLEM_HEADERS = {
    **LIMIT_HEADERS,
    "Retry-After": "The seconds after which to repeat the request.",
    "WWW-Authenticate": "The authentication scheme: `Bearer`.",
}
ETAG = {"ETag": "Changes when the response does."}
_IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The `ETag` of an earlier response: 304 if nothing has changed since.",
    "schema": {"type": "string"},
}


_NO_ARGUMENTS = RequestSchema()


class Api(flask_smorest.Api):  # type: ignore[misc]  # flask-smorest is not typed
    """The API: every error is a problem, and only what is declared is documented."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # flask-smorest is not typed
        super().__init__(*args, **kwargs)
        self.register_field(ActionText, "string", None)
        self.register_field(Notation, "string", None)

    def _register_responses(self) -> None:
        """Register no shared responses: each operation documents its own."""

    def handle_http_exception(self, error: Any) -> Response:  # noqa: ANN401  # flask-smorest is not typed
        """Return an HTTP exception as a problem."""
        return http_exception_response(error)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # flask-smorest is not typed
    """A resource."""

    def route(  # noqa: PLR0913  # one argument for each part of a declaration
        self,
        rule: str,
        operation_id: str,
        *,
        problems: Iterable[ProblemType] = (),
        offers: tuple[str, ...] = (JSON,),
        tagged: bool = False,
        doc: Mapping[str, Any] = MappingProxyType({}),
        **options: Any,  # noqa: ANN401  # flask-smorest's
    ) -> Callable[[View], View]:
        """Register a view as an operation, as flask-smorest does.

        ``offers`` are the media types of the response, the default first. Query arguments are
        refused unless the view declares some. The rest is documentation: ``problems`` are those
        that the view itself may raise, ``tagged`` says that it is a GET with an entity tag, and
        ``doc`` is what :meth:`doc` would take.

        flask-smorest's decorators document the view. A request does not pass through them, because
        that takes as long as the move itself: it is read here, and the view returns a response
        that is complete.
        """
        register = super().route(rule, **options)

        def decorate(view: View) -> View:
            declared = view._apidoc.get("arguments", {}).get("parameters", ())  # type: ignore[attr-defined]  # noqa: SLF001  # left there by Blueprint.arguments
            schemas = {parameter["in"]: parameter["schema"] for parameter in declared}
            body, query = schemas.get("json"), schemas.get("query", _NO_ARGUMENTS)
            refused = (
                *(_BODY_PROBLEMS if body else ()),
                *(NOT_ACCEPTABLE, INVALID_REQUEST),
                *problems,
            )
            documented = self.doc(operationId=operation_id, **doc)(view)
            documented = self.doc(responses=_documented_problems(refused))(documented)
            if tagged:
                documented = self.doc(**_TAGGED)(documented)
            plain: Callable[..., Response] = unwrap(view)

            @wraps(documented)  # which copies the documentation
            def operation(**path: str) -> Response:
                request = current_request()
                request.negotiate(offers)
                arguments = [request.load_body(body)] if body else []
                if query is not _NO_ARGUMENTS or request.query_string:
                    arguments.append(request.load_query(query))
                return plain(*arguments, **path)

            register(operation)
            return view

        return decorate


def documented_headers(headers: Mapping[str, str]) -> dict[str, Any]:
    """Return the documentation of response headers, given their descriptions."""
    return {
        name: {
            "description": text,
            "required": name not in _OPTIONAL_HEADERS,
            "schema": {"type": "string"},
        }
        for name, text in headers.items()
    }


def _documented_problems(problems: Iterable[ProblemType]) -> dict[int, Any]:
    by_status: dict[int, list[ProblemType]] = defaultdict(list)
    for problem in problems:
        by_status[problem.status].append(problem)
    return {
        status: {
            "description": f"{HTTPStatus(status).phrase}. "
            + " ".join(f"`{kind.code}`: {kind.meaning}" for kind in kinds),
            "content": {MEDIA_TYPE: {"schema": ProblemSchema}},
            **_documented_problem_headers(kinds),
        }
        for status, kinds in sorted(by_status.items())
    }


def _documented_problem_headers(kinds: Iterable[ProblemType]) -> dict[str, Any]:
    headers = {name: _PROBLEM_HEADERS[name] for kind in kinds for name in kind.headers}
    return {"headers": documented_headers(headers)} if headers else {}


_TAGGED = {
    "parameters": [_IF_NONE_MATCH],
    "responses": {
        200: {"headers": documented_headers(ETAG)},
        304: {
            "description": "Nothing has changed since the response that `If-None-Match` names.",
            "headers": documented_headers(ETAG),
        },
    },
}
