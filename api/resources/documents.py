"""Documents: the API's own description."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from flask import Response

from api.contract import Answer, Blueprint
from api.schemas import AnswerSchema

OPENAPI_FILE = Path(__file__).parents[2] / "openapi" / "openapi.json"

blp = Blueprint("documents", __name__, description="The API's own description.")


class OpenApiSchema(AnswerSchema):
    """An OpenAPI document."""


@cache
def _openapi() -> bytes:
    return OPENAPI_FILE.read_bytes()


@blp.operation(
    "GET",
    "/openapi.json",
    "getOpenApi",
    answer=Answer(OpenApiSchema, "The OpenAPI 3.1 document of this API."),
)
def get_openapi() -> Response:
    """Read the API's description.

    The OpenAPI document that clients are generated from.
    """
    return Response(_openapi(), content_type="application/json")
