"""Documents: the API's own description."""

from __future__ import annotations

from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

import orjson
from flask import request

from api.contract import Answer, Blueprint
from api.responses import JSON, Response, known_to_client, not_modified
from api.schemas import AnswerSchema

OPENAPI_FILE = Path(__file__).parents[2] / "openapi" / "openapi.json"

blp = Blueprint("documents", __name__, description="The API's own description.")


class OpenApiSchema(AnswerSchema):
    """An OpenAPI document."""


@cache
def _published() -> bytes:
    return OPENAPI_FILE.read_bytes()


def _read_early(_state: object) -> None:
    # When it is asked for there may be no descriptor to open it with.
    with suppress(FileNotFoundError):  # it is being made
        _published()


blp.record(_read_early)


@lru_cache(maxsize=8)
def _openapi(root: str) -> tuple[str, bytes]:
    """Return the document, and its tag, for an app that a proxy serves under the path ``root``."""
    body = _published()
    if root:
        document = orjson.loads(body)
        document["servers"][0]["url"] = root
        body = orjson.dumps(document, option=orjson.OPT_INDENT_2)
    return f'"{sha256(body).hexdigest()[:32]}"', body


@blp.operation(
    "GET",
    "/openapi.json",
    "getOpenApi",
    answer=Answer(OpenApiSchema, "The OpenAPI 3.1 document of this API.", tagged=True),
)
def get_openapi() -> Response:
    """Read the API's description.

    The OpenAPI document that clients are generated from.
    """
    tag, body = _openapi(request.script_root)
    if known_to_client(tag):
        return not_modified(tag)
    return Response(body, content_type=JSON, headers={"ETag": tag})
