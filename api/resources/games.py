"""Games: create one, and look at it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError, fields, validate

from api.access import new_game_id, token_of
from api.answers import game_response
from api.contract import Answer, Blueprint
from api.current import store
from api.event_schema import EventSchema
from api.fields import Boolean, Nested, Player, Seed, String, one_of, open_word, option_field
from api.limit import limit_creation
from api.problems import (
    GAME_NOT_FOUND,
    IDEMPOTENCY_KEY_REUSED,
    LIMIT_HEADERS,
    RATE_LIMITED,
    STORE_UNAVAILABLE,
    Problem,
)
from api.representation import game_path
from api.requests import read_idempotency_key
from api.schemas import AnswerSchema, RequestSchema
from api.store import Game, Mode, NewGame
from engine import DEFAULT_RULESET, OPTIONS, RULESETS, Phase, Status, rules_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Response

SEED_BYTES = 24

GAME_ID = {
    "in": "path",
    "name": "game_id",
    "required": True,
    "description": "The game's id. Whoever has it may watch and play the game.",
    "schema": {"type": "string"},
}

IDEMPOTENCY_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "description": "Names this request, so that repeating it creates no second game: take a new "
    "UUID for each game. Whoever knows the key gets the game, so it is a secret.",
    "schema": {"type": "string", "minLength": 16, "maxLength": 255, "pattern": "^[!-~]*$"},
}

REPLAYED = {
    "Idempotent-Replayed": "`true` if this very request was carried out before: nothing was done "
    "again."
}

_HERE = {"game_id": "$response.body#/id"}
GOING_ON: Mapping[str, Mapping[str, Any]] = {
    "getGame": {"description": "The game as it is now.", "parameters": _HERE},
    "listActions": {"description": "What each legal action does.", "parameters": _HERE},
    "applyActions": {
        "description": "Play the first legal action.",
        "parameters": _HERE,
        "requestBody": {
            "version": "$response.body#/version",
            "actions": ["$response.body#/actions/0"],
        },
    },
    "getScore": {"description": "The game's score.", "parameters": _HERE},
    "getHistory": {"description": "How the game came about.", "parameters": _HERE},
}
"""What can be done with a game that is answered."""

TABLE = "The table, drawn in at most 80 columns, with the legal actions ready to paste."

blp = Blueprint("games", __name__, description="Create a game, and look at it at any time.")

OptionChoicesSchema = RequestSchema.from_dict(
    {name: option_field(option, required=False) for name, option in OPTIONS.items()},
    name="OptionChoicesSchema",
)
OptionChoicesSchema.__doc__ = "Options to play by instead of the ruleset's. Any number of the ten."

OptionsSchema = AnswerSchema.from_dict(
    {name: option_field(option, required=True) for name, option in OPTIONS.items()},
    name="OptionsSchema",
)
OptionsSchema.__doc__ = "All ten options of the rules."


class NewGameSchema(RequestSchema):
    """What to play. Every field has a default, so `{}` is a game by the original rules."""

    ruleset = String(
        load_default=DEFAULT_RULESET,
        validate=one_of(RULESETS),
        metadata={"description": "The published version of the rules to play by."},
    )
    options = Nested(
        OptionChoicesSchema,
        load_default=dict,
        metadata={
            "description": "Options that differ from the ruleset's. A game that does differ is "
            "custom and enters no ledger."
        },
    )
    mode = String(
        validate=one_of(Mode),
        metadata={
            "description": "`standard`: the server draws the seed, and the game is ranked on its "
            "ruleset's board. `seeded`: the client names the seed, and the game is ranked among "
            "those of that ruleset and seed. Left out, `seed` decides."
        },
    )
    seed = Seed(
        metadata={"description": "The seed of the deck. Naming one means mode `seeded`."},
    )
    player = Player(
        metadata={
            "description": "The name to show on the ledger. Normalised to NFC; no control, "
            "bidirectional or zero-width characters."
        },
    )
    locked = Boolean(
        load_default=False,
        metadata={
            "description": "Whether playing the game takes a token, which this answer alone "
            "carries. Otherwise whoever has the id may play."
        },
    )

    def settle(self, loaded: dict[str, Any]) -> dict[str, Any]:
        """Settle the mode."""
        named = "seed" in loaded
        mode = Mode(loaded.get("mode", Mode.SEEDED if named else Mode.STANDARD))
        if named and mode != Mode.SEEDED:
            raise ValidationError({"mode": [f"takes {Mode.SEEDED} where a seed is named"]})
        if mode == Mode.SEEDED and not named:
            raise ValidationError({"seed": [f"is wanted by mode {Mode.SEEDED}"]})
        return {**loaded, "mode": mode}


class WeaponSchema(AnswerSchema):
    """The equipped weapon."""

    card = fields.String(required=True, metadata={"description": "The weapon's card."})
    value = fields.Integer(required=True, metadata={"description": "Its strength, 2 to 10."})
    monsters = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The monsters stacked on it, the last one fought last."},
    )


class GameLinksSchema(AnswerSchema):
    """Paths of what belongs to the game, relative to the server."""

    self = fields.String(required=True, metadata={"description": "The game."})
    actions = fields.String(required=True, metadata={"description": "Its legal actions."})
    score = fields.String(required=True, metadata={"description": "Its score."})
    history = fields.String(required=True, metadata={"description": "How it came about."})
    ruleset = fields.String(required=True, metadata={"description": "The rules it is played by."})


class StateSchema(AnswerSchema):
    """A state of a game: everything that its player may know."""

    version = fields.Integer(
        required=True,
        metadata={"description": "How many actions have been applied. Send it with the next one."},
    )
    turn = fields.Integer(required=True, metadata={"description": "The turn, counted from 1."})
    status = fields.String(
        required=True,
        validate=validate.OneOf(list(Status)),
        metadata={"description": "Whether the game goes on, and if not, how it ended."},
    )
    phase = fields.String(
        required=True,
        validate=validate.OneOf(list(Phase)),
        metadata={
            "description": "What is expected: a card to be drawn, a choice, or nothing any more."
        },
    )
    health = fields.Integer(
        required=True, metadata={"description": "Health; 0 or below once the game is lost."}
    )
    max_health = fields.Integer(
        required=True, metadata={"description": "The health that no potion exceeds."}
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
            "description": "The cards of the room, left to right. A code says all there is to know "
            "of a card: rank (2-9, T, J, Q, K, A = 14), then suit (C and S monsters, D weapons, "
            "H potions)."
        },
    )
    faced = fields.Integer(
        required=True, metadata={"description": "How many cards have been faced this turn."}
    )
    potions = fields.Integer(
        required=True,
        metadata={"description": "How many of them were potions, wasted ones included."},
    )
    can_avoid = fields.Boolean(
        required=True, metadata={"description": "Whether the room may be avoided now."}
    )
    dungeon_size = fields.Integer(
        required=True, metadata={"description": "How many cards lie in the dungeon, face down."}
    )
    discard = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The cards used up, in the order in which they were."},
    )
    unseen = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "The dungeon's cards that have never been turned up, in pack order: "
            "which they are is known, where they lie is not."
        },
    )
    bottom = fields.List(
        fields.List(fields.String()),
        required=True,
        metadata={
            "description": "The avoided rooms still at the bottom of the dungeon, the uppermost "
            "first. A room's cards are in their order if the rules keep it, else in pack order."
        },
    )
    actions = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The legal actions, ready to be sent. Empty when it is over."},
    )
    score = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The score, null until it is over."},
    )
    ruleset = fields.String(required=True, metadata={"description": "The ruleset's name."})
    options = fields.Nested(
        OptionsSchema, required=True, metadata={"description": "The options it is played by."}
    )
    custom = fields.Boolean(
        required=True,
        metadata={"description": "Whether an option differs from the ruleset's."},
    )


class GameSchema(StateSchema):
    """A game as it is now: everything that its player may know."""

    id = fields.String(required=True, metadata={"description": "The game's id, 22 characters."})
    mode = open_word(Mode, "Where the seed comes from.")
    player = fields.String(
        required=True, allow_none=True, metadata={"description": "The player's name, if any."}
    )
    locked = fields.Boolean(
        required=True, metadata={"description": "Whether playing it takes its token."}
    )
    commitment = fields.String(
        required=True,
        metadata={
            "description": "Hex SHA-256 of `scoundrel`, a zero byte and the seed: shown from the "
            "start, so that anyone can check afterwards that the deck was fixed."
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
        metadata={"description": "When it will be forgotten unless it is played; null for never."},
    )
    links = fields.Nested(
        GameLinksSchema,
        required=True,
        metadata={"description": "Where what belongs to the game is to be found."},
    )


class GameWithEventsSchema(GameSchema):
    """A game, and what the request has caused in it."""

    events = fields.List(
        fields.Nested(EventSchema),
        required=True,
        metadata={"description": "What happened, in order."},
    )


class CreatedGameSchema(GameWithEventsSchema):
    """A game just created."""

    token = fields.String(
        metadata={"description": "Only of a locked game, and only here: what playing it takes."}
    )


@blp.operation(
    "POST",
    "/v1/games",
    "createGame",
    body=NewGameSchema,
    answer=Answer(
        CreatedGameSchema,
        "The game is dealt. `events` is the deal: the cards turned up.",
        status=201,
        headers={"Location": "The path of the game.", **REPLAYED, **LIMIT_HEADERS},
        text=TABLE,
        tagged=True,
        links=GOING_ON,
    ),
    problems=(IDEMPOTENCY_KEY_REUSED, RATE_LIMITED, STORE_UNAVAILABLE),
    parameters=(IDEMPOTENCY_KEY,),
)
def create_game(body: dict[str, Any]) -> Response:
    """Create a game.

    Shuffles a deck, deals the first room and answers with the game. Keep its `id`: it is all that
    is needed to go on, on any device. With an `Idempotency-Key` a repeated request does not create
    a second game; it is answered with the first one as it was dealt, and counts for no limit. A
    server may limit how many games an address creates, and says so in the `RateLimit` headers.
    """
    key = read_idempotency_key()
    new = NewGame(
        id=new_game_id(key),
        rules=rules_for(body["ruleset"], body["options"]),
        seed=body.get("seed") or secrets.token_urlsafe(SEED_BYTES),
        mode=body["mode"],
        player=body.get("player"),
        locked=body["locked"],
    )
    # Before the game is there: without its token nobody could ever play it.
    token = token_of(new) if new.locked else None
    allowance = limit_creation(new.id, repeatable=key is not None)
    game, created = store().games.create(new)
    if not created and _meaning(game) != _meaning(new):
        raise Problem(IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_REUSED.meaning)
    return game_response(
        game,
        *game.deal,
        token=token,
        replayed=not created,
        status=201,
        headers={"Location": game_path(game.id), **allowance},
    )


@blp.operation(
    "GET",
    "/v1/games/<game_id>",
    "getGame",
    answer=Answer(
        GameSchema,
        "The game as it is now.",
        text=TABLE,
        tagged=True,
        links=GOING_ON,
    ),
    problems=(GAME_NOT_FOUND, STORE_UNAVAILABLE),
    parameters=(GAME_ID,),
)
def get_game(game_id: str) -> Response:
    """Look at a game.

    Answers everything that its player may know, and nothing of the cards not yet turned up. To
    follow a game, ask again with `If-None-Match`.
    """
    game = store().games.read(game_id)
    return game_response(game, game.state)


def _meaning(game: Game | NewGame) -> tuple[object, ...]:
    """Return what was asked for; a seed that the server drew was not."""
    seed = game.seed if game.mode is Mode.SEEDED else None
    return game.rules, game.mode, seed, game.player, game.locked
