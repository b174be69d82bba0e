"""Games: create one, and look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError, fields, post_load, validate

from api.games.as_json import game_path
from api.games.create import GameRequest, create
from api.http.context import current_request, current_store
from api.http.contract import ETAG, Blueprint, documented_headers
from api.http.fields import Boolean, Nested, Player, Seed, String, one_of, open_word, option_field
from api.http.game_responses import game_response
from api.http.limit_headers import limit_headers
from api.http.problem_types import (
    GAME_NOT_FOUND,
    IDEMPOTENCY_KEY_REUSED,
    LIMIT_HEADERS,
    RATE_LIMITED,
    STORE_UNAVAILABLE,
)
from api.http.requests import JSON, TEXT
from api.http.schemas import RequestSchema, ResponseSchema
from api.store import MODES, Mode
from engine import DEFAULT_RULESET, EVENTS, OPTIONS, RULESETS, How, Phase, Status, rules_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Response

GAME_ID = {
    "in": "path",
    "name": "game_id",
    "required": True,
    "description": "The game's id. Anyone who has it may watch and play the game.",
    "schema": {"type": "string"},
}

IDEMPOTENCY_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "description": "Identifies this request, so that repeating it does not create a second game. "
    "Use a new UUID for each game. Keep it secret: anyone who knows it can get the game.",
    "schema": {"type": "string", "minLength": 16, "maxLength": 255, "pattern": "^[!-~]*$"},
}

REPLAYED = {
    "Idempotent-Replayed": "`true` if this request was carried out before and was not carried out "
    "again."
}

_HERE = {"game_id": "$response.body#/id"}
_FIRST_ACTION = {
    "version": "$response.body#/version",
    "actions": ["$response.body#/actions/0"],
}
LINKS: Mapping[str, Mapping[str, Any]] = {
    operation_id: {"operationId": operation_id, "parameters": _HERE, **link}
    for operation_id, link in (
        ("getGame", {"description": "The current game."}),
        ("listActions", {"description": "The legal actions and their effects."}),
        (
            "applyActions",
            {"description": "Play the first legal action.", "requestBody": _FIRST_ACTION},
        ),
        ("getScore", {"description": "The game's score."}),
        ("getHistory", {"description": "The game's history."}),
    )
}
"""The operations that can follow on a response that holds a game."""

_TABLE = {
    "type": "string",
    "description": "The table, drawn in at most 80 columns, with the legal actions ready to paste.",
}
AS_TEXT = {"content": {TEXT: {"schema": _TABLE}}}
"""Documents that a response is also available as text."""

blp = Blueprint("games", __name__, description="Create a game, and look at it at any time.")

OptionChoicesSchema = RequestSchema.from_dict(
    {name: option_field(option, required=False) for name, option in OPTIONS.items()},
    name="OptionChoicesSchema",
)
OptionChoicesSchema.__doc__ = "Options that replace the ruleset's. Any number of the ten."

OptionsSchema = ResponseSchema.from_dict(
    {name: option_field(option, required=True) for name, option in OPTIONS.items()},
    name="OptionsSchema",
)
OptionsSchema.__doc__ = "All ten options of the rules."


class NewGameSchema(RequestSchema):
    """A new game. Every field has a default, so `{}` is a game by the original rules."""

    ruleset = String(
        load_default=DEFAULT_RULESET,
        validate=one_of(RULESETS),
        metadata={"description": "The ruleset to play by."},
    )
    options = Nested(
        OptionChoicesSchema,
        load_default=dict,
        metadata={
            "description": "Options that differ from the ruleset's. A game with such options is "
            "custom and is not ranked."
        },
    )
    mode = String(
        validate=one_of(Mode),
        metadata={
            "description": " ".join(
                f"`{mode}`: {policy.meaning}." for mode, policy in MODES.items()
            )
            + " If omitted, `seeded` if there is a `seed`, else `standard`."
        },
    )
    seed = Seed(
        metadata={"description": "The seed of the deck. It implies mode `seeded`."},
    )
    player = Player(
        metadata={
            "description": "The name to show on the ledger. Normalised to NFC; without control, "
            "bidirectional or zero-width characters."
        },
    )
    locked = Boolean(
        load_default=False,
        metadata={
            "description": "Whether playing the game requires a token, which only this response "
            "contains. Otherwise anyone who has the id may play."
        },
    )

    @post_load
    def choose_mode(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:  # noqa: ANN401  # marshmallow's signature
        """Choose the mode by the seed, unless it is given."""
        named = "seed" in data
        mode = Mode(data.get("mode", Mode.SEEDED if named else Mode.STANDARD))
        drawn = MODES[mode].draw_seed is not None
        if named and drawn:
            raise ValidationError({"mode": [f"must be {Mode.SEEDED} if a seed is given"]})
        if not named and not drawn:
            raise ValidationError({"seed": [f"is required by mode {mode}"]})
        return {**data, "mode": mode}


class WeaponSchema(ResponseSchema):
    """The equipped weapon."""

    card = fields.String(required=True, metadata={"description": "The weapon's card."})
    value = fields.Integer(required=True, metadata={"description": "Its value, 2 to 10."})
    monsters = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The monsters stacked on it, the last one fought last."},
    )


class GameLinksSchema(ResponseSchema):
    """Paths of the game and its parts."""

    self = fields.String(required=True, metadata={"description": "The game."})
    actions = fields.String(required=True, metadata={"description": "Its legal actions."})
    score = fields.String(required=True, metadata={"description": "Its score."})
    history = fields.String(required=True, metadata={"description": "Its history."})
    ruleset = fields.String(required=True, metadata={"description": "Its ruleset."})


class StateSchema(ResponseSchema):
    """A state of a game: everything that its player may know."""

    version = fields.Integer(
        required=True,
        metadata={"description": "How many actions have been applied. Send it with the next one."},
    )
    turn = fields.Integer(required=True, metadata={"description": "The turn, counted from 1."})
    status = fields.String(
        required=True,
        validate=validate.OneOf(list(Status)),
        metadata={"description": "Whether the game is being played, won or lost."},
    )
    phase = fields.String(
        required=True,
        validate=validate.OneOf(list(Phase)),
        metadata={
            "description": "What the player does next: draw a card, choose an action, or nothing."
        },
    )
    health = fields.Integer(
        required=True, metadata={"description": "Health; 0 or below once the game is lost."}
    )
    max_health = fields.Integer(
        required=True, metadata={"description": "The maximum that potions can restore."}
    )
    weapon = fields.Nested(
        WeaponSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The equipped weapon, null if there is none."},
    )
    room = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "The cards of the room, left to right. A card's code says everything "
            "about it: rank (2-9, T, J, Q, K, A = 14), then suit (C and S monsters, D weapons, "
            "H potions)."
        },
    )
    faced = fields.Integer(
        required=True, metadata={"description": "How many cards have been faced this turn."}
    )
    potions = fields.Integer(
        required=True,
        metadata={"description": "How many of them were potions, including wasted ones."},
    )
    can_avoid = fields.Boolean(
        required=True, metadata={"description": "Whether the room may be avoided now."}
    )
    dungeon_size = fields.Integer(
        required=True, metadata={"description": "How many cards are in the dungeon, face down."}
    )
    discard = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The used cards, in order."},
    )
    unseen = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "The dungeon's cards that have never been turned up, in pack order. "
            "Players can infer which cards these are, but not their order."
        },
    )
    bottom = fields.List(
        fields.List(fields.String()),
        required=True,
        metadata={
            "description": "The avoided rooms still at the bottom of the dungeon, the topmost "
            "first. A room's cards are in order if the rules keep it, else in pack order."
        },
    )
    actions = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "The legal actions, ready to be sent. Empty when the game is over."
        },
    )
    score = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The score; null until the game is over."},
    )
    ruleset = fields.String(required=True, metadata={"description": "The ruleset's name."})
    options = fields.Nested(
        OptionsSchema, required=True, metadata={"description": "The game's options."}
    )
    custom = fields.Boolean(
        required=True,
        metadata={"description": "Whether an option differs from the ruleset's."},
    )


class GameSchema(StateSchema):
    """A game: everything that its player may know."""

    id = fields.String(required=True, metadata={"description": "The game's id, 22 characters."})
    mode = open_word(Mode, "The source of the seed.")
    player = fields.String(
        required=True, allow_none=True, metadata={"description": "The player's name, if any."}
    )
    locked = fields.Boolean(
        required=True, metadata={"description": "Whether playing it requires its token."}
    )
    commitment = fields.String(
        required=True,
        metadata={
            "description": "Hex SHA-256 of `scoundrel`, a zero byte and the seed. It is shown from "
            "the start, so that anyone can verify afterwards that the deck was fixed."
        },
    )
    seed = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The seed of the deck, null until the game is over."},
    )
    created_at = fields.DateTime(required=True, metadata={"description": "When it was created."})
    updated_at = fields.DateTime(
        required=True, metadata={"description": "When the last action was applied."}
    )
    expires_at = fields.DateTime(
        required=True,
        allow_none=True,
        metadata={"description": "When it expires unless it is played; null for never."},
    )
    links = fields.Nested(
        GameLinksSchema,
        required=True,
        metadata={"description": "Paths of the game and its parts."},
    )


class EventSchema(ResponseSchema):
    """An event. Its `type` says which of the other fields it has.

    `cards_drawn` cards; `room_avoided` cards; `turn_began` turn; `weapon_equipped` card,
    discarded; `potion_drunk` card, healed; `potion_wasted` card; `monster_slain` card, how,
    damage; `died` card, how, damage; `dungeon_cleared` none.
    """

    type = open_word([event._field_defaults["type"] for event in EVENTS], "The type of event.")
    cards = fields.List(
        fields.String(),
        metadata={"description": "The cards turned up, or those of the avoided room, in order."},
    )
    turn = fields.Integer(metadata={"description": "The turn that began."})
    card = fields.String(metadata={"description": "The card faced."})
    discarded = fields.List(
        fields.String(),
        metadata={"description": "The old weapon and the monsters on it."},
    )
    healed = fields.Integer(metadata={"description": "The health that was gained."})
    how = fields.String(
        validate=validate.OneOf(list(How)), metadata={"description": "How the monster was fought."}
    )
    damage = fields.Integer(metadata={"description": "The health that was lost."})


class GameWithEventsSchema(GameSchema):
    """A game, and the events that the request caused."""

    events = fields.List(
        fields.Nested(EventSchema),
        required=True,
        metadata={"description": "The events, in order."},
    )


class CreatedGameSchema(GameWithEventsSchema):
    """A new game."""

    token = fields.String(
        metadata={"description": "The token of a locked game; no other response contains it."}
    )


@blp.route(
    "/v1/games",
    "createGame",
    methods=["POST"],
    offers=(JSON, TEXT),
    problems=(IDEMPOTENCY_KEY_REUSED, RATE_LIMITED, STORE_UNAVAILABLE),
    doc={"parameters": [IDEMPOTENCY_KEY], "responses": {201: {**AS_TEXT, "links": LINKS}}},
)
@blp.arguments(NewGameSchema())
@blp.response(
    201,
    CreatedGameSchema,
    description="The game is dealt. `events` is the deal: the cards turned up.",
    headers=documented_headers(
        {"Location": "The path of the game.", **REPLAYED, **LIMIT_HEADERS, **ETAG}
    ),
)
def create_game(body: dict[str, Any]) -> Response:
    """Create a game.

    Shuffles a deck, deals the first room and returns the game. Its `id` is all that is needed to
    continue it, on any device. With an `Idempotency-Key` a repeated request does not create a
    second game: it returns the first one as it was dealt, and does not count for the limit. A
    server may limit how many games an address creates; the `RateLimit` headers describe the limit.
    """
    request = current_request()
    game_request = GameRequest(
        rules=rules_for(body["ruleset"], body["options"]),
        mode=body["mode"],
        seed=body.get("seed"),
        player=body.get("player"),
        locked=body["locked"],
    )
    address = request.remote_addr or ""
    game, token, allowance, replayed = create(
        current_store(), game_request, address, request.idempotency_key
    )
    location = {"Location": game_path(game.id, request.script_root)}
    return game_response(
        game,
        *game.deal,
        token=token,
        replayed=replayed,
        status=201,
        headers={**location, **limit_headers(allowance)},
    )


@blp.route(
    "/v1/games/<game_id>",
    "getGame",
    parameters=[GAME_ID],
    offers=(JSON, TEXT),
    problems=(GAME_NOT_FOUND, STORE_UNAVAILABLE),
    doc={"responses": {200: {**AS_TEXT, "links": LINKS}}},
    tagged=True,
)
@blp.response(200, GameSchema, description="The current game.")
def get_game(game_id: str) -> Response:
    """Look at a game.

    Everything that its player may know, and nothing about cards that have not been turned up. To
    follow a game, repeat the request with `If-None-Match`.
    """
    game = current_store().games.read(game_id)
    return game_response(game, game.state)
