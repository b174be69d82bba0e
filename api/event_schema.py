"""The schema of events: one flat object for every type of them."""

from __future__ import annotations

from marshmallow import fields, validate

from api.fields import open_word
from api.schemas import AnswerSchema
from engine import EVENTS, How

TYPES = [event._field_defaults["type"] for event in EVENTS]


class EventSchema(AnswerSchema):
    """Something that happened. `type` tells what, and which of the other fields there are.

    `cards_drawn` cards; `room_avoided` cards; `turn_began` turn; `weapon_equipped` card,
    discarded; `potion_drunk` card, healed; `potion_wasted` card; `monster_slain` card, how,
    damage; `died` card, how, damage; `dungeon_cleared` nothing more.
    """

    type = open_word(TYPES, "What happened.")
    cards = fields.List(
        fields.String(),
        metadata={"description": "The cards turned up, or those of the avoided room, in order."},
    )
    turn = fields.Integer(metadata={"description": "The turn that began."})
    card = fields.String(metadata={"description": "The card faced."})
    discarded = fields.List(
        fields.String(),
        metadata={"description": "The old weapon and the monsters that lay on it."},
    )
    healed = fields.Integer(metadata={"description": "By how much a potion raised health."})
    how = fields.String(
        validate=validate.OneOf(list(How)), metadata={"description": "What was fought with."}
    )
    damage = fields.Integer(metadata={"description": "By how much a monster lowered health."})
