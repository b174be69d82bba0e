"""Errors: each kind is one entry of a table, and every answer about one is problem+json (RFC 9457).

A view raises :class:`Problem`; whatever else goes wrong, in Flask, in the store or in our own code,
is turned into one here.
"""

from __future__ import annotations

from http import HTTPStatus
from traceback import format_tb
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import current_app
from marshmallow import fields

from api.current import request
from api.fields import open_word
from api.responses import Response, json_bytes, sorted_methods
from api.routes import route_name
from api.schemas import AnswerSchema
from api.store import UNAVAILABLE, GameNotFound, UnreadableGame, WrongSecret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask
    from werkzeug.exceptions import HTTPException

    from engine import IllegalAction

MEDIA_TYPE = "application/problem+json"


class ProblemType(NamedTuple):
    """One kind of error: a stable code, its status, and what a client makes of it."""

    code: str
    status: int
    title: str
    meaning: str
    headers: Mapping[str, str] = MappingProxyType({})


MALFORMED_JSON = ProblemType(
    "malformed_json",
    400,
    "The body is not JSON",
    "The body could not be read as JSON in UTF-8. Send one JSON object.",
)
MALFORMED_REQUEST = ProblemType(
    "malformed_request",
    400,
    "The request is broken",
    "The request breaks HTTP itself, by a chunk without its length for instance. Send it again, "
    "whole.",
)
TOKEN_REQUIRED = ProblemType(
    "token_required",
    401,
    "The game is locked",
    "Playing this game takes the token that came with its creation, and with that alone: "
    "`Authorization: Bearer TOKEN`.",
    headers={"WWW-Authenticate": "Bearer"},
)
NOT_FOUND = ProblemType(
    "not_found",
    404,
    "Nothing is here",
    "No resource has this path. The paths are in the API's docs, `/docs`.",
)
GAME_NOT_FOUND = ProblemType(
    "game_not_found",
    404,
    "There is no such game",
    "The id is unknown or malformed, or the game has expired; which of these is not told.",
)
RULESET_NOT_FOUND = ProblemType(
    "ruleset_not_found",
    404,
    "There is no such ruleset",
    "No ruleset has this name. `GET /v1/rulesets` lists them.",
)
METHOD_NOT_ALLOWED = ProblemType(
    "method_not_allowed",
    405,
    "The path does not know this method",
    "The `Allow` header lists the methods that it knows.",
)
NOT_ACCEPTABLE = ProblemType(
    "not_acceptable",
    406,
    "No answer of the kind that is accepted",
    "`Accept` leaves out every media type that there is. Leave it out, or accept "
    "`application/json`; the game itself can be had as `text/plain` too.",
)
VERSION_MISMATCH = ProblemType(
    "version_mismatch",
    409,
    "The game has another version",
    "The `version` sent is not the game's. `state` is the game as it is now: choose again from it.",
)
GAME_OVER = ProblemType(
    "game_over", 409, "The game is over", "The game is won or lost, and nothing can be done in it."
)
ILLEGAL_ACTION = ProblemType(
    "illegal_action",
    409,
    "The action is not legal now",
    "The action at `index` is not legal where it stands; `actions` are those that are. None of "
    "the actions sent was applied.",
)
REVEALS_CARDS = ProblemType(
    "reveals_cards",
    409,
    "An action follows cards not yet seen",
    "An action before the one at `index` turns up cards, and only a legal `draw` may follow such "
    "a one. Send the actions up to there, look at the cards, and go on. None was applied.",
)
TOO_LARGE = ProblemType(
    "too_large", 413, "The body is too large", "A body may have 16 KiB; ours need far less."
)
UNSUPPORTED_MEDIA_TYPE = ProblemType(
    "unsupported_media_type",
    415,
    "The body is not declared as JSON",
    "Send `Content-Type: application/json`.",
)
INVALID_REQUEST = ProblemType(
    "invalid_request",
    422,
    "The request is not of the documented form",
    "`errors` names each field or query argument that is wrong, and says what it takes.",
)
IDEMPOTENCY_KEY_REUSED = ProblemType(
    "idempotency_key_reused",
    422,
    "The key stands for another game",
    "A game was created with this `Idempotency-Key` before, and not with this request. Take a new "
    "key for a new game, or send the old request again.",
)
RATE_LIMITED = ProblemType(
    "rate_limited",
    429,
    "Too many new games",
    "So many games from one address are too many at once. None was created: send the request again "
    "after `Retry-After` seconds. Games that are there can be played all the same.",
    # What stands here is replaced by the figures of the moment.
    headers={"Retry-After": "1", "RateLimit": '"create"', "RateLimit-Policy": '"create"'},
)
INTERNAL_ERROR = ProblemType(
    "internal_error",
    500,
    "The server has a defect",
    "This is our fault, and nothing that a client can mend. Please report the `request_id`.",
)
STORE_UNAVAILABLE = ProblemType(
    "store_unavailable",
    503,
    "The games cannot be reached",
    "The store did not answer in time. Reading, a move, or a creation with an `Idempotency-Key` "
    "may be sent again after `Retry-After` seconds: repeating it does no harm, whether or not it "
    "was carried out. A creation without a key may have begun a game already.",
    headers={"Retry-After": "1"},
)

