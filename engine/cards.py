"""The 44 cards of Scoundrel: a standard pack without jokers, red face cards and red aces."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter

from engine.errors import UnknownCard

RANKS = "23456789TJQKA"


class Kind(StrEnum):
    """The kind of a card, which its suit decides."""

    MONSTER = "monster"
    WEAPON = "weapon"
    POTION = "potion"


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """One of the 44 cards. Each exists once, so cards compare by identity.

    ``code`` is rank and suit (``TD`` is the ten of diamonds), ``value`` is 2 to 14 (an ace is 14),
    ``index`` is the position in the pack.
    """

    code: str
    kind: Kind = field(repr=False)
    value: int = field(repr=False)
    index: int = field(repr=False)

    def __str__(self) -> str:
        return self.code

    def __reduce__(self) -> tuple[object, ...]:
        return card, (self.code,)


def _pack() -> tuple[Card, ...]:
    suits = (
        ("C", Kind.MONSTER, RANKS),
        ("S", Kind.MONSTER, RANKS),
        ("D", Kind.WEAPON, RANKS[:9]),
        ("H", Kind.POTION, RANKS[:9]),
    )
    codes = [(rank + suit, kind) for suit, kind, ranks in suits for rank in ranks]
    return tuple(
        Card(code, kind, RANKS.index(code[0]) + 2, index)
        for index, (code, kind) in enumerate(codes)
    )


PACK = _pack()
"""All cards in pack order: clubs and spades 2 to A, diamonds and hearts 2 to T."""

_INDEX = attrgetter("index")
_BY_CODE = {card.code: card for card in PACK}


def card(code: str) -> Card:
    """Return the card with this code, such as ``KS``. Raises UnknownCard."""
    try:
        return _BY_CODE[code]
    except KeyError:
        raise UnknownCard(code) from None


def pack_order(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Sort cards in pack order, which does not reveal their positions."""
    return tuple(sorted(cards, key=_INDEX))
