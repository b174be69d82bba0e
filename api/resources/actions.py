"""Actions: list and apply them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import fields

from api.games.as_json import action_body
from api.games.play import play
from api.http.context import current_request, current_store
from api.http.contract import ETAG, Blueprint, documented_headers
from api.http.fields import ActionText, Integer, List, between
from api.http.game_responses import entity_tag, game_response
from api.http.problem_types import (
    GAME_NOT_FOUND,
    GAME_OVER,
    ILLEGAL_ACTION,
    REVEALS_CARDS,
    STORE_UNAVAILABLE,
    TOKEN_REQUIRED,
    VERSION_MISMATCH,
)
from api.http.requests import JSON, TEXT
from api.http.responses import has_current, json_response, not_modified
from api.http.schemas import RequestSchema, ResponseSchema
from api.resources.games import AS_TEXT, GAME_ID, LINKS, REPLAYED, GameWithEventsSchema
from engine import legal_actions

if TYPE_CHECKING:
    from flask import Response

MAX_ACTIONS = 64
MAX_VERSION = 2**53 - 1
"""The largest integer that JSON holds exactly in every client; no game comes near it."""


blp = Blueprint("actions", __name__, description="List a game's legal actions, and apply them.")


class LegalActionSchema(ResponseSchema):
    """A legal action and its effect on the player, from public facts alone."""

    action = fields.String(
        required=True, metadata={"description": "The action in its text form: `fight:KS:weapon`."}
    )
    card = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The card that is faced; null if none is."},
    )
    value = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The card's value, 2 to 14."}
    )
    damage = fields.Integer(required=True, metadata={"description": "The health that is lost."})
    healed = fields.Integer(required=True, metadata={"description": "The health that is gained."})
    health_after = fields.Integer(required=True, metadata={"description": "The health afterwards."})
    deadly = fields.Boolean(
        required=True, metadata={"description": "Whether the player dies of it."}
    )


class LegalActionsSchema(ResponseSchema):
    """The legal actions of a game."""

    version = fields.Integer(
        required=True, metadata={"description": "The game's version, to be sent with the actions."}
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


@blp.route(
    "/v1/games/<game_id>/actions",
    "listActions",
    parameters=[GAME_ID],
    problems=(GAME_NOT_FOUND, STORE_UNAVAILABLE),
    tagged=True,
)
@blp.response(200, LegalActionsSchema, description="The legal actions; none if the game is over.")
def list_actions(game_id: str) -> Response:
    """List the legal actions.

    Each with its effect on the player, which follows from the cards on the table alone.
    """
    game = current_store().games.read(game_id)
    state = game.state
    tag = entity_tag(game, state.version, "actions")
    if has_current(tag):
        return not_modified(tag)
    legal = [action_body(state, action) for action in legal_actions(state)]
    response = json_response({"version": state.version, "actions": legal})
    response.headers["ETag"] = tag
    return response


@blp.route(
    "/v1/games/<game_id>/actions",
    "applyActions",
    methods=["POST"],
    parameters=[GAME_ID],
    offers=(JSON, TEXT),
    problems=(
        GAME_NOT_FOUND,
        TOKEN_REQUIRED,
        VERSION_MISMATCH,
        GAME_OVER,
        ILLEGAL_ACTION,
        REVEALS_CARDS,
        STORE_UNAVAILABLE,
    ),
    doc={"security": [{}, {"token": []}], "responses": {200: {**AS_TEXT, "links": LINKS}}},
)
@blp.arguments(ActionsSchema())
@blp.response(
    200,
    GameWithEventsSchema,
    description="The actions are applied. The game right after them, and the events they caused.",
    headers=documented_headers({**REPLAYED, **ETAG}),
)
def apply_actions(body: dict[str, Any], game_id: str) -> Response:
    """Apply actions.

    One or more in order, all or none. Only a `draw` may follow an action that turns up cards.
    Repeating a request is harmless: if the game already contains these actions from `version` on,
    they are not applied again, and the response is the same.
    """
    played = play(
        current_store(), game_id, body["version"], body["actions"], current_request().bearer_token
    )
    return game_response(played.game, played.state, played.events, replayed=played.replayed)
