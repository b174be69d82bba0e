"""Games as text, at most 80 columns wide, for playing with curl alone."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from engine import Status, Verb, effect, legal_actions, score

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from api.store import Game
    from engine import Action, Card, Event, State

WIDTH = 80

_BAR = 20
_LABEL = 9
_CHOICE = 52

_SENTENCES = {
    "cards_drawn": "{cards} turned up.",
    "room_avoided": "{cards} avoided.",
    "turn_began": "Turn {turn} begins.",
    "weapon_equipped": "{card} equipped.",
    "potion_drunk": "{card} drunk, {healed} healed.",
    "potion_wasted": "{card} wasted.",
    "monster_slain": "{card} slain {how}, {damage} damage.",
    "died": "{card} killed you, fought {how}, {damage} damage.",
    "dungeon_cleared": "The dungeon is cleared.",
}
_HOW = {"barehanded": "barehanded", "weapon": "with the weapon"}


def draw_table(
    game: Game, state: State, events: Iterable[Event], url: str, token: str | None
) -> str:
    """Draw the table in one of the game's states, after ``events``.

    The legal actions are request bodies to be pasted into the curl command below them, which
    sends them to ``url``. ``token`` is that of a locked game that was just created.
    """
    happened = " ".join(_sentence(event) for event in events)
    ruleset, _, options = str(game.rules).partition("+")
    parts = [
        f"Scoundrel, {ruleset}, turn {state.turn}, version {state.version}",
        *_row("Options", options.replace(",", ", ")),
        *_row("Seed", game.public_seed or ""),
        *_row("Player", game.player or ""),
        *_row("Health", f"{state.health}/{state.options.health} {_bar(state)}"),
        *_row("Weapon", _weapon(state)),
        *_row("Dungeon", _dungeon(state)),
        *_row("Discard", _codes(state.discard)),
        *_row("Room", "  ".join(f"[{card}]" for card in state.room)),
        "",
        *([*wrap(happened, WIDTH), ""] if happened else []),
        *(_choices(game, state, url, token) if legal_actions(state) else _end(state)),
    ]
    return "\n".join(parts) + "\n"


def _row(label: str, text: str) -> Iterator[str]:
    indent = " " * _LABEL
    for number, line in enumerate(wrap(text, WIDTH - _LABEL)):
        yield (indent if number else label.ljust(_LABEL)) + line


def _bar(state: State) -> str:
    full = -(-max(0, state.health) * _BAR // state.options.health)
    return "[" + "#" * full + "-" * (_BAR - full) + "]"


def _weapon(state: State) -> str:
    if state.weapon is None:
        return "none"
    monsters = _codes(state.weapon.monsters)
    return f"{state.weapon.card}" + (f", on it {monsters}" if monsters else ", not used yet")


def _dungeon(state: State) -> str:
    rooms = " | ".join(_codes(room) for room in state.bottom)
    return f"{len(state.dungeon)} cards" + (f", avoided rooms at the bottom: {rooms}" * bool(rooms))


def _sentence(event: Event) -> str:
    fields = event._asdict()
    if "cards" in fields:
        fields["cards"] = _codes(fields["cards"])
    if "how" in fields:
        fields["how"] = _HOW[fields["how"]]
    return _SENTENCES[event.type].format(**fields)


def _choices(game: Game, state: State, url: str, token: str | None) -> Iterator[str]:
    yield "Legal actions:"
    for action in legal_actions(state):
        body = f'{{"version":{state.version},"actions":["{action}"]}}'
        yield f"  {body.ljust(_CHOICE)} {_outcome(state, action)}".rstrip()
    yield ""
    yield "To play, paste one of them, with its braces, between the quotes:"
    yield "  curl -H 'Content-Type: application/json' -H 'Accept: text/plain' \\"
    if game.locked:
        yield f"    -H 'Authorization: Bearer {token or 'TOKEN'}' \\"
    yield f"    {url} -d ''"


def _outcome(state: State, action: Action) -> str:
    does = effect(state, action)
    if does.deadly:
        return f"{does.damage} damage: you die"
    if action.verb is Verb.FIGHT:
        return f"{does.damage} damage, {does.health_after} left"
    if action.verb is Verb.DRINK:
        return f"{does.healed} healed, {does.health_after} then"
    if action.verb is Verb.EQUIP:
        return _instead(state)
    return "to the bottom; a new turn" if action.verb is Verb.AVOID else "one card turns up"


def _instead(state: State) -> str:
    """Describe what equipping another weapon replaces."""
    if state.weapon is None:
        return "your first weapon"
    monsters = len(state.weapon.monsters)
    return f"replaces {state.weapon.card}" + (f" and {monsters} on it" if monsters else "")


def _end(state: State) -> Iterator[str]:
    result = score(state)
    if state.status is Status.WON:
        bonus = f" and a bonus of {result.bonus}" if result.bonus else ""
        yield f"You won. Score {result.score}: health {result.health}{bonus}."
    else:
        yield f"You lost. Score {result.score}: monsters worth {result.remaining} remain."


def _codes(cards: Iterable[Card]) -> str:
    return " ".join(card.code for card in cards)
