"""The state of a game."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from engine.actions import AVOID, DRAW
from engine.cards import PACK, pack_order
from engine.rules import AvoidOrder

if TYPE_CHECKING:
    from engine.actions import Action
    from engine.cards import Card
    from engine.rules import Options

ROOM_SIZE = 4


class Status(StrEnum):
    """Whether the game is still being played, and if not, how it ended."""

    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


class Phase(StrEnum):
    """The kind of action that comes next: drawing a card, choosing an action, or none."""

    DRAW = "draw"
    CHOOSE = "choose"
    OVER = "over"


class Weapon(NamedTuple):
    """The equipped weapon and the monsters stacked on it, the most recent one last."""

    card: Card
    monsters: tuple[Card, ...] = ()


class State(NamedTuple):
    """A game after ``version`` actions; an immutable value.

    ``deck`` is the deal followed by every avoided room. Its first ``drawn`` cards have been turned
    up, the rest is the dungeon. ``faced`` and ``potions`` count the cards faced and the potions
    drunk this turn. ``avoided`` is true if the previous room was avoided. ``bonus`` is added to
    the score if the last card faced wins the game. ``status`` and ``legal``, the legal actions,
    follow from the other fields.
    """

    options: Options
    seed: str
    deck: tuple[Card, ...]
    health: int
    drawn: int = 0
    version: int = 0
    turn: int = 1
    weapon: Weapon | None = None
    room: tuple[Card, ...] = ()
    faced: int = 0
    potions: int = 0
    discard: tuple[Card, ...] = ()
    avoided: bool = False
    bonus: int = 0
    status: Status = Status.PLAYING
    legal: tuple[Action, ...] = ()

    @property
    def phase(self) -> Phase:
        """The kind of action that comes next."""
        if not self.legal:
            return Phase.OVER
        return Phase.DRAW if self.legal[0] is DRAW else Phase.CHOOSE

    @property
    def can_avoid(self) -> bool:
        """Whether the room may be avoided."""
        return AVOID in self.legal

    @property
    def rooms_avoided(self) -> int:
        """The number of rooms avoided so far."""
        return (len(self.deck) - len(PACK)) // ROOM_SIZE

    @property
    def dungeon(self) -> tuple[Card, ...]:
        """The face-down cards, top first. Their order is secret while the game is played."""
        return self.deck[self.drawn :]

    @property
    def dungeon_size(self) -> int:
        """The number of cards in the dungeon."""
        return len(self.deck) - self.drawn

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards in the dungeon that have never been turned up, in pack order."""
        return pack_order(self.deck[self.drawn : len(PACK)])

    @property
    def bottom(self) -> tuple[tuple[Card, ...], ...]:
        """The avoided rooms still in the dungeon, topmost first.

        The cards of a room are in dungeon order if the player knows it, otherwise in pack order.
        """
        rooms = tuple(
            self.deck[max(start, self.drawn) : start + ROOM_SIZE]
            for start in range(len(PACK), len(self.deck), ROOM_SIZE)
            if start + ROOM_SIZE > self.drawn
        )
        if self.options.avoid_order is AvoidOrder.SHUFFLED:
            return tuple(pack_order(room) for room in rooms)
        return rooms
