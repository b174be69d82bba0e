"""The ledger: finished games by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import current_app, request
from marshmallow import ValidationError, fields, validate, validates_schema

from api.games.as_json import timestamp
from api.http.context import current_store
from api.http.contract import Blueprint, documented_headers
from api.http.fields import Cursor, QueryInteger, Seed, String, between, one_of
from api.http.problem_types import STORE_UNAVAILABLE
from api.http.problems import invalid
from api.http.responses import json_response
from api.http.schemas import RequestSchema, ResponseSchema
from api.store import UNAVAILABLE, Board, GameNotFound
from engine import DEFAULT_RULESET, RULESETS, Status

if TYPE_CHECKING:
    from flask import Response

    from api.store import Entry, Ledger, Page

MAX_LIMIT = 100
DEFAULT_LIMIT = 20

_POSITIONS = {"cursor", "around"}

blp = Blueprint("ledger", __name__, description="The finished games by rank.")


class LedgerQuerySchema(RequestSchema):
    """The board, and the page of it."""

    ruleset = String(
        load_default=DEFAULT_RULESET,
        validate=one_of(RULESETS),
        metadata={"description": "The ruleset of the board."},
    )
    seed = Seed(
        metadata={"description": "A seed that clients named; without it the ruleset's board."},
    )
    limit = QueryInteger(
        load_default=DEFAULT_LIMIT,
        validate=between(1, MAX_LIMIT),
        metadata={"description": "The maximum number of entries."},
    )
    cursor = Cursor(
        metadata={"description": "Where to continue: the `next_cursor` of the previous page."},
    )
    around = String(
        metadata={
            "description": "The id of a game on this board, to be in the middle of the page."
        },
    )

    @validates_schema
    def check_position(self, data: dict[str, Any], **_: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        """Accept one position at most."""
        if "cursor" in data and "around" in data:
            raise ValidationError({"around": ["cannot be combined with cursor"]})


class EntrySchema(ResponseSchema):
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
        metadata={"description": "When it ended. Of equal scores, the earlier ranks higher."},
    )


class LedgerSchema(ResponseSchema):
    """A page of a board."""

    board = fields.String(
        required=True,
        metadata={"description": "The board's name: `original`, or with a seed `original/SEED`."},
    )
    total = fields.Integer(
        required=True, metadata={"description": "The number of games on the board."}
    )
    entries = fields.List(
        fields.Nested(EntrySchema), required=True, metadata={"description": "The games by rank."}
    )
    next_cursor = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The `cursor` of the next page; null on the last."},
    )


@blp.route("/v1/ledger", "listLedger", problems=(STORE_UNAVAILABLE,))
@blp.arguments(LedgerQuerySchema(), location="query")
@blp.response(
    200,
    LedgerSchema,
    description="Entries of the board; none if nobody has finished yet.",
    headers=documented_headers({"Link": 'The next page, as `rel="next"`, unless it is the last.'}),
)
def list_ledger(query: dict[str, Any]) -> Response:
    """List finished games by rank.

    The games of a ruleset, or those of one seed that clients named: from the top, after a cursor,
    or around a game. Pages neither skip nor repeat entries while others come and go.
    """
    ledger = current_store().ledger
    board = Board(query["ruleset"], query.get("seed"))
    page = _page(ledger, board, query)
    if _swept(ledger):
        page = _page(ledger, board, query)
    response = json_response(
        {
            "board": board.name,
            "total": page.total,
            "entries": [_entry_body(entry) for entry in page.entries],
            "next_cursor": page.cursor,
        }
    )
    if page.cursor:
        response.headers["Link"] = _next_link(query, page.cursor)
    return response


def _swept(ledger: Ledger) -> bool:
    """Sweep, and return whether boards may have changed."""
    try:
        return ledger.sweep() > 0
    except UNAVAILABLE as error:
        # The next reader sweeps again; this one has its page.
        current_app.logger.warning("sweep: %s", type(error).__name__)
        return False


def _page(ledger: Ledger, board: Board, query: dict[str, Any]) -> Page:
    if "around" not in query:
        return ledger.page(board, query["limit"], query.get("cursor", ""))
    try:
        page = ledger.page_around(
            board, query["limit"], current_store().games.read(query["around"])
        )
    except GameNotFound:
        page = None
    if page is None:
        raise invalid({"around": ["must be a game on this board"]})
    return page


def _next_link(query: dict[str, Any], cursor: str) -> str:
    arguments = urlencode({name: query[name] for name in query if name not in _POSITIONS})
    return f'<{request.script_root}/v1/ledger?{arguments}&cursor={cursor}>; rel="next"'


def _entry_body(entry: Entry) -> dict[str, Any]:
    game = entry.game
    return {
        "rank": entry.rank,
        "score": entry.score,
        # A game is won exactly if its score is above 0, so it need not be replayed.
        "status": Status.WON if entry.score > 0 else Status.LOST,
        "player": game.player,
        "game_id": game.id,
        "finished_at": timestamp(game.updated_at),
    }
