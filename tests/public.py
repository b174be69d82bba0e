"""What the outside may see of a state and of an event, in the names of the vectors.

Written for the tests alone and from the contract, so that the encoder of the API can be compared
with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import Card, score

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine import Event, State, Weapon


def public_state(state: State) -> dict[str, object]:
    return {
        "version": state.version,
        "turn": state.turn,
        "status": state.status.value,
        "phase": state.phase.value,
        "health": state.health,
        "max_health": state.options.health,
        "weapon": _weapon(state.weapon),
        "room": _codes(state.room),
        "faced": state.faced,
        "potions": state.potions,
        "can_avoid": state.can_avoid,
        "dungeon_size": len(state.dungeon),
        "discard": _codes(state.discard),
        "unseen": _codes(state.unseen),
        "bottom": [_codes(room) for room in state.bottom],
        "actions": [str(action) for action in state.legal],
        "score": score(state).score,
    }


def public_event(event: Event) -> dict[str, object]:
    return {name: _value(value) for name, value in event._asdict().items()}


def _weapon(weapon: Weapon | None) -> dict[str, object] | None:
    if weapon is None:
        return None
    return {
        "card": weapon.card.code,
        "value": weapon.card.value,
        "monsters": _codes(weapon.monsters),
    }


def _value(value: object) -> object:
    """Return what JSON has for ``value``; a word of an enumeration is a plain string."""
    match value:
        case Card():
            return value.code
        case tuple():
            return _codes(value)
        case str():
            return str(value)
        case _:
            return value


def _codes(cards: Iterable[Card]) -> list[str]:
    return [card.code for card in cards]
