"""Reading requests: strict, and each refusal is a problem that says what is wrong and where."""

from __future__ import annotations

import re
from functools import cache
from random import getrandbits
from time import perf_counter
from typing import TYPE_CHECKING, Any

import flask
import orjson
from marshmallow import ValidationError
from werkzeug.datastructures import MIMEAccept
from werkzeug.exceptions import HTTPException

from api.http.problem_types import (
    MALFORMED_JSON,
    MALFORMED_REQUEST,
    NOT_ACCEPTABLE,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
)
from api.http.problems import Problem, invalid

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from marshmallow import Schema

JSON = "application/json"
TEXT = "text/plain"
MAX_BODY = 16 * 1024
MAX_CONTENT_LENGTH = MAX_BODY + 1
"""Flask's limit, one byte above ours: Werkzeug cuts a chunked body there without an error."""

UNMATCHED = "unmatched"
OTHER_METHOD = "OTHER"

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{16,255}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_REQUEST_ID_KEY = "scoundrel.request_id"
_ACCEPTS_JSON = {None, "", "*/*", JSON}


class Request(flask.Request):
    """A request, with its id, its labels for logs and metrics, and its result so far."""

    media_type = JSON
    """The media type of the response if all is well."""
    problem_code: str | None = None
    """The code of the problem that was returned, if any."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Flask's signature
        super().__init__(*args, **kwargs)
        self.began = perf_counter()

    @property
    def id(self) -> str:
        """The request's id."""
        return request_id(self.environ)

    @property
    def route(self) -> str:
        """The route as the contract writes it, ``/v1/games/{game_id}``, or ``unmatched``.

        Logs and metrics use it in place of the path, which may contain a game's id.
        """
        return _template(self.url_rule.rule) if self.url_rule else UNMATCHED

    @property
    def known_method(self) -> str:
        """The method, or ``OTHER`` if it is not a standard one."""
        return self.method if self.method in _METHODS else OTHER_METHOD

    @property
    def bearer_token(self) -> str | None:
        """The token of an ``Authorization: Bearer`` header."""
        if "HTTP_AUTHORIZATION" not in self.environ:
            return None
        given = self.authorization
        return given.token if given is not None and given.type == "bearer" else None

    @property
    def idempotency_key(self) -> str | None:
        """The ``Idempotency-Key``, if there is one. Raises Problem if it is invalid."""
        key: str | None = self.environ.get("HTTP_IDEMPOTENCY_KEY")
        if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
            raise invalid({"Idempotency-Key": ["must be 16 to 255 visible ASCII characters"]})
        return key

    def negotiate(self, offered: tuple[str, ...]) -> None:
        """Choose the media type of the response; the first one offered is the default.

        Raises Problem 406 if the client accepts none of them.
        """
        chosen: str | None = offered[0]
        if self.environ.get("HTTP_ACCEPT") not in _ACCEPTS_JSON:
            # Without parameters: a charset in Accept would match none of our plain types.
            ranges = [(name.partition(";")[0], q) for name, q in self.accept_mimetypes]
            chosen = MIMEAccept(ranges).best_match(offered)
        if chosen is None:
            raise Problem(NOT_ACCEPTABLE)
        self.media_type = chosen

    def load_body(self, schema: Schema) -> dict[str, Any]:
        """Return the body as ``schema`` loads it.

        Raises Problem, in this order: 413 if it is too large, 415 if it is not declared as JSON,
        400 if it is not JSON, 422 if it does not match the schema.
        """
        raw = _body(self)
        encoded = self.environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity"
        declared = self.environ.get("CONTENT_TYPE") == JSON or self.mimetype == JSON
        if encoded or not declared:
            raise Problem(UNSUPPORTED_MEDIA_TYPE)
        try:
            body = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise Problem(MALFORMED_JSON, f"The body is not valid JSON: {error}") from None
        return _load(schema, body)

    def load_query(self, schema: Schema) -> dict[str, Any]:
        """Return the query arguments as ``schema`` loads them. Raises Problem 422."""
        repeated = [name for name, values in self.args.lists() if len(values) > 1]
        if repeated:
            raise invalid({name: ["must not be repeated"] for name in repeated})
        return _load(schema, self.args.to_dict())


def request_id(environ: WSGIEnvironment) -> str:
    """Return the client's ``X-Request-ID`` if it is valid, else a random one. It is no secret."""
    known: str | None = environ.get(_REQUEST_ID_KEY)
    if known is None:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        known = given if _REQUEST_ID.fullmatch(given) else f"{getrandbits(64):016x}"
        environ[_REQUEST_ID_KEY] = known
    return known


def _body(request: flask.Request) -> bytes:
    try:
        raw = request.get_data()
    except HTTPException:  # 413, if the declared length is above MAX_CONTENT_LENGTH
        raise
    except Exception as error:  # each server has its own exception for a broken chunk
        raise Problem(MALFORMED_REQUEST, "The body could not be read.") from error
    if len(raw) > MAX_BODY:
        raise Problem(TOO_LARGE)
    if len(raw) < (request.content_length or 0):
        raise Problem(MALFORMED_REQUEST, "The body is shorter than its `Content-Length`.")
    return raw


def _load(schema: Schema, data: Any) -> dict[str, Any]:  # noqa: ANN401  # any JSON
    try:
        loaded: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise invalid(error.messages_dict) from None
    return loaded


@cache
def _template(rule: str) -> str:
    return re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule)
