"""Documents: the API's own description."""

from __future__ import annotations

from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

import orjson
from flask import Response, request

from api.http.contract import Blueprint
from api.http.requests import JSON
from api.http.responses import has_current, not_modified
from api.http.schemas import ResponseSchema

OPENAPI_FILE = Path(__file__).parents[2] / "openapi" / "openapi.json"

blp = Blueprint("documents", __name__, description="The API's own description.")


class OpenApiSchema(ResponseSchema):
    """An OpenAPI document."""


@cache
def _published() -> bytes:
    return OPENAPI_FILE.read_bytes()


def _read_early(_state: object) -> None:
    # At start, because a request may find the process out of file descriptors.
    with suppress(FileNotFoundError):  # it is being generated
        _published()


blp.record(_read_early)


@lru_cache(maxsize=8)
def _openapi(root: str) -> tuple[str, bytes]:
    """Return the document and its tag, for an app that a proxy serves below the path ``root``."""
    body = _published()
    if root:
        document = orjson.loads(body)
        document["servers"][0]["url"] = root
        body = orjson.dumps(document, option=orjson.OPT_INDENT_2)
    return f'"{sha256(body).hexdigest()[:32]}"', body


@blp.route("/openapi.json", "getOpenApi", tagged=True)
@blp.response(200, OpenApiSchema, description="The OpenAPI 3.1 document of this API.")
def get_openapi() -> Response:
    """Read the API's description.

    The OpenAPI document, from which clients can be generated.
    """
    tag, body = _openapi(request.script_root)
    if has_current(tag):
        return not_modified(tag)
    return Response(body, content_type=JSON, headers={"ETag": tag})
