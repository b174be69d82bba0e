"""Games as JSON: all that players may know, in the contract's names."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from engine import Phase, commitment, effect, format_notation, legal_actions, score

if TYPE_CHECKING:
    from collections.abc import Iterable

    from api.store import Game
    from engine import Action, Card, Event, Options, Record, Rules, State

_CODE, _TEXT = attrgetter("code"), attrgetter("text")


def game_body(
    game: Game,
    state: State,
    root: str,
    events: Iterable[Event] | None = None,
    token: str | None = None,
) -> dict[str, Any]:
    """Return a game in one of its states, with ``events`` and ``token`` if given.

    The seed, the times and the links are current, also for an earlier state. ``root`` is the path
    prefix of the links.
    """
    body: dict[str, Any] = {
        "id": game.id,
        **public_state(state),
        **_rules_body(game.rules),
        "mode": game.mode,
        "player": game.player,
        "locked": game.locked,
        "commitment": commitment(game.seed),
        "seed": game.public_seed,
        "created_at": timestamp(game.created_at),
        "updated_at": timestamp(game.updated_at),
        "expires_at": None if game.expires_at is None else timestamp(game.expires_at),
        "links": _links(game, root),
    }
    if events is not None:
        body["events"] = [event_body(event) for event in events]
    if token is not None:
        body["token"] = token
    return body


def replay_body(record: Record, state: State) -> dict[str, Any]:
    """Return the final state of a replay, and what was replayed."""
    return {
        **public_state(state),
        **_rules_body(record.rules),
        "commitment": commitment(record.seed),
        "seed": record.seed,
        "notation": format_notation(*record),
    }


def public_state(state: State) -> dict[str, Any]:
    """Return the public part of a state."""
    weapon = state.weapon
    return {
        "version": state.version,
        "turn": state.turn,
        "status": state.status,
        "phase": state.phase,
        "health": state.health,
        "max_health": state.options.health,
        "weapon": weapon
        and {
            "card": weapon.card.code,
            "value": weapon.card.value,
            "monsters": codes(weapon.monsters),
        },
        "room": codes(state.room),
        "faced": state.faced,
        "potions": state.potions,
        "can_avoid": state.can_avoid,
        "dungeon_size": state.dungeon_size,
        "discard": codes(state.discard),
        "unseen": codes(state.unseen),
        "bottom": [codes(room) for room in state.bottom],
        "actions": texts(legal_actions(state)),
        "score": score(state).score if state.phase is Phase.OVER else None,
    }


def event_body(event: Event) -> dict[str, Any]:
    """Return an event as a flat object, with its type first."""
    body = {"type": event.type}
    for name, value in zip(event._fields, event, strict=True):
        body.setdefault(name, _plain(value))
    return body


def action_body(state: State, action: Action) -> dict[str, Any]:
    """Return a legal action and its effect on the player, from public facts alone."""
    card, does = action.card, effect(state, action)
    return {
        "action": action.text,
        "card": card and card.code,
        "value": card and card.value,
        "damage": does.damage,
        "healed": does.healed,
        "health_after": does.health_after,
        "deadly": does.deadly,
    }


def options_body(options: Options) -> dict[str, Any]:
    """Return all ten options."""
    return options._asdict()


def timestamp(milliseconds: int) -> str:
    """Return a time of the store as RFC 3339 in UTC."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second(seconds)}.{rest:03}Z"


def codes(cards: Iterable[Card]) -> list[str]:
    """Return cards as their codes."""
    return list(map(_CODE, cards))


def texts(actions: Iterable[Action]) -> list[str]:
    """Return actions in their text form."""
    return list(map(_TEXT, actions))


def game_path(game_id: str, root: str) -> str:
    """Return the path of a game below the prefix ``root``."""
    return f"{root}/v1/games/{game_id}"


@lru_cache(maxsize=1024)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


@lru_cache(maxsize=1024)
def _rules_body(rules: Rules) -> dict[str, Any]:
    return {
        "ruleset": rules.ruleset,
        "options": options_body(rules.options),
        "custom": rules.custom,
    }


def _links(game: Game, root: str) -> dict[str, str]:
    path = game_path(game.id, root)
    return {
        "self": path,
        "actions": f"{path}/actions",
        "score": f"{path}/score",
        "history": f"{path}/history",
        "ruleset": f"{root}/v1/rulesets/{game.rules.ruleset}",
    }


def _plain(value: Any) -> Any:  # noqa: ANN401  # an event's fields: cards, card, number or word
    if isinstance(value, tuple):
        return codes(value)
    return getattr(value, "code", value)
