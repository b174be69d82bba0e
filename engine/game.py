"""The game: a state, what is legal in it, and what an action makes of it.

A state is a value; nothing changes it. ``legal_actions`` is the one source of legality: ``apply``
accepts what it lists and raises on all else.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from engine.actions import ARMED, AVOID, DRAW, UNARMED, Action, How
from engine.cards import PACK, Card, Kind, pack_order
from engine.deal import deal, shuffle
from engine.errors import GameOver, IllegalAction
from engine.events import (
    CardsDrawn,
    Died,
    DungeonCleared,
    Event,
    MonsterSlain,
    PotionDrunk,
    PotionWasted,
    RoomAvoided,
    TurnBegan,
    WeaponEquipped,
)
from engine.rules import Avoiding, AvoidOrder, Bonus, Degradation, Draw, Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ROOM_SIZE = 4
MAX_AVOIDED = 40

ORIGINAL = Options()
_HIGHEST = max(card.value for card in PACK)
_ONLY_DRAW = (DRAW,)


class Status(StrEnum):
    """Whether the game goes on, and if not, how it ended."""

    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


class Phase(StrEnum):
    """What is expected: a card to be drawn, a choice, or nothing any more."""

    DRAW = "draw"
    CHOOSE = "choose"
    OVER = "over"


# An enumeration's members are looked up slowly, and these for every action of every game.
_PLAYING, _WON, _LOST = Status
_POTION, _WITH_WEAPON = Kind.POTION, How.WEAPON
_MANUAL, _LOWER = Draw.MANUAL, Degradation.LOWER
_NEVER, _NOT_TWICE = Avoiding.NEVER, Avoiding.NOT_TWICE
_FULL_BEFORE, _NO_BONUS = Bonus.FULL_BEFORE, Bonus.NONE


class Weapon(NamedTuple):
    """The equipped weapon and the monsters stacked on it, the last one fought last."""

    card: Card
    monsters: tuple[Card, ...] = ()


class State(NamedTuple):
    """A game after ``version`` actions.

    ``deck`` is the deal followed by every avoided room, and ``drawn`` how many of its cards have
    been drawn; the dungeon is what follows. ``faced`` and ``potions`` count this turn's cards and
    potions, ``avoided`` tells whether the room before this one was avoided, and ``bonus`` is what
    the last card faced adds to the score if the game is won with it. ``status`` and ``legal``
    follow from the rest.
    """

    options: Options
    seed: str
    deck: tuple[Card, ...]
    drawn: int
    version: int
    turn: int
    health: int
    weapon: Weapon | None
    room: tuple[Card, ...]
    faced: int
    potions: int
    discard: tuple[Card, ...]
    avoided: bool
    bonus: int
    status: Status
    legal: tuple[Action, ...]

    @property
    def phase(self) -> Phase:
        """What is expected of the player."""
        if not self.legal:
            return Phase.OVER
        return Phase.DRAW if self.legal[0] is DRAW else Phase.CHOOSE

    @property
    def can_avoid(self) -> bool:
        """Whether the room may be avoided now."""
        return AVOID in self.legal

    @property
    def dungeon(self) -> tuple[Card, ...]:
        """The face-down cards, the top first. Their order is the secret of a running game."""
        return self.deck[self.drawn :]

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The dungeon's cards that have never been turned up, in pack order."""
        return pack_order(self.deck[self.drawn : len(PACK)])

    @property
    def bottom(self) -> tuple[tuple[Card, ...], ...]:
        """The avoided rooms still in the dungeon, the uppermost first.

        A room's cards are in their order where the player knows it, else in pack order.
        """
        rooms = tuple(
            self.deck[max(start, self.drawn) : start + ROOM_SIZE]
            for start in range(len(PACK), len(self.deck), ROOM_SIZE)
            if start + ROOM_SIZE > self.drawn
        )
        if self.options.avoid_order is AvoidOrder.SHUFFLED:
            return tuple(pack_order(room) for room in rooms)
        return rooms


class Step(NamedTuple):
    """A state and the events that led to it from the one before."""

    state: State
    events: tuple[Event, ...]


_new = tuple.__new__
"""Makes a named tuple of its fields in half the time that calling its class takes."""


class Effect(NamedTuple):
    """What an action does to the player, from facts on the table."""

    damage: int
    healed: int
    health_after: int

    @property
    def deadly(self) -> bool:
        """Whether the player dies of it."""
        return self.health_after <= 0


