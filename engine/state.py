"""The state of a game, and everything that follows from it: status, phase, legal actions."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from engine.actions import ARMED, AVOID, DRAW, UNARMED
from engine.cards import PACK, pack_order
from engine.rules import Avoiding, AvoidOrder, Degradation

if TYPE_CHECKING:
    from engine.actions import Action
    from engine.cards import Card
    from engine.rules import Options

ROOM_SIZE = 4
MAX_AVOIDED = 40
"""The number of rooms that may be avoided in one game, so that every game ends."""

_HIGHEST = max(card.value for card in PACK)


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
    the score if the last card faced wins the game.
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

    @property
    def lost(self) -> bool:
        """Whether the player is dead."""
        return self.health <= 0

    @property
    def won(self) -> bool:
        """Whether the player is alive, the dungeon empty and at most ``leave`` cards remain."""
        cleared = self.drawn == len(self.deck) and len(self.room) <= self.options.leave
        return cleared and self.health > 0

    @property
    def must_draw(self) -> bool:
        """Whether the room has to be filled before anything else."""
        incomplete = len(self.room) < ROOM_SIZE and self.drawn < len(self.deck)
        return incomplete and self.faced == 0

    @property
    def status(self) -> Status:
        """Whether the game is being played, won or lost."""
        if self.lost:
            return Status.LOST
        return Status.WON if self.won else Status.PLAYING

    @property
    def phase(self) -> Phase:
        """The kind of action that comes next."""
        if self.lost or self.won:
            return Phase.OVER
        return Phase.DRAW if self.must_draw else Phase.CHOOSE

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions: in room order, barehanded before weapon, ``avoid`` last."""
        if self.lost or self.won:
            return ()
        if self.must_draw:
            return (DRAW,)
        reach = self.reach
        legal: list[Action] = []
        for card in self.room:
            legal += (ARMED if card.value <= reach else UNARMED)[card.index]
        if self.can_avoid:
            legal.append(AVOID)
        return tuple(legal)

    @property
    def can_avoid(self) -> bool:
        """Whether the room may be avoided; only an untouched room has four cards."""
        if len(self.room) < ROOM_SIZE or self.rooms_avoided >= MAX_AVOIDED:
            return False
        avoiding = self.options.avoiding
        return avoiding is Avoiding.ALWAYS or (avoiding is Avoiding.NOT_TWICE and not self.avoided)

    @property
    def reach(self) -> int:
        """The highest value of a monster that the weapon works on; 0 without a weapon."""
        if self.weapon is None:
            return 0
        if not self.weapon.monsters:
            return _HIGHEST
        last = self.weapon.monsters[-1].value
        return last - 1 if self.options.degradation is Degradation.LOWER else last

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
