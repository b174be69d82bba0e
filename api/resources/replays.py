"""Replays: verify whole games that need not be on the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError, fields, validates_schema

from api.games.as_json import replay_body
from api.http.contract import Blueprint
from api.http.fields import ActionText, List, Nested, Notation, Seed, String, one_of
from api.http.problem_types import ILLEGAL_ACTION
from api.http.responses import json_response
from api.http.schemas import RequestSchema
from api.resources.games import OptionChoicesSchema, StateSchema
from engine import DEFAULT_RULESET, RULESETS, Record, replay, rules_for

if TYPE_CHECKING:
    from flask import Response

MAX_ACTIONS = 288
"""The longest game: 44 cards faced, 40 rooms avoided, and 204 manual draws."""

blp = Blueprint("replays", __name__, description="Verify whole games, wherever they were played.")


class ReplaySchema(RequestSchema):
    """A whole game: its rules, seed and actions, or its one-line notation."""

    ruleset = String(
        validate=one_of(RULESETS),
        metadata={
            "description": "The ruleset it was played by.",
            "default": DEFAULT_RULESET,
        },
    )
    options = Nested(
        OptionChoicesSchema,
        metadata={"description": "The options that differed from the ruleset's."},
    )
    seed = Seed(metadata={"description": "The seed of its deck."})
    actions = List(
        ActionText(),
        1,
        MAX_ACTIONS,
        metadata={"description": "All its actions in order."},
    )
    notation = Notation(
        metadata={
            "description": "The whole game in one line, in place of the other fields.",
            "example": "original/demo-1/TH 3D 9D 4H 4Sb",
        }
    )

    @validates_schema
    def check_form(self, data: dict[str, Any], **_: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        """Accept either a notation or the other fields."""
        if "notation" in data:
            extra = sorted(set(data) - {"notation"})
            if extra:
                message = "cannot be combined with notation"
                raise ValidationError({name: [message] for name in extra})
            if not 1 <= len(data["notation"].actions) <= MAX_ACTIONS:
                raise ValidationError({"notation": [f"must have 1 to {MAX_ACTIONS} actions"]})
        elif missing := [name for name in ("seed", "actions") if name not in data]:
            message = "is required unless notation is given"
            raise ValidationError({name: [message] for name in missing})


class ReplayedSchema(StateSchema):
    """The final state of a replay."""

    commitment = fields.String(
        required=True, metadata={"description": "The commitment to the seed."}
    )
    seed = fields.String(required=True, metadata={"description": "The seed."})
    notation = fields.String(required=True, metadata={"description": "The game in one line."})


@blp.route("/v1/replays", "verifyReplay", methods=["POST"], problems=(ILLEGAL_ACTION,))
@blp.arguments(ReplaySchema())
@blp.response(200, ReplayedSchema, description="The game is valid; its final state.")
def verify_replay(body: dict[str, Any]) -> Response:
    """Verify a whole game.

    Deals the seed, applies the actions and returns the final state. Nothing is stored.
    """
    record: Record = body.get("notation") or Record(
        rules_for(body.get("ruleset", DEFAULT_RULESET), body.get("options")),
        body["seed"],
        tuple(body["actions"]),
    )
    state = replay(record.seed, record.actions, record.rules.options)
    return json_response(replay_body(record, state))
