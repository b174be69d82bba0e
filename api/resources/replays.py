"""Replays: check a whole game that is not, or no longer, on the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError, fields

from api.contract import Answer, Blueprint
from api.fields import ActionText, List, Nested, Notation, Seed, String, one_of
from api.problems import ILLEGAL_ACTION, illegal
from api.representation import replay_body
from api.resources.games import OptionChoicesSchema, StateSchema
from api.responses import json_response
from api.schemas import RequestSchema
from engine import DEFAULT_RULESET, RULESETS, IllegalAction, Record, apply, begin, rules_for

if TYPE_CHECKING:
    from flask import Response

MAX_ACTIONS = 288
"""The longest game: 44 cards faced, 40 rooms avoided, and 204 cards drawn by hand."""

blp = Blueprint("replays", __name__, description="Check a whole game, wherever it was played.")


class ReplaySchema(RequestSchema):
    """A whole game: its rules, seed and actions, or its one-line notation."""

    ruleset = String(
        validate=one_of(RULESETS),
        metadata={
            "description": "The version of the rules it was played by.",
            "default": DEFAULT_RULESET,
        },
    )
    options = Nested(
        OptionChoicesSchema, metadata={"description": "Options that differed from the ruleset's."}
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
            "description": "All of this in one line, instead of the other fields.",
            "example": "original/demo-1/TH 3D 9D 4H 4Sb",
        }
    )

    def settle(self, loaded: dict[str, Any]) -> dict[str, Any]:
        """Take one form."""
        if "notation" in loaded:
            extra = sorted(set(loaded) - {"notation"})
            if extra:
                raise ValidationError({name: ["goes without a notation"] for name in extra})
            if not 1 <= len(loaded["notation"].actions) <= MAX_ACTIONS:
                raise ValidationError({"notation": [f"takes 1 to {MAX_ACTIONS} actions"]})
        elif missing := [name for name in ("seed", "actions") if name not in loaded]:
            raise ValidationError({name: ["is wanted without a notation"] for name in missing})
        return loaded


class ReplayedSchema(StateSchema):
    """The state that a replay ends in."""

    commitment = fields.String(
        required=True, metadata={"description": "The commitment to the seed."}
    )
    seed = fields.String(required=True, metadata={"description": "The seed."})
    notation = fields.String(required=True, metadata={"description": "The game in one line."})


@blp.operation(
    "POST",
    "/v1/replays",
    "verifyReplay",
    body=ReplaySchema,
    answer=Answer(ReplayedSchema, "The game is sound; the state it ends in."),
    problems=(ILLEGAL_ACTION,),
)
def verify_replay(body: dict[str, Any]) -> Response:
    """Check a whole game.

    Deals the seed, applies the actions and answers with the state they lead to. Nothing is stored.
    """
    record: Record = body.get("notation") or Record(
        rules_for(body.get("ruleset", DEFAULT_RULESET), body.get("options")),
        body["seed"],
        tuple(body["actions"]),
    )
    state = begin(record.seed, record.rules.options).state
    for index, action in enumerate(record.actions):
        try:
            state = apply(state, action).state
        except IllegalAction as refused:
            raise illegal(refused, index) from None
    return json_response(replay_body(record, state))
