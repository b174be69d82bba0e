"""Scores: a game's score, its parts and its rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marshmallow import fields, validate

from api.http.context import current_store
from api.http.contract import Blueprint
from api.http.problem_types import GAME_NOT_FOUND, STORE_UNAVAILABLE
from api.http.responses import json_response
from api.http.schemas import ResponseSchema
from api.resources.games import GAME_ID
from engine import Status, score

if TYPE_CHECKING:
    from flask import Response

blp = Blueprint("scores", __name__, description="Fetch a game's score.")


class ScoreSchema(ResponseSchema):
    """A game's score and its parts."""

    status = fields.String(
        required=True,
        validate=validate.OneOf(list(Status)),
        metadata={"description": "Whether the game is being played, won or lost."},
    )
    score = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "Null while playing. Won: `health` plus `bonus`. Lost: `health` minus "
            "`remaining`; the option `overkill` says whether health below 0 counts."
        },
    )
    health = fields.Integer(required=True, metadata={"description": "The player's health."})
    bonus = fields.Integer(
        required=True,
        metadata={"description": "The value that a potion faced last adds to a won game, else 0."},
    )
    remaining = fields.Integer(
        required=True,
        metadata={
            "description": "The sum of the remaining monsters that the option `loss_counts` names. "
            "It only counts if the game is lost."
        },
    )
    rank = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The rank on the board, from 1; null while playing or unranked."},
    )
    board = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The board that the game is ranked on: `original`, or for a seeded game "
            "`original/SEED`. Null while playing, and for a custom game."
        },
    )


@blp.route(
    "/v1/games/<game_id>/score",
    "getScore",
    parameters=[GAME_ID],
    problems=(GAME_NOT_FOUND, STORE_UNAVAILABLE),
)
@blp.response(200, ScoreSchema, description="The score, or its parts so far.")
def get_score(game_id: str) -> Response:
    """Fetch a game's score.

    Its parts and, once the game is over, its rank.
    """
    store = current_store()
    game = store.games.read(game_id)
    board = game.board if game.over else None
    return json_response(
        {
            "status": game.state.status,
            **score(game.state)._asdict(),
            "rank": store.ledger.rank(game) if board else None,
            "board": board.name if board else None,
        }
    )
