"""Health: whether the process is alive, and whether games can be played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marshmallow import fields

from api.http.context import current_store
from api.http.contract import Blueprint
from api.http.problem_types import STORE_UNAVAILABLE
from api.http.responses import json_response
from api.http.schemas import ResponseSchema

if TYPE_CHECKING:
    from flask import Response

blp = Blueprint("health", __name__, description="For operators.")


class HealthSchema(ResponseSchema):
    """All is well."""

    status = fields.String(required=True, metadata={"description": "Always `ok`."})


@blp.route("/livez", "getLiveness")
@blp.response(200, HealthSchema, description="The process responds.")
def get_liveness() -> Response:
    """Check whether the process is alive.

    Independent of the store: restarting the process would not help against an outage of the store.
    """
    return json_response({"status": "ok"})


@blp.route("/readyz", "getReadiness", problems=(STORE_UNAVAILABLE,))
@blp.response(200, HealthSchema, description="Games can be played.")
def get_readiness() -> Response:
    """Check whether games can be played.

    Writes a key to the store: a full store and a replica would still answer a ping.
    """
    current_store().probe()
    return json_response({"status": "ok"})
