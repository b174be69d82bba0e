"""Translation of errors into problems: our own, the store's, and Flask's and Werkzeug's."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import current_app

from api.games import errors
from api.games.as_json import game_body, texts
from api.http.context import current_request, current_store
from api.http.limit_headers import limit_headers
from api.http.problem_types import (
    GAME_NOT_FOUND,
    GAME_OVER,
    IDEMPOTENCY_KEY_REUSED,
    ILLEGAL_ACTION,
    INTERNAL_ERROR,
    MALFORMED_REQUEST,
    MEDIA_TYPE,
    METHOD_NOT_ALLOWED,
    NOT_ACCEPTABLE,
    NOT_FOUND,
    PROBLEM_TYPES,
    RATE_LIMITED,
    REVEALS_CARDS,
    STORE_UNAVAILABLE,
    TOKEN_REQUIRED,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    VERSION_MISMATCH,
    ProblemType,
)
from api.http.problems import Problem
from api.http.responses import json_response, sorted_methods
from api.store import UNAVAILABLE, GameNotFound, UnreadableGame, WrongSecret
from engine import IllegalAction

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask, Response
    from werkzeug.exceptions import HTTPException


def register(app: Flask) -> None:
    """Return errors as problems. HTTP exceptions are handled by :class:`api.http.contract.Api`."""
    for kind, to_problem in _TRANSLATIONS.items():
        app.register_error_handler(kind, _handler(to_problem))


def http_exception_response(error: HTTPException) -> Response:
    """Return the response to a Problem or to any other HTTP exception."""
    return _response(error if isinstance(error, Problem) else _from_http_exception(error))


def _handler(to_problem: Callable[[Any], Problem]) -> Callable[[Exception], Response]:
    def handle(error: Exception) -> Response:
        return _response(to_problem(error))

    return handle


def _response(problem: Problem) -> Response:
    request = current_request()
    kind = problem.type
    request.problem_code = kind.code
    body = {
        "type": _page(request.script_root, kind),
        "title": kind.title,
        "status": kind.status,
        "detail": problem.description,
        "code": kind.code,
        "request_id": request.id,
        **problem.members,
    }
    headers = {**problem.headers, "Cache-Control": "no-store"}
    return json_response(body, kind.status, headers, MEDIA_TYPE)


def _page(root: str, kind: ProblemType) -> str:
    return f"{root}/docs/problems#{kind.code}" if kind.code in PROBLEM_TYPES else "about:blank"


_BY_STATUS = {
    kind.status: kind
    for kind in (
        MALFORMED_REQUEST,
        NOT_FOUND,
        METHOD_NOT_ALLOWED,
        NOT_ACCEPTABLE,
        TOO_LARGE,
        UNSUPPORTED_MEDIA_TYPE,
        INTERNAL_ERROR,
    )
}


def _from_http_exception(error: HTTPException) -> Problem:
    status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
    headers = dict(error.get_headers(current_request().environ))
    headers.pop("Content-Type", None)
    if "Allow" in headers:
        headers["Allow"] = sorted_methods(headers["Allow"])
    kind = _BY_STATUS.get(status) or _generic(status, error)
    return Problem(kind, headers=headers)


def _generic(status: int, error: HTTPException) -> ProblemType:
    """Return the type of a problem that only an extension raises: "about:blank" in RFC 9457."""
    code = re.sub("[^a-z]+", "_", error.name.lower().replace("'", "")).strip("_")
    return ProblemType(code, status, error.name, error.description or error.name)


def _from_unavailable(error: Exception) -> Problem:
    current_app.logger.warning("store: %s, request %s", type(error).__name__, current_request().id)
    current_store().forget_connections()
    return Problem(STORE_UNAVAILABLE)


def _from_unreadable(error: UnreadableGame) -> Problem:
    # It may have been written by a later release, which another server already runs.
    current_app.logger.error("unreadable game: %s, request %s", error, current_request().id)
    return Problem(STORE_UNAVAILABLE)


def _from_wrong_secret(error: WrongSecret) -> Problem:
    current_app.logger.error("store: %s, request %s", error, current_request().id)
    return Problem(STORE_UNAVAILABLE)


def _from_version_mismatch(error: errors.VersionMismatch) -> Problem:
    game = error.game
    state = game_body(game, game.state, current_request().script_root)
    return Problem(VERSION_MISMATCH, str(error), state=state)


def _from_illegal_action(error: IllegalAction) -> Problem:
    return Problem(
        ILLEGAL_ACTION,
        f"{error.action} is not legal at this point.",
        index=error.index,
        actions=texts(error.legal),
    )


def _from_rate_limited(error: errors.RateLimited) -> Problem:
    seconds = {"Retry-After": str(error.allowance.seconds)}
    return Problem(RATE_LIMITED, headers={**limit_headers(error.allowance), **seconds})


_TRANSLATIONS: dict[type[Exception], Callable[[Any], Problem]] = {
    GameNotFound: lambda _: Problem(GAME_NOT_FOUND),
    UnreadableGame: _from_unreadable,
    WrongSecret: _from_wrong_secret,
    **dict.fromkeys(UNAVAILABLE, _from_unavailable),
    IllegalAction: _from_illegal_action,
    errors.TokenRequired: lambda _: Problem(TOKEN_REQUIRED),
    errors.VersionMismatch: _from_version_mismatch,
    errors.GameFinished: lambda error: Problem(GAME_OVER, str(error)),
    errors.RevealsCards: lambda error: Problem(REVEALS_CARDS, index=error.index),
    errors.ConcurrentMoves: lambda error: Problem(STORE_UNAVAILABLE, str(error)),
    errors.IdempotencyKeyReused: lambda _: Problem(IDEMPOTENCY_KEY_REUSED),
    errors.RateLimited: _from_rate_limited,
}
