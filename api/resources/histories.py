"""Histories: the actions of a game and the events they caused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marshmallow import fields

from api.games.as_json import event_body
from api.http.context import current_store
from api.http.contract import Blueprint
from api.http.game_responses import entity_tag
from api.http.problem_types import GAME_NOT_FOUND, STORE_UNAVAILABLE
from api.http.responses import has_current, json_response, not_modified
from api.http.schemas import ResponseSchema
from api.resources.games import GAME_ID, EventSchema
from engine import format_notation, from_log

if TYPE_CHECKING:
    from flask import Response

blp = Blueprint("histories", __name__, description="Read the history of a game.")


class HistoryEntrySchema(ResponseSchema):
    """One version: the action that led to it, and its events."""

    version = fields.Integer(required=True, metadata={"description": "The version."})
    action = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The action that led to it; null for the deal."},
    )
    events = fields.List(
        fields.Nested(EventSchema),
        required=True,
        metadata={"description": "The events it caused, in order."},
    )


class HistorySchema(ResponseSchema):
    """The history of a game, from the deal on."""

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
        metadata={"description": "One entry for each version; entry 0 is the deal."},
    )


@blp.route(
    "/v1/games/<game_id>/history",
    "getHistory",
    parameters=[GAME_ID],
    problems=(GAME_NOT_FOUND, STORE_UNAVAILABLE),
    tagged=True,
)
@blp.response(200, HistorySchema, description="The history so far.")
def get_history(game_id: str) -> Response:
    """Read a game's history.

    Every action with the events it caused and, once the game is over, the one-line notation.
    """
    game = current_store().games.read(game_id)
    tag = entity_tag(game, len(game.log), "history")
    if has_current(tag):
        return not_modified(tag)
    actions = from_log(game.log)
    seed = game.public_seed
    response = json_response(
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
                    zip((None, *actions), game.steps, strict=True)
                )
            ],
        }
    )
    response.headers["ETag"] = tag
    return response
