"""The ledger: finished games by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import current_app, request
from marshmallow import ValidationError, fields, validate

from api.contract import Answer, Blueprint
from api.current import store
from api.fields import Cursor, QueryInteger, Seed, String, between, one_of
from api.problems import STORE_UNAVAILABLE
from api.representation import timestamp
from api.requests import invalid
from api.responses import json_response
from api.schemas import AnswerSchema, RequestSchema
from api.store import UNAVAILABLE, Board, GameNotFound
from engine import DEFAULT_RULESET, RULESETS, Status

if TYPE_CHECKING:
    from flask import Response

    from api.store import Entry, Ledger, Page

MAX_LIMIT = 100
DEFAULT_LIMIT = 20

_PLACES = {"cursor", "around"}

blp = Blueprint("ledger", __name__, description="The finished games by rank.")


class LedgerQuerySchema(RequestSchema):
    """Which board, and how much of it."""

    ruleset = String(
        load_default=DEFAULT_RULESET,
        validate=one_of(RULESETS),
        metadata={"description": "The ruleset whose board is asked for."},
    )
    seed = Seed(
        metadata={"description": "The seed that players named; without it the standard board."},
    )
    limit = QueryInteger(
        load_default=DEFAULT_LIMIT,
        validate=between(1, MAX_LIMIT),
        metadata={"description": "How many entries at most."},
    )
    cursor = Cursor(
        metadata={"description": "Where to go on: the `next_cursor` of the page before."},
    )
    around = String(
        metadata={"description": "A game on this board: the page has it in its middle."},
    )

    def settle(self, loaded: dict[str, Any]) -> dict[str, Any]:
        """Take one place."""
        if "cursor" in loaded and "around" in loaded:
            raise ValidationError({"around": ["goes without a cursor"]})
        return loaded


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
    """A part of a board."""

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
    next_cursor = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "To be sent as `cursor` for what follows; null at the end."},
    )


@blp.operation(
    "GET",
    "/v1/ledger",
    "listLedger",
    query=LedgerQuerySchema,
    answer=Answer(
        LedgerSchema,
        "Entries of the board; none if nobody has finished yet.",
        headers={"Link": 'The next page, as `rel="next"`, unless this is the last.'},
    ),
    problems=(STORE_UNAVAILABLE,),
)
def list_ledger(query: dict[str, Any]) -> Response:
    """List finished games by rank.

    Those of a ruleset, or those of one seed that players named themselves: from the top, behind a
    cursor, or around a game. Entries that come and go meanwhile make no page skip or repeat others.
    """
    ledger = store().ledger
    board = Board(query["ruleset"], query.get("seed"))
    page = _page(ledger, board, query)
    if _swept(ledger):
        page = _page(ledger, board, query)
    return json_response(
        {
            "board": board.name,
            "total": page.total,
            "entries": [_entry_body(entry) for entry in page.entries],
            "next_cursor": page.cursor,
        },
        headers={"Link": _next_link(query, page.cursor)} if page.cursor else None,
    )


def _swept(ledger: Ledger) -> bool:
    """Sweep, and tell whether a board may have changed by it."""
    try:
        return ledger.sweep() > 0
    except UNAVAILABLE as error:
        # What is left to sweep waits for the next reader; this one has its page.
        current_app.logger.warning("sweep: %s", type(error).__name__)
        return False


def _page(ledger: Ledger, board: Board, query: dict[str, Any]) -> Page:
    if "around" not in query:
        return ledger.page(board, query["limit"], query.get("cursor", ""))
    try:
        page = ledger.page_around(board, query["limit"], store().games.read(query["around"]))
    except GameNotFound:
        page = None
    if page is None:
        raise invalid({"around": ["takes a game that is on this board"]})
    return page


def _next_link(query: dict[str, Any], cursor: str) -> str:
    arguments = urlencode({name: query[name] for name in query if name not in _PLACES})
    return f'<{request.script_root}/v1/ledger?{arguments}&cursor={cursor}>; rel="next"'


def _entry_body(entry: Entry) -> dict[str, Any]:
    game = entry.game
    return {
        "rank": entry.rank,
        "score": entry.score,
        # A game is won exactly if its score is above 0; replaying it for that would be dear.
        "status": Status.WON if entry.score > 0 else Status.LOST,
        "player": game.player,
        "game_id": game.id,
        "finished_at": timestamp(game.updated_at),
    }
