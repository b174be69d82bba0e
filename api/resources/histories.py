"""Histories: how a game came about, action by action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marshmallow import fields

from api.answers import tag_of
from api.contract import Answer, Blueprint
from api.current import store
from api.event_schema import EventSchema
from api.problems import GAME_NOT_FOUND, STORE_UNAVAILABLE
from api.representation import event_body, shown_seed
from api.resources.games import GAME_ID
from api.responses import known_to_client, not_modified, tagged_json_response
from api.schemas import AnswerSchema
from engine import format_notation, from_log

if TYPE_CHECKING:
    from flask import Response

blp = Blueprint("histories", __name__, description="See how a game came about.")


class HistoryEntrySchema(AnswerSchema):
    """How one version came about."""

    version = fields.Integer(required=True, metadata={"description": "The version."})
    action = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The action that led to it; null for the deal."},
    )
    events = fields.List(
        fields.Nested(EventSchema),
        required=True,
        metadata={"description": "What it caused, in order."},
    )


class HistorySchema(AnswerSchema):
    """How a game came about, from the deal on."""

    id = fields.String(required=True, metadata={"description": "The game's id."})
    version = fields.Integer(required=True, metadata={"description": "The game's version."})
    notation = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The whole game in one line: rules, seed and actions. Null until the "
            "seed may be shown.",
        },
    )
    history = fields.List(
        fields.Nested(HistoryEntrySchema),
        required=True,
        metadata={"description": "An entry a version; entry 0 is the deal."},
    )


@blp.operation(
    "GET",
    "/v1/games/<game_id>/history",
    "getHistory",
    answer=Answer(HistorySchema, "The history so far.", tagged=True),
    problems=(GAME_NOT_FOUND, STORE_UNAVAILABLE),
    parameters=(GAME_ID,),
)
def get_history(game_id: str) -> Response:
    """See how a game came about.

    Every action with what it caused, and once the game is over its one-line notation.
    """
    game = store().games.read(game_id)
    tag = tag_of(game, len(game.log), "history")
    if known_to_client(tag):
        return not_modified(tag)
    actions = from_log(game.log)
    seed = shown_seed(game)
    return tagged_json_response(
        tag,
        {
            "id": game.id,
            "version": len(actions),
            "notation": seed and format_notation(game.rules, seed, actions),
            "history": [
                {
                    "version": version,
                    "action": action and action.text,
                    "events": [event_body(event) for event in step.events],
                }
                for version, (action, step) in enumerate(
                    zip((None, *actions), game.steps(), strict=True)
                )
            ],
        },
    )
