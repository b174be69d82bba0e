"""Scores: what a game is worth, and how that came about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marshmallow import fields, validate

from api.contract import Answer, Blueprint
from api.current import store
from api.problems import GAME_NOT_FOUND, STORE_UNAVAILABLE
from api.resources.games import GAME_ID
from api.responses import json_response
from api.schemas import AnswerSchema
from api.store import board_of
from engine import Status, score

if TYPE_CHECKING:
    from flask import Response

blp = Blueprint("scores", __name__, description="Fetch a game's score.")


class ScoreSchema(AnswerSchema):
    """A game's score and its parts."""

    status = fields.String(
        required=True,
        validate=validate.OneOf(list(Status)),
        metadata={"description": "Whether the game goes on, and if not, how it ended."},
    )
    score = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "Null while playing. Won: `health` plus `bonus`. Lost: `health` minus "
            "`remaining`; whether health below 0 counts is up to the option `overkill`."
        },
    )
    health = fields.Integer(required=True, metadata={"description": "The player's health."})
    bonus = fields.Integer(
        required=True,
        metadata={"description": "What a potion faced last added to a won game, else 0."},
    )
    remaining = fields.Integer(
        required=True,
        metadata={
            "description": "The sum of the monsters not yet faced, as the option `loss_counts` "
            "counts them. It only counts if the game is lost."
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


@blp.operation(
    "GET",
    "/v1/games/<game_id>/score",
    "getScore",
    answer=Answer(ScoreSchema, "The score, or what it is made of so far."),
    problems=(GAME_NOT_FOUND, STORE_UNAVAILABLE),
    parameters=(GAME_ID,),
)
def get_score(game_id: str) -> Response:
    """Fetch a game's score.

    With the parts that it is made of and, once the game is over, its rank.
    """
    game = store().games.read(game_id)
    board = board_of(game) if game.over else None
    return json_response(
        {
            "status": game.state.status,
            **score(game.state)._asdict(),
            "rank": store().ledger.rank(game) if board else None,
            "board": board.name if board else None,
        }
    )
