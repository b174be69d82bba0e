"""The ledger: finished games by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import current_app
from marshmallow import fields, validate

from api.contract import Answer, AnswerSchema, Blueprint, RequestSchema
from api.current import store
from api.fields import QueryInteger, Seed
from api.problems import STORE_UNAVAILABLE
from api.representation import timestamp
from api.responses import json_response
from api.store import UNAVAILABLE, Board
from engine import DEFAULT_RULESET, RULESETS, Status

if TYPE_CHECKING:
    from flask import Response

    from api.store import Entry

MAX_LIMIT = 100
DEFAULT_LIMIT = 20

blp = Blueprint("ledger", __name__, description="The finished games by rank.")


class LedgerQuerySchema(RequestSchema):
    """Which board, and how much of it."""

    ruleset = fields.String(
        load_default=DEFAULT_RULESET,
        validate=validate.OneOf(list(RULESETS)),
        metadata={"description": "The ruleset whose board is asked for."},
    )
    seed = Seed(
        load_default=None,
        metadata={"description": "The seed that players named; without it the standard board."},
    )
    limit = QueryInteger(
        load_default=DEFAULT_LIMIT,
        validate=validate.Range(1, MAX_LIMIT),
        metadata={"description": "How many entries at most."},
    )


class EntrySchema(AnswerSchema):
    """A finished game on a board."""

    rank = fields.Integer(required=True, metadata={"description": "The rank, from 1."})
    score = fields.Integer(required=True, metadata={"description": "The score."})
    status = fields.String(
        required=True,
        validate=validate.OneOf([Status.WON, Status.LOST]),
        metadata={"description": "How the game ended."},
    )
    player = fields.String(
        required=True, allow_none=True, metadata={"description": "The player's name, if any."}
    )
    game_id = fields.String(required=True, metadata={"description": "The game's id."})
    finished_at = fields.DateTime(
        required=True,
        metadata={"description": "When it ended. Of equal scores the earlier ranks higher."},
    )


class LedgerSchema(AnswerSchema):
    """A board, from the top."""

    board = fields.String(
        required=True,
        metadata={"description": "The board's name: `original`, or with a seed `original/SEED`."},
    )
    total = fields.Integer(
        required=True, metadata={"description": "How many games are on the board."}
    )
    entries = fields.List(
        fields.Nested(EntrySchema), required=True, metadata={"description": "Games by rank."}
    )


@blp.operation(
    "GET",
    "/v1/ledger",
    "listLedger",
    query=LedgerQuerySchema,
    answer=Answer(LedgerSchema, "The board's first entries; none if nobody has finished yet."),
    problems=(STORE_UNAVAILABLE,),
)
def list_ledger(query: dict[str, Any]) -> Response:
    """List the best finished games.

    Those of a ruleset, or those of one seed that players named themselves.
    """
    ledger = store().ledger
    try:
        ledger.sweep()
    except UNAVAILABLE as error:
        # What is left to sweep waits for the next reader; this one wants the board.
        current_app.logger.warning("sweep: %s", type(error).__name__)
    board = Board(query["ruleset"], query["seed"])
    page = ledger.page(board, "", query["limit"])
    return json_response(
        {
            "board": board.name,
            "total": page.total,
            "entries": [_entry_body(entry) for entry in page.entries],
        }
    )


def _entry_body(entry: Entry) -> dict[str, Any]:
    game = entry.game
    return {
        "rank": entry.rank,
        "score": entry.score,
        "status": game.state.status,
        "player": game.player,
        "game_id": game.id,
        "finished_at": timestamp(game.updated_at),
    }