def begin(seed: str, options: Options = ORIGINAL) -> Step:
    """Deal ``seed``, which is one as :func:`engine.check_seed` takes it, and begin turn 1."""
    deck = deal(seed)
    room = _turned_up(options, deck, 0, ())
    return _step(
        (CardsDrawn(room),) if room else (),
        options,
        seed,
        deck,
        drawn=len(room),
        version=0,
        turn=1,
        health=options.health,
        weapon=None,
        room=room,
        faced=0,
        potions=0,
        discard=(),
        avoided=False,
        bonus=0,
    )


def legal_actions(state: State) -> tuple[Action, ...]:
    """Return what may be done now: in room order, barehanded before weapon, ``avoid`` last.

    Empty if and only if the game is over.
    """
    return state.legal


def apply(state: State, action: Action) -> Step:
    """Return the state that ``action`` leads to, with the events it causes.

    Raises IllegalAction if it is not legal now, and GameOver if nothing is any more.
    """
    legal = state.legal
    if action not in legal:
        raise (IllegalAction if legal else GameOver)(action, legal)
    if action.card is not None:
        return _face(state, action.card, action.how)
    return _draw(state) if action is DRAW else _avoid(state)


def effect(state: State, action: Action) -> Effect:
    """Return what ``action``, legal in ``state``, does to the player's health."""
    card = action.card
    damage = healed = 0
    if card is not None and card.kind is Kind.MONSTER:
        damage = _damage(state, card, action.how)
    elif card is not None and card.kind is Kind.POTION:
        healed = _healing(state, card)
    return Effect(damage, healed, state.health - damage + healed)


def steps(seed: str, actions: Iterable[Action], options: Options = ORIGINAL) -> Iterator[Step]:
    """Replay a game: yield its deal, then the step of each action. Raises as :func:`apply`."""
    step = begin(seed, options)
    yield step
    for action in actions:
        step = apply(step.state, action)
        yield step


def replay(seed: str, actions: Iterable[Action], options: Options = ORIGINAL) -> State:
    """Return the state that ``actions`` lead to from the deal. Raises as :func:`apply`."""
    state = begin(seed, options).state
    for action in actions:
        state = apply(state, action).state
    return state


def _step(  # noqa: PLR0913, PLR0917  # one argument for each fact that a state is made of
    events: tuple[Event, ...],
    options: Options,
    seed: str,
    deck: tuple[Card, ...],
    drawn: int,
    version: int,
    turn: int,
    health: int,
    weapon: Weapon | None,
    room: tuple[Card, ...],
    faced: int,
    potions: int,
    discard: tuple[Card, ...],
    avoided: bool,
    bonus: int,
) -> Step:
    """Return the step to the state of these facts and what follows; no other code makes one."""
    status = _PLAYING
    legal: tuple[Action, ...] = ()
    dungeon_size = len(deck) - drawn
    if health <= 0:
        status = _LOST
    elif not dungeon_size and len(room) <= options.leave:
        status = _WON
        events += (DungeonCleared(),)
    elif not faced and dungeon_size and len(room) < ROOM_SIZE:
        legal = _ONLY_DRAW
    else:
        reach = _reach(weapon, options)
        choices: list[Action] = []
        for card in room:
            choices += (ARMED if card.value <= reach else UNARMED)[card.index]
        if len(room) == ROOM_SIZE and _may_avoid(options, deck, avoided):
            choices.append(AVOID)
        legal = tuple(choices)
    state = _new(
        State,
        (
            options,
            seed,
            deck,
            drawn,
            version,
            turn,
            health,
            weapon,
            room,
            faced,
            potions,
            discard,
            avoided,
            bonus,
            status,
            legal,
        ),
    )
    return _new(Step, (state, events))


def _reach(weapon: Weapon | None, options: Options) -> int:
    """Return the highest value of a monster that the weapon works on; 0 without one."""
    if weapon is None:
        return 0
    if not weapon.monsters:
        return _HIGHEST
    return weapon.monsters[-1].value - (options.degradation is _LOWER)


def _may_avoid(options: Options, deck: tuple[Card, ...], avoided: bool) -> bool:
    if options.avoiding is _NEVER or (avoided and options.avoiding is _NOT_TWICE):
        return False
    return len(deck) < len(PACK) + ROOM_SIZE * MAX_AVOIDED


