"""What an action caused, in order: one small tuple for each event, ``type`` naming its kind.

The other fields are the event's own and in the order in which they are published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from engine.actions import How
    from engine.cards import Card


class CardsDrawn(NamedTuple):
    """Cards turned up from the top of the dungeon, the first of them leftmost."""

    cards: tuple[Card, ...]
    type: Literal["cards_drawn"] = "cards_drawn"


class RoomAvoided(NamedTuple):
    """All cards of the room, left to right, went to the bottom of the dungeon."""

    cards: tuple[Card, ...]
    type: Literal["room_avoided"] = "room_avoided"


class TurnBegan(NamedTuple):
    """Another turn began; turns count from 1, and the first one begins unannounced."""

    turn: int
    type: Literal["turn_began"] = "turn_began"


class WeaponEquipped(NamedTuple):
    """A weapon was taken up; ``discarded`` are the old one and the monsters on it."""

    card: Card
    discarded: tuple[Card, ...]
    type: Literal["weapon_equipped"] = "weapon_equipped"


class PotionDrunk(NamedTuple):
    """A potion within the turn's allowance healed ``healed``, which is 0 at full health."""

    card: Card
    healed: int
    type: Literal["potion_drunk"] = "potion_drunk"


class PotionWasted(NamedTuple):
    """A potion beyond the turn's allowance healed nothing."""

    card: Card
    type: Literal["potion_wasted"] = "potion_wasted"


class MonsterSlain(NamedTuple):
    """A monster was fought and survived, at the price of ``damage``."""

    card: Card
    how: How
    damage: int
    type: Literal["monster_slain"] = "monster_slain"


class Died(NamedTuple):
    """A monster was fought and not survived: the game is lost."""

    card: Card
    how: How
    damage: int
    type: Literal["died"] = "died"


class DungeonCleared(NamedTuple):
    """The dungeon is empty and no more cards remain than may be left: the game is won."""

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
"""Every kind of event."""
