"""Reading requests: strictly, and every refusal as a problem that says where and what."""

from __future__ import annotations

import re
from functools import cached_property
from random import getrandbits
from time import perf_counter
from typing import TYPE_CHECKING, Any

import flask
import orjson
from marshmallow import ValidationError
from marshmallow.exceptions import SCHEMA
from werkzeug.datastructures import MIMEAccept

from api.current import request
from api.problems import (
    INVALID_REQUEST,
    MALFORMED_JSON,
    MALFORMED_REQUEST,
    NOT_ACCEPTABLE,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    Problem,
)
from api.responses import JSON
from api.schemas import NO_OBJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marshmallow import Schema

MAX_BODY = 16 * 1024

_IDEMPOTENCY_KEY = re.compile(r"[!-~]{16,255}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ANYTHING = {None, "", "*/*", JSON}


class Request(flask.Request):
    """A request, and what is found out about it while it is answered."""

    media_type = JSON
    """What it is answered in if all is well."""
    problem_code: str | None = None
    """What was wrong with it, for logs and metrics."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # as Flask's
        super().__init__(*args, **kwargs)
        self.began = perf_counter()

    @cached_property
    def id(self) -> str:
        """The client's name for the request, or one of ours, which keeps no secret."""
        given: str = self.environ.get("HTTP_X_REQUEST_ID", "")
        return given if _REQUEST_ID.fullmatch(given) else f"{getrandbits(64):016x}"


def negotiate(request: Request, offered: tuple[str, ...]) -> None:
    """Choose which of the media types offered to answer in; the first unless asked for others.

    Raises the problem 406 if none is accepted.
    """
    accepted = request.environ.get("HTTP_ACCEPT")
    chosen: str | None = offered[0]
    if accepted not in _ANYTHING:
        # Without parameters, for the charset that we name is not in what we offer.
        ranges = [(name.partition(";")[0], q) for name, q in request.accept_mimetypes]
        chosen = MIMEAccept(ranges).best_match(offered)
    if chosen is None:
        raise Problem(NOT_ACCEPTABLE, NOT_ACCEPTABLE.meaning)
    request.media_type = chosen


def read_body(request: Request, schema: Schema) -> dict[str, Any]:
    """Return the request's body as ``schema`` loads it.

    The checks come in this order: 413 if it is too large, 415 if it is not declared as JSON, 400
    if it is not JSON, 422 if it is of another form.
    """
    raw = _raw_body(request)
    encoded = request.environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity"
    declared = request.environ.get("CONTENT_TYPE") == JSON or request.mimetype == JSON
    if encoded or not declared:
        raise Problem(UNSUPPORTED_MEDIA_TYPE, UNSUPPORTED_MEDIA_TYPE.meaning)
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Problem(MALFORMED_JSON, f"The body is not JSON: {error}") from None
    return _load(schema, body)


def read_query(request: Request, schema: Schema) -> dict[str, Any]:
    """Return the request's query arguments as ``schema`` loads them; else 422."""
    repeated = [name for name, values in request.args.lists() if len(values) > 1]
    if repeated:
        raise invalid({name: ["is given more than once"] for name in repeated})
    return _load(schema, request.args.to_dict())


def read_idempotency_key() -> str | None:
    """Return the current request's ``Idempotency-Key``, if it has one; else 422 if it is none."""
    key = request().environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise invalid({"Idempotency-Key": ["takes 16 to 255 visible ASCII characters"]})
    return key


def invalid(messages: dict[str, Any]) -> Problem:
    """Return the problem of a request whose fields are wrong, named as marshmallow names them."""
    errors = [{"pointer": pointer, "detail": detail} for pointer, detail in _pointers("", messages)]
    return Problem(INVALID_REQUEST, INVALID_REQUEST.meaning, errors=errors)


def _raw_body(request: Request) -> bytes:
    declared = int(request.environ.get("CONTENT_LENGTH") or 0)
    if declared > MAX_BODY:
        raise Problem(TOO_LARGE, TOO_LARGE.meaning)
    # A body in chunks declares no length; the server ends it, and what is above the limit is cut.
    in_chunks = not declared and request.environ.get("wsgi.input_terminated")
    try:
        raw: bytes = request.environ["wsgi.input"].read(MAX_BODY + 1 if in_chunks else declared)
    except Exception as error:  # each server raises its own for broken chunks
        raise Problem(MALFORMED_REQUEST, "The body could not be read.") from error
    if len(raw) < declared:
        raise Problem(MALFORMED_REQUEST, "The body is shorter than its `Content-Length`.")
    if len(raw) > MAX_BODY:
        raise Problem(TOO_LARGE, TOO_LARGE.meaning)
    return raw


def _load(schema: Schema, data: Any) -> dict[str, Any]:  # noqa: ANN401  # whatever JSON has
    try:
        loaded: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise invalid(error.messages_dict) from None
    return loaded


def _pointers(prefix: str, messages: dict[str, Any] | list[str]) -> Iterator[tuple[str, str]]:
    """Yield marshmallow's nested messages, each with the JSON pointer to what it speaks of."""
    if isinstance(messages, list):
        yield from ((prefix, message) for message in messages)
        return
    for name, inner in messages.items():
        # marshmallow's name for the whole object, unless a client has called a field so.
        whole = name == SCHEMA and inner == [NO_OBJECT]
        part = "" if whole else "/" + str(name).replace("~", "~0").replace("/", "~1")
        yield from _pointers(prefix + part, inner)