PROBLEM_TYPES: Mapping[str, ProblemType] = {
    problem.code: problem
    for problem in (
        MALFORMED_JSON,
        MALFORMED_REQUEST,
        TOKEN_REQUIRED,
        NOT_FOUND,
        GAME_NOT_FOUND,
        RULESET_NOT_FOUND,
        METHOD_NOT_ALLOWED,
        NOT_ACCEPTABLE,
        VERSION_MISMATCH,
        GAME_OVER,
        ILLEGAL_ACTION,
        REVEALS_CARDS,
        TOO_LARGE,
        UNSUPPORTED_MEDIA_TYPE,
        INVALID_REQUEST,
        IDEMPOTENCY_KEY_REUSED,
        RATE_LIMITED,
        INTERNAL_ERROR,
        STORE_UNAVAILABLE,
    )
}
"""Every kind of error by its code."""

LIMIT_HEADERS = {
    "RateLimit": "How many more games the client may create now, and in how many seconds one more: "
    '`"create";r=59;t=60`. Only where there is a limit.',
    "RateLimit-Policy": 'The limit, so many in so many seconds: `"create";q=60;w=60`. Only where '
    "there is one.",
}
"""What the headers of the limit on new games say."""

_BY_STATUS = {
    400: MALFORMED_REQUEST,
    404: NOT_FOUND,
    405: METHOD_NOT_ALLOWED,
    413: TOO_LARGE,
}
"""What Werkzeug's own refusals mean here."""


class Problem(Exception):
    """An error to be answered: its type, what is wrong this time, headers and further members."""

    def __init__(
        self,
        problem_type: ProblemType,
        detail: str,
        headers: Mapping[str, str] | None = None,
        **members: Any,  # noqa: ANN401  # whatever JSON has
    ) -> None:
        super().__init__(detail)
        self.type = problem_type
        self.detail = detail
        self.headers = headers
        self.members = members


class ProblemErrorSchema(AnswerSchema):
    """One field or query argument that is wrong."""

    pointer = fields.String(
        required=True,
        metadata={
            "description": "Where: a JSON pointer into the body, or `/` and the name of a "
            "query argument or header. Empty for the whole body.",
            "example": "/options/leave",
        },
    )
    detail = fields.String(
        required=True, metadata={"description": "What it takes.", "example": "takes 0 to 2"}
    )


class ProblemSchema(AnswerSchema):
    """What went wrong (RFC 9457). Tell problems apart by `code`, which never changes."""

    type = fields.String(
        required=True,
        metadata={
            "format": "uri-reference",
            "description": "The page that explains this kind of problem.",
            "example": "/docs/problems#illegal_action",
        },
    )
    title = fields.String(required=True, metadata={"description": "The kind of problem, in words."})
    status = fields.Integer(required=True, metadata={"description": "The HTTP status."})
    detail = fields.String(
        required=True, metadata={"description": "What is wrong this time, in words."}
    )
    code = open_word(PROBLEM_TYPES, "The kind of problem, for programs.")
    request_id = fields.String(
        required=True, metadata={"description": "As in the `X-Request-ID` header."}
    )
    errors = fields.List(
        fields.Nested(ProblemErrorSchema),
        metadata={"description": "With `invalid_request`: everything that is wrong."},
    )
    index = fields.Integer(
        metadata={
            "description": "With `illegal_action` and `reveals_cards`: which of the actions sent "
            "was refused, counted from 0."
        }
    )
    actions = fields.List(
        fields.String(),
        metadata={"description": "With `illegal_action`: what was legal in its place."},
    )
    state = fields.Nested(
        "GameSchema", metadata={"description": "With `version_mismatch`: the game as it is now."}
    )


