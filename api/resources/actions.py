"""Actions: what is legal in a game, and doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import fields

from api.answers import game_response, tag_of
from api.contract import Answer, Blueprint
from api.current import store
from api.fields import ActionText, Integer, List, between
from api.moves import play
from api.problems import (
    GAME_NOT_FOUND,
    GAME_OVER,
    ILLEGAL_ACTION,
    REVEALS_CARDS,
    STORE_UNAVAILABLE,
    TOKEN_REQUIRED,
    VERSION_MISMATCH,
)
from api.representation import action_body
from api.resources.games import GAME_ID, GOING_ON, REPLAYED, TABLE, GameWithEventsSchema
from api.responses import known_to_client, not_modified, tagged_json_response
from api.schemas import AnswerSchema, RequestSchema
from engine import legal_actions

if TYPE_CHECKING:
    from flask import Response

MAX_ACTIONS = 64
MAX_VERSION = 2**53 - 1
"""The largest integer that every client's JSON holds exactly; no game comes near it."""


blp = Blueprint("actions", __name__, description="List what is legal in a game, and do it.")


class LegalActionSchema(AnswerSchema):
    """A legal action and what it does to the player, as far as the table tells."""

    action = fields.String(
        required=True, metadata={"description": "The action as it is sent: `fight:KS:weapon`."}
    )
    card = fields.String(
        required=True, allow_none=True, metadata={"description": "The card faced, if one is."}
    )
    value = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The card's value, 2 to 14."}
    )
    damage = fields.Integer(
        required=True, metadata={"description": "By how much it lowers health."}
    )
    healed = fields.Integer(
        required=True, metadata={"description": "By how much it raises health."}
    )
    health_after = fields.Integer(required=True, metadata={"description": "The health after it."})
    deadly = fields.Boolean(required=True, metadata={"description": "Whether the player dies."})


class LegalActionsSchema(AnswerSchema):
    """The legal actions of a game."""

    version = fields.Integer(
        required=True, metadata={"description": "The game's version, to be sent with an action."}
    )
    actions = fields.List(
        fields.Nested(LegalActionSchema),
        required=True,
        metadata={
            "description": "In room order, barehanded before weapon, `avoid` last; empty when the "
            "game is over."
        },
    )


class ActionsSchema(RequestSchema):
    """Actions to apply, and the version that they were chosen for."""

    version = Integer(
        required=True,
        validate=between(0, MAX_VERSION),
        metadata={"description": "The version of the game that the actions were chosen for."},
    )
    actions = List(
        ActionText(),
        1,
        MAX_ACTIONS,
        required=True,
        metadata={
            "description": "The actions in order: `draw`, `avoid`, `equip:5D`, `drink:7H`, "
            "`fight:KS:barehanded`, `fight:KS:weapon`. All are applied, or none."
        },
    )


@blp.operation(
    "GET",
    "/v1/games/<game_id>/actions",
    "listActions",
    answer=Answer(
        LegalActionsSchema, "The legal actions, empty when the game is over.", tagged=True
    ),
    problems=(GAME_NOT_FOUND, STORE_UNAVAILABLE),
    parameters=(GAME_ID,),
)
def list_actions(game_id: str) -> Response:
    """List the legal actions.

    Each with what it does to the player, which is told by the cards on the table alone.
    """
    game = store().games.read(game_id)
    state = game.state
    tag = tag_of(game, state.version, "actions")
    if known_to_client(tag):
        return not_modified(tag)
    legal = [action_body(state, action) for action in legal_actions(state)]
    return tagged_json_response(tag, {"version": state.version, "actions": legal})


@blp.operation(
    "POST",
    "/v1/games/<game_id>/actions",
    "applyActions",
    body=ActionsSchema,
    answer=Answer(
        GameWithEventsSchema,
        "The actions are applied. The game as it is right after them, and what they caused.",
        headers=REPLAYED,
        text=TABLE,
        tagged=True,
        links=GOING_ON,
    ),
    problems=(
        GAME_NOT_FOUND,
        TOKEN_REQUIRED,
        VERSION_MISMATCH,
        GAME_OVER,
        ILLEGAL_ACTION,
        REVEALS_CARDS,
        STORE_UNAVAILABLE,
    ),
    parameters=(GAME_ID,),
    locked=True,
)
def apply_actions(game_id: str, body: dict[str, Any]) -> Response:
    """Apply actions.

    One or several in order, all or none. An action that turns up cards ends what can be sent at
    once: only `draw` may follow it. Sending the same again does no harm: what the game already
    holds from `version` on is answered again and not applied again.
    """
    played = play(store(), game_id, body["version"], body["actions"])
    return game_response(played.game, played.state, played.events, replayed=played.replayed)