def _turned_up(
    options: Options, deck: tuple[Card, ...], drawn: int, carried: tuple[Card, ...]
) -> tuple[Card, ...]:
    """Return the cards that turn up by themselves when a turn begins."""
    if options.draw is _MANUAL:
        return ()
    return deck[drawn : drawn + ROOM_SIZE - len(carried)]


def _damage(state: State, monster: Card, how: How | None) -> int:
    if how is _WITH_WEAPON and state.weapon is not None:
        return max(0, monster.value - state.weapon.card.value)
    return monster.value


def _healing(state: State, potion: Card) -> int:
    if state.potions >= state.options.potions_per_turn:
        return 0
    return min(potion.value, state.options.health - state.health)


def _draw(state: State) -> Step:
    card = state.deck[state.drawn]
    return _step(
        (CardsDrawn((card,)),),
        state.options,
        state.seed,
        state.deck,
        state.drawn + 1,
        state.version + 1,
        state.turn,
        state.health,
        state.weapon,
        (*state.room, card),
        state.faced,
        state.potions,
        state.discard,
        state.avoided,
        state.bonus,
    )


def _avoid(state: State) -> Step:
    options, deck, drawn = state.options, state.deck, state.drawn
    under = state.room
    if options.avoid_order is AvoidOrder.SHUFFLED:
        k = (len(deck) - len(PACK)) // ROOM_SIZE + 1
        under = shuffle(under, state.seed, f"avoid/{k}")
    deck += under
    turn = state.turn + 1
    cards = _turned_up(options, deck, drawn, ())
    return _step(
        (RoomAvoided(state.room), *_turn_events(turn, cards)),
        options,
        state.seed,
        deck,
        drawn + len(cards),
        state.version + 1,
        turn,
        state.health,
        state.weapon,
        cards,
        0,
        0,
        state.discard,
        avoided=True,
        bonus=state.bonus,
    )


def _face(state: State, card: Card, how: How | None) -> Step:
    options, seed, deck, drawn, version, turn, _, _, room, faced, potions, discard, avoided = state[
        :13
    ]
    event, health, weapon, discarded, bonus = _FACE[card.kind](state, card, how)
    place = room.index(card)
    room = room[:place] + room[place + 1 :]
    faced += 1
    potions += card.kind is _POTION
    events: tuple[Event, ...] = (event,)
    if health > 0 and len(room) == 1 and drawn < len(deck):
        turn += 1
        cards = _turned_up(options, deck, drawn, room)
        drawn += len(cards)
        room += cards
        faced = potions = 0
        avoided = False
        events += _turn_events(turn, cards)
    return _step(
        events,
        options,
        seed,
        deck,
        drawn,
        version + 1,
        turn,
        health,
        weapon,
        room,
        faced,
        potions,
        discard + discarded,
        avoided,
        bonus,
    )


_Faced = tuple[Event, int, Weapon | None, tuple[Card, ...], int]
"""What facing a card comes to: event, health, weapon, cards discarded, bonus."""


def _equip(state: State, card: Card, _how: How | None) -> _Faced:
    old = state.weapon
    discarded = () if old is None else (old.card, *old.monsters)
    return WeaponEquipped(card, discarded), state.health, Weapon(card), discarded, 0


def _drink(state: State, card: Card, _how: How | None) -> _Faced:
    options = state.options
    healed = _healing(state, card)
    health = state.health + healed
    wasted = state.potions >= options.potions_per_turn
    event = PotionWasted(card) if wasted else PotionDrunk(card, healed)
    judged = state.health if options.bonus is _FULL_BEFORE else health
    bonus = card.value if judged == options.health and options.bonus is not _NO_BONUS else 0
    return event, health, state.weapon, (card,), bonus


def _fight(state: State, card: Card, how: How | None) -> _Faced:
    damage = _damage(state, card, how)
    health = state.health - damage
    weapon = state.weapon
    event = (MonsterSlain if health > 0 else Died)(card, how or How.BAREHANDED, damage)
    if how is _WITH_WEAPON and weapon is not None:
        return event, health, Weapon(weapon.card, (*weapon.monsters, card)), (), 0
    return event, health, weapon, (card,), 0


_FACE: Mapping[Kind, Callable[[State, Card, How | None], _Faced]] = {
    Kind.WEAPON: _equip,
    Kind.POTION: _drink,
    Kind.MONSTER: _fight,
}


def _turn_events(turn: int, cards: tuple[Card, ...]) -> tuple[Event, ...]:
    return (TurnBegan(turn), CardsDrawn(cards)) if cards else (TurnBegan(turn),)
