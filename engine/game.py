"""Playing a game: begin it, list the legal actions, apply them.

``legal_actions`` is the only source of legality: ``apply`` accepts the actions that it lists and
raises an error for all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.actions import ARMED, AVOID, DRAW, UNARMED, How
from engine.cards import PACK, Card, Kind
from engine.deal import deal, shuffle
from engine.errors import EngineError
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
from engine.state import ROOM_SIZE, State, Status, Weapon

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from engine.actions import Action

_MAX_AVOIDED = 40
"""The number of rooms that may be avoided in one game, so that every game ends."""

_ORIGINAL = Options()
_HIGHEST = max(card.value for card in PACK)


class Step(NamedTuple):
    """A state and the events that led to it."""

    state: State
    events: tuple[Event, ...]


class Effect(NamedTuple):
    """The effect of an action on the player's health."""

    damage: int
    healed: int
    health_after: int

    @property
    def deadly(self) -> bool:
        """Whether the action kills the player."""
        return self.health_after <= 0


class IllegalAction(EngineError):
    """The action is not legal in this state.

    ``legal`` are the legal actions, ``index`` is the position of ``action`` in the
    sequence of actions.
    """

    code = "illegal_action"

    def __init__(self, action: Action, legal: tuple[Action, ...], index: int = 0) -> None:
        super().__init__(f"{action} is not legal now")
        self.action = action
        self.legal = legal
        self.index = index


class GameOver(IllegalAction):
    """The game is won or lost, so no action is legal."""

    code = "game_over"


def begin(seed: str, options: Options = _ORIGINAL) -> Step:
    """Deal a valid ``seed`` (see :func:`engine.check_seed`) and begin the first turn."""
    state = State(options, seed, deal(seed), options.health)
    cards = _turned_up(state)
    state = state._replace(drawn=len(cards), room=cards)
    return _step(state, CardsDrawn(cards)) if cards else _step(state)


def legal_actions(state: State) -> tuple[Action, ...]:
    """Return the legal actions: in room order, barehanded before weapon, ``avoid`` last.

    Empty if and only if the game is over.
    """
    return state.legal


def apply(state: State, action: Action) -> Step:
    """Return the state after ``action``, and the events it causes.

    Raises GameOver if the game is over, and IllegalAction if the action is not legal.
    """
    legal = state.legal
    if action not in legal:
        raise (IllegalAction if legal else GameOver)(action, legal)
    card = action.card
    if card is None:
        return _draw(state) if action is DRAW else _avoid(state)
    if action.how is not None:
        return _fight(state, card, action.how)
    return _equip(state, card) if card.kind is Kind.WEAPON else _drink(state, card)


def apply_all(state: State, actions: Iterable[Action]) -> Iterator[Step]:
    """Apply ``actions`` one after another, yielding the step of each.

    Raises as :func:`apply` does, with the ``index`` of the illegal action.
    """
    for index, action in enumerate(actions):
        try:
            step = apply(state, action)
        except IllegalAction as error:
            error.index = index
            raise
        yield step
        state = step.state


def effect(state: State, action: Action) -> Effect:
    """Return the effect of ``action``, which must be legal in ``state``."""
    card = action.card
    damage = healed = 0
    if card is not None and card.kind is Kind.MONSTER:
        damage = _damage(state, card, action.how)
    elif card is not None and card.kind is Kind.POTION:
        healed = _healing(state, card)
    return Effect(damage, healed, state.health - damage + healed)


def replay(seed: str, actions: Iterable[Action], options: Options = _ORIGINAL) -> State:
    """Return the state of a game after ``actions``. Raises as :func:`apply_all` does."""
    state = begin(seed, options).state
    for step in apply_all(state, actions):
        state = step.state
    return state


def steps(seed: str, actions: Iterable[Action], options: Options = _ORIGINAL) -> Iterator[Step]:
    """Yield the deal and then the step of each action. Raises as :func:`apply_all` does."""
    first = begin(seed, options)
    yield first
    yield from apply_all(first.state, actions)


def _turned_up(state: State) -> tuple[Card, ...]:
    """Return the cards that fill the room at the start of a turn, none if the player draws them."""
    if state.options.draw is Draw.MANUAL:
        return ()
    return state.deck[state.drawn : state.drawn + ROOM_SIZE - len(state.room)]


def _step(state: State, *events: Event) -> Step:
    """Return the step to ``state``, completed with its status and its legal actions."""
    status, legal = _status_and_legal(state)
    if status is Status.WON:
        events += (DungeonCleared(),)
    return Step(state._replace(status=status, legal=legal), events)