def illegal(refused: IllegalAction, index: int) -> Problem:
    """Return the problem of an action that the engine refused, the ``index``-th of those sent."""
    return Problem(
        ILLEGAL_ACTION,
        f"{refused.action} is not legal there.",
        index=index,
        actions=[action.text for action in refused.legal],
    )


def answer(
    problem_type: ProblemType,
    detail: str,
    headers: Mapping[str, str] | None = None,
    **members: Any,  # noqa: ANN401  # whatever JSON has
) -> Response:
    """Return the response that tells of a problem."""
    asking = request()
    asking.problem_code = problem_type.code
    body = {
        "type": f"{asking.script_root}/docs/problems#{problem_type.code}",
        "title": problem_type.title,
        "status": problem_type.status,
        "detail": detail,
        "code": problem_type.code,
        "request_id": asking.id,
        **members,
    }
    response = Response(json_bytes(body), problem_type.status, content_type=MEDIA_TYPE)
    response.caching = "no-store"
    response.headers.update({**problem_type.headers, **(headers or {})})
    return response


def from_http_exception(error: HTTPException) -> Response:
    """Answer what Flask and Werkzeug refuse."""
    status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
    problem_type = _BY_STATUS.get(status)
    if problem_type is None:
        return from_defect(error)
    headers = dict(error.get_headers(request().environ))
    kept = {"Allow": sorted_methods(headers["Allow"])} if "Allow" in headers else {}
    return answer(problem_type, problem_type.meaning, headers=kept)


def from_defect(error: Exception) -> Response:
    """Answer an error that nobody foresaw, and log it."""
    log_defect(error)
    return answer(INTERNAL_ERROR, INTERNAL_ERROR.meaning)


def log_defect(error: BaseException) -> None:
    """Log where an error came about: without the path and its message, which may hold an id."""
    asking = request()
    current_app.logger.error(
        "%s %s failed, request %s: %s\n%s",
        asking.method,
        route_name(asking),
        asking.id,
        type(error).__name__,
        "".join(format_tb(error.__traceback__)),
    )


def register(app: Flask) -> None:
    """Have every error of the app answered as a problem."""

    def from_problem(problem: Problem) -> Response:
        return answer(problem.type, problem.detail, problem.headers, **problem.members)

    def from_unavailable(error: Exception) -> Response:
        current_app.logger.warning("store: %s, request %s", type(error).__name__, request().id)
        current_app.extensions["store"].forget_connections()
        return answer(STORE_UNAVAILABLE, STORE_UNAVAILABLE.meaning)

    def from_unreadable(error: UnreadableGame) -> Response:
        # Perhaps a later release's, which another server may already be.
        current_app.logger.error("unreadable game: %s, request %s", error, request().id)
        return answer(STORE_UNAVAILABLE, STORE_UNAVAILABLE.meaning)

    def from_wrong_secret(error: WrongSecret) -> Response:
        current_app.logger.error("store: %s, request %s", error, request().id)
        return answer(STORE_UNAVAILABLE, STORE_UNAVAILABLE.meaning)

    def from_game_not_found(_error: GameNotFound) -> Response:
        return answer(GAME_NOT_FOUND, GAME_NOT_FOUND.meaning)

    app.register_error_handler(Problem, from_problem)
    app.register_error_handler(GameNotFound, from_game_not_found)
    app.register_error_handler(UnreadableGame, from_unreadable)
    app.register_error_handler(WrongSecret, from_wrong_secret)
    app.register_error_handler(Exception, from_defect)
    for unavailable in UNAVAILABLE:
        app.register_error_handler(unavailable, from_unavailable)
