"""The 72 actions and their text forms.

``str(action)`` is the form used by the API (``fight:KS:weapon``), ``action.short`` the form used in
notation (``KSw``), and ``action.char`` the ASCII character that represents the action in a log.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING

from engine.cards import PACK, Card, Kind
from engine.errors import UnknownAction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Verb(StrEnum):
    """The kind of an action."""

    DRAW = "draw"
    AVOID = "avoid"
    EQUIP = "equip"
    DRINK = "drink"
    FIGHT = "fight"


class How(StrEnum):
    """The way to fight a monster."""

    BAREHANDED = "barehanded"
    WEAPON = "weapon"


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """One of the 72 actions. Each exists once, so actions compare by identity.

    ``card`` is the card to equip, drink or fight; ``how`` is only set for a fight.
    """

    verb: Verb
    card: Card | None = None
    how: How | None = None
    char: str = field(default="", repr=False)
    text: str = field(default="", repr=False)
    short: str = field(default="", repr=False)

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[object, ...]:
        return parse_action, (self.text,)


def _faces(card: Card) -> tuple[tuple[Verb, Card, How | None], ...]:
    match card.kind:
        case Kind.WEAPON:
            return ((Verb.EQUIP, card, None),)
        case Kind.POTION:
            return ((Verb.DRINK, card, None),)
        case Kind.MONSTER:
            return tuple((Verb.FIGHT, card, how) for how in How)


def _all_actions() -> Iterator[Action]:
    faces = chain.from_iterable(_faces(card) for card in PACK)
    parts = ((Verb.DRAW, None, None), (Verb.AVOID, None, None), *faces)
    for index, (verb, card, how) in enumerate(parts):
        yield Action(
            verb,
            card,
            how,
            char=chr(ord("0") + index),
            text=":".join(part for part in (verb, card and card.code, how) if part),
            short=f"{card}{how[0] if how else ''}" if card else verb[0],
        )


ACTIONS = tuple(_all_actions())
"""All actions, in the order of their log characters from ``0`` on. Stored logs depend on it."""

DRAW, AVOID = ACTIONS[:2]

UNARMED: tuple[tuple[Action, ...], ...] = tuple(
    tuple(a for a in ACTIONS if a.card is card and a.how is not How.WEAPON) for card in PACK
)
"""By card index: the ways to face the card when no weapon works on it."""

ARMED: tuple[tuple[Action, ...], ...] = tuple(
    tuple(a for a in ACTIONS if a.card is card) for card in PACK
)
"""By card index: the ways to face the card when the weapon works on it."""

_BY_TEXT = {action.text: action for action in ACTIONS}
_BY_SHORT = {action.short: action for action in ACTIONS}
_BY_CHAR = {action.char: action for action in ACTIONS}


def parse_action(text: str) -> Action:
    """Parse the API form of an action, such as ``equip:5D``. Raises UnknownAction."""
    try:
        return _BY_TEXT[text]
    except KeyError:
        raise UnknownAction(text) from None


def parse_short(text: str) -> Action:
    """Parse the notation form of an action, such as ``KSw``. Raises UnknownAction."""
    try:
        return _BY_SHORT[text]
    except KeyError:
        raise UnknownAction(text) from None


def to_log(actions: Iterable[Action]) -> str:
    """Return the log of ``actions``: one character each."""
    return "".join([action.char for action in actions])


def from_log(log: str) -> tuple[Action, ...]:
    """Return the actions of a log. Raises UnknownAction."""
    try:
        return tuple([_BY_CHAR[char] for char in log])
    except KeyError as error:
        raise UnknownAction(error.args[0]) from None