def _status_and_legal(state: State) -> tuple[Status, tuple[Action, ...]]:
    room, dungeon_size = state.room, state.dungeon_size
    if state.health <= 0:
        return Status.LOST, ()
    if dungeon_size == 0 and len(room) <= state.options.leave:
        return Status.WON, ()
    if len(room) < ROOM_SIZE and dungeon_size > 0 and state.faced == 0:
        return Status.PLAYING, (DRAW,)
    reach = _reach(state)
    legal: list[Action] = []
    for card in room:
        legal += (ARMED if card.value <= reach else UNARMED)[card.index]
    if len(room) == ROOM_SIZE and _may_avoid(state):
        legal.append(AVOID)
    return Status.PLAYING, tuple(legal)


def _reach(state: State) -> int:
    """Return the highest value of a monster that the weapon works on; 0 without a weapon."""
    weapon = state.weapon
    if weapon is None:
        return 0
    if not weapon.monsters:
        return _HIGHEST
    last = weapon.monsters[-1].value
    return last - 1 if state.options.degradation is Degradation.LOWER else last


def _may_avoid(state: State) -> bool:
    """Whether the options and the rooms avoided so far allow to avoid another room."""
    if state.rooms_avoided >= _MAX_AVOIDED:
        return False
    avoiding = state.options.avoiding
    return avoiding is Avoiding.ALWAYS or (avoiding is Avoiding.NOT_TWICE and not state.avoided)


def _draw(state: State) -> Step:
    card = state.deck[state.drawn]
    after = state._replace(
        version=state.version + 1, drawn=state.drawn + 1, room=(*state.room, card)
    )
    return _step(after, CardsDrawn((card,)))


def _avoid(state: State) -> Step:
    room = state.room
    if state.options.avoid_order is AvoidOrder.SHUFFLED:
        room = shuffle(room, state.seed, f"avoid/{state.rooms_avoided + 1}")
    after = state._replace(version=state.version + 1, deck=state.deck + room, room=())
    return _next_turn(after, RoomAvoided(state.room), avoided=True)


def _next_turn(state: State, event: Event, *, avoided: bool) -> Step:
    turn = state.turn + 1
    cards = _turned_up(state)
    after = state._replace(
        drawn=state.drawn + len(cards),
        turn=turn,
        room=state.room + cards,
        faced=0,
        potions=0,
        avoided=avoided,
    )
    if not cards:
        return _step(after, event, TurnBegan(turn))
    return _step(after, event, TurnBegan(turn), CardsDrawn(cards))


def _fight(state: State, card: Card, how: How) -> Step:
    damage = _damage(state, card, how)
    health = state.health - damage
    weapon, discard = state.weapon, state.discard
    if weapon is not None and how is How.WEAPON:
        weapon = Weapon(weapon.card, (*weapon.monsters, card))
    else:
        discard = (*discard, card)
    after = state._replace(
        version=state.version + 1,
        health=health,
        weapon=weapon,
        room=_without(state.room, card),
        faced=state.faced + 1,
        discard=discard,
        bonus=0,
    )
    return _faced(after, (MonsterSlain if health > 0 else Died)(card, how, damage))


def _damage(state: State, monster: Card, how: How | None) -> int:
    if how is How.WEAPON and state.weapon is not None:
        return max(0, monster.value - state.weapon.card.value)
    return monster.value


def _without(room: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    place = room.index(card)
    return room[:place] + room[place + 1 :]


def _faced(state: State, event: Event) -> Step:
    """Return the step after facing a card, which may end the turn."""
    if len(state.room) == 1 and state.dungeon_size > 0 and state.health > 0:
        return _next_turn(state, event, avoided=False)
    return _step(state, event)


def _equip(state: State, card: Card) -> Step:
    old = state.weapon
    discarded = () if old is None else (old.card, *old.monsters)
    after = state._replace(
        version=state.version + 1,
        weapon=Weapon(card),
        room=_without(state.room, card),
        faced=state.faced + 1,
        discard=state.discard + discarded,
        bonus=0,
    )
    return _faced(after, WeaponEquipped(card, discarded))


def _drink(state: State, card: Card) -> Step:
    options = state.options
    healed = _healing(state, card)
    health = state.health + healed
    after = state._replace(
        version=state.version + 1,
        health=health,
        room=_without(state.room, card),
        faced=state.faced + 1,
        potions=state.potions + 1,
        discard=(*state.discard, card),
        bonus=_bonus(state, card, health),
    )
    wasted = state.potions >= options.potions_per_turn
    return _faced(after, PotionWasted(card) if wasted else PotionDrunk(card, healed))


def _healing(state: State, potion: Card) -> int:
    if state.potions >= state.options.potions_per_turn:
        return 0
    return min(potion.value, state.options.health - state.health)


def _bonus(state: State, potion: Card, health: int) -> int:
    """Return the bonus for ending the game with ``potion``, which leaves ``health``."""
    bonus = state.options.bonus
    measured = state.health if bonus is Bonus.FULL_BEFORE else health
    return potion.value if measured == state.options.health and bonus is not Bonus.NONE else 0
