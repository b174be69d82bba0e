"""The problem types: one entry for every error that the API returns (RFC 9457).

Standard library only: gunicorn's configuration reads the table before gevent patches the sockets.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

MEDIA_TYPE = "application/problem+json"


class ProblemType(NamedTuple):
    """One kind of error: a stable code, its status, and what a client can do about it."""

    code: str
    status: int
    title: str
    meaning: str
    headers: Mapping[str, str] = MappingProxyType({})


MALFORMED_JSON = ProblemType(
    "malformed_json",
    400,
    "Malformed JSON",
    "The body is not valid JSON in UTF-8. Send one JSON object.",
)
MALFORMED_REQUEST = ProblemType(
    "malformed_request",
    400,
    "Malformed request",
    "The request violates HTTP, for example by a broken chunk or a body shorter than its "
    "`Content-Length`. Send it again in full.",
)
TOKEN_REQUIRED = ProblemType(
    "token_required",
    401,
    "Token required",
    "The game is locked. Playing it requires the token that was returned when it was created: "
    "`Authorization: Bearer TOKEN`.",
    headers={"WWW-Authenticate": "Bearer"},
)
NOT_FOUND = ProblemType(
    "not_found",
    404,
    "Not found",
    "There is no resource at this path. The API reference at `/docs` lists all paths.",
)
GAME_NOT_FOUND = ProblemType(
    "game_not_found",
    404,
    "Game not found",
    "The id is unknown or malformed, or the game has expired.",
)
RULESET_NOT_FOUND = ProblemType(
    "ruleset_not_found",
    404,
    "Ruleset not found",
    "There is no ruleset of this name. `GET /v1/rulesets` lists them.",
)
METHOD_NOT_ALLOWED = ProblemType(
    "method_not_allowed",
    405,
    "Method not allowed",
    "The path does not support this method. The `Allow` header lists the methods it supports.",
)
NOT_ACCEPTABLE = ProblemType(
    "not_acceptable",
    406,
    "Not acceptable",
    "The `Accept` header excludes every available media type. Omit it, or accept "
    "`application/json`; a game is also available as `text/plain`.",
)
VERSION_MISMATCH = ProblemType(
    "version_mismatch",
    409,
    "Version mismatch",
    "The game is at another `version`. `state` is the current game: choose again from it.",
)
GAME_OVER = ProblemType(
    "game_over", 409, "Game over", "The game is won or lost; no action is legal any more."
)
ILLEGAL_ACTION = ProblemType(
    "illegal_action",
    409,
    "Illegal action",
    "The action at `index` is not legal at that point; `actions` lists the legal ones. None of "
    "the actions was applied.",
)
REVEALS_CARDS = ProblemType(
    "reveals_cards",
    409,
    "Actions after new cards",
    "An action before the one at `index` turns up cards, and only a legal `draw` may follow it in "
    "the same request. Send the actions up to that point, look at the new cards, and continue. "
    "None of the actions was applied.",
)
TOO_LARGE = ProblemType("too_large", 413, "Body too large", "A body must not exceed 16 KiB.")
UNSUPPORTED_MEDIA_TYPE = ProblemType(
    "unsupported_media_type",
    415,
    "Unsupported media type",
    "The body must be JSON. Send `Content-Type: application/json`.",
)
INVALID_REQUEST = ProblemType(
    "invalid_request",
    422,
    "Invalid request",
    "The request does not match its documented schema. `errors` lists each invalid field, query "
    "argument or header.",
)
IDEMPOTENCY_KEY_REUSED = ProblemType(
    "idempotency_key_reused",
    422,
    "Idempotency key reused",
    "A game was created with this `Idempotency-Key` by a different request. Use a new key for a "
    "new game, or repeat the original request.",
)
RATE_LIMITED = ProblemType(
    "rate_limited",
    429,
    "Too many new games",
    "Your address has created too many games. None was created: repeat the request after "
    "`Retry-After` seconds. Existing games can still be played.",
    # Placeholders: each response has the current values.
    headers={"Retry-After": "1", "RateLimit": '"create"', "RateLimit-Policy": '"create"'},
)
INTERNAL_ERROR = ProblemType(
    "internal_error",
    500,
    "Internal error",
    "The server failed because of a bug. Please report the `request_id`.",
)
STORE_UNAVAILABLE = ProblemType(
    "store_unavailable",
    503,
    "Store unavailable",
    "The store did not respond in time. Repeat the request after `Retry-After` seconds: for reads, "
    "moves and creations with an `Idempotency-Key` this is safe, whether or not the request was "
    "carried out. A creation without a key may already have created a game.",
    headers={"Retry-After": "1"},
)

PROBLEM_TYPES: Mapping[str, ProblemType] = {
    entry.code: entry for entry in list(globals().values()) if isinstance(entry, ProblemType)
}
"""Every problem type by its code."""

LIMIT_HEADERS = {
    "RateLimit": "How many more games the client may create now, and the seconds until one more: "
    '`"create";r=59;t=60`. Only if there is a limit.',
    "RateLimit-Policy": 'The limit, as a number of games per seconds: `"create";q=60;w=60`. Only '
    "if there is a limit.",
}
"""Descriptions of the headers about the limit on new games."""
