"""Health: whether the process lives, and whether it can serve games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marshmallow import fields

from api.contract import Answer, Blueprint
from api.current import store
from api.problems import STORE_UNAVAILABLE
from api.responses import json_response
from api.schemas import AnswerSchema

if TYPE_CHECKING:
    from flask import Response

blp = Blueprint("health", __name__, description="For those who operate the server.")


class HealthSchema(AnswerSchema):
    """All is well."""

    status = fields.String(required=True, metadata={"description": "Always `ok`."})


@blp.operation("GET", "/livez", "getLiveness", answer=Answer(HealthSchema, "The process answers."))
def get_liveness() -> Response:
    """Tell whether the process lives.

    Whatever the store does: restarting the process would not help against that.
    """
    return json_response({"status": "ok"})


@blp.operation(
    "GET",
    "/readyz",
    "getReadiness",
    answer=Answer(HealthSchema, "Games can be played."),
    problems=(STORE_UNAVAILABLE,),
)
def get_readiness() -> Response:
    """Tell whether games can be played.

    Writes a probe to the store: one that is full, or only a replica, still answers a ping.
    """
    store().probe()
    return json_response({"status": "ok"})
