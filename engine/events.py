"""The events that actions cause, one named tuple for each type.

``type`` is the last field; the other fields are in the order in which they are published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from engine.actions import How
    from engine.cards import Card


class CardsDrawn(NamedTuple):
    """Cards from the top of the dungeon were added to the room, left to right."""

    cards: tuple[Card, ...]
    type: Literal["cards_drawn"] = "cards_drawn"


class RoomAvoided(NamedTuple):
    """The cards of the room, left to right, were moved to the bottom of the dungeon."""

    cards: tuple[Card, ...]
    type: Literal["room_avoided"] = "room_avoided"


class TurnBegan(NamedTuple):
    """A turn after the first began; turns count from 1."""

    turn: int
    type: Literal["turn_began"] = "turn_began"


class WeaponEquipped(NamedTuple):
    """A weapon was equipped; ``discarded`` is the old weapon and the monsters on it."""

    card: Card
    discarded: tuple[Card, ...]
    type: Literal["weapon_equipped"] = "weapon_equipped"


class PotionDrunk(NamedTuple):
    """A potion within the limit of the turn was drunk; ``healed`` is 0 at full health."""

    card: Card
    healed: int
    type: Literal["potion_drunk"] = "potion_drunk"


class PotionWasted(NamedTuple):
    """A potion beyond the limit of the turn was discarded without healing."""

    card: Card
    type: Literal["potion_wasted"] = "potion_wasted"


class MonsterSlain(NamedTuple):
    """A monster was slain at the cost of ``damage``."""

    card: Card
    how: How
    damage: int
    type: Literal["monster_slain"] = "monster_slain"


class Died(NamedTuple):
    """A monster killed the player: the game is lost."""

    card: Card
    how: How
    damage: int
    type: Literal["died"] = "died"


class DungeonCleared(NamedTuple):
    """The dungeon is empty and at most ``leave`` cards remain: the game is won."""

    type: Literal["dungeon_cleared"] = "dungeon_cleared"


Event = (
    CardsDrawn
    | RoomAvoided
    | TurnBegan
    | WeaponEquipped
    | PotionDrunk
    | PotionWasted
    | MonsterSlain
    | Died
    | DungeonCleared
)

EVENTS: tuple[type[Event], ...] = (
    CardsDrawn,
    RoomAvoided,
    TurnBegan,
    WeaponEquipped,
    PotionDrunk,
    PotionWasted,
    MonsterSlain,
    Died,
    DungeonCleared,
)
"""All types of events."""
