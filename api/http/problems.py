"""Problems: errors as exceptions, and the schema of their responses (RFC 9457).

Views raise :class:`Problem`. :mod:`api.http.errors` turns it, and every other error, into a
response.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import fields
from marshmallow.exceptions import SCHEMA
from werkzeug.exceptions import HTTPException

from api.http.fields import open_word
from api.http.problem_types import INVALID_REQUEST, PROBLEM_TYPES, ProblemType
from api.http.schemas import NOT_AN_OBJECT, ResponseSchema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Problem(HTTPException):
    """An error response: its type, what is wrong in this case, headers and extra members."""

    def __init__(
        self,
        problem_type: ProblemType,
        detail: str = "",
        headers: Mapping[str, str] | None = None,
        **members: Any,  # noqa: ANN401  # any JSON
    ) -> None:
        super().__init__(detail or problem_type.meaning)
        self.code = problem_type.status
        self.type = problem_type
        self.headers = {**problem_type.headers, **(headers or {})}
        self.members = members


def invalid(messages: Mapping[str, Any]) -> Problem:
    """Return the problem of a request with invalid fields, given marshmallow's messages."""
    errors = [{"pointer": pointer, "detail": detail} for pointer, detail in _pointers("", messages)]
    return Problem(INVALID_REQUEST, errors=errors)


class ProblemErrorSchema(ResponseSchema):
    """An invalid field, query argument or header."""

    pointer = fields.String(
        required=True,
        metadata={
            "description": "A JSON pointer into the body, or `/` and the name of a query argument "
            "or header. Empty for the whole body.",
            "example": "/options/leave",
        },
    )
    detail = fields.String(
        required=True,
        metadata={"description": "What is wrong with it.", "example": "must be between 0 and 2"},
    )


class ProblemSchema(ResponseSchema):
    """An error (RFC 9457). Distinguish problems by `code`, which never changes."""

    type = fields.String(
        required=True,
        metadata={
            "format": "uri-reference",
            "description": "The page that explains this type of problem.",
            "example": "/docs/problems#illegal_action",
        },
    )
    title = fields.String(
        required=True, metadata={"description": "The type of problem, for people."}
    )
    status = fields.Integer(required=True, metadata={"description": "The HTTP status."})
    detail = fields.String(
        required=True, metadata={"description": "What is wrong in this case, for people."}
    )
    code = open_word(PROBLEM_TYPES, "The type of problem, for programs.")
    request_id = fields.String(
        required=True, metadata={"description": "The same as the `X-Request-ID` header."}
    )
    errors = fields.List(
        fields.Nested(ProblemErrorSchema),
        metadata={"description": "With `invalid_request`: everything that is wrong."},
    )
    index = fields.Integer(
        metadata={
            "description": "With `illegal_action` and `reveals_cards`: the position of the refused "
            "action in the request, from 0."
        }
    )
    actions = fields.List(
        fields.String(),
        metadata={"description": "With `illegal_action`: the actions that were legal instead."},
    )
    state = fields.Nested(
        "GameSchema", metadata={"description": "With `version_mismatch`: the current game."}
    )


def _pointers(prefix: str, messages: Mapping[str, Any] | list[str]) -> Iterator[tuple[str, str]]:
    """Yield a JSON pointer and a message for each of marshmallow's nested messages."""
    if isinstance(messages, list):
        yield from ((prefix, message) for message in messages)
        return
    for name, inner in messages.items():
        # marshmallow's name for the object itself, unless a client sent a field of that name.
        itself = name == SCHEMA and inner == [NOT_AN_OBJECT]
        part = "" if itself else "/" + str(name).replace("~", "~0").replace("/", "~1")
        yield from _pointers(prefix + part, inner)
