"""The published vectors: deals, and games with each public state and its events."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from engine import EVENTS, card, deal, parse_action, rules_for, steps
from tests.public import public_event, public_state

VECTORS = Path(__file__).parents[2] / "openapi" / "vectors"
DEALS: list[dict[str, Any]] = json.loads((VECTORS / "deals.json").read_text())
GAMES: list[dict[str, Any]] = json.loads((VECTORS / "games.json").read_text())


def name(game: dict[str, Any]) -> str:
    options = ",".join(f"{option}={value}" for option, value in game["options"].items())
    return f"{game['ruleset']}+{options}/{game['seed']}" if options else game["seed"]


@pytest.mark.parametrize("vector", DEALS, ids=lambda vector: vector["seed"])
def test_a_seed_deals_the_recorded_dungeon(vector: dict[str, Any]) -> None:
    assert deal(vector["seed"]) == tuple(card(code) for code in vector["dungeon"])


@pytest.mark.parametrize("game", GAMES, ids=name)
def test_a_game_has_the_recorded_states_and_events(game: dict[str, Any]) -> None:
    rules = rules_for(game["ruleset"], game["options"])
    actions = [parse_action(text) for text in game["actions"]]
    actual = [
        {**public_state(state), "events": [public_event(event) for event in events]}
        for state, events in steps(game["seed"], actions, rules.options)
    ]
    for state, expected in zip(actual, game["states"], strict=True):
        assert state == expected


def test_the_recorded_games_contain_every_type_of_event() -> None:
    states = chain.from_iterable(game["states"] for game in GAMES)
    types = {event["type"] for state in states for event in state["events"]}
    assert types == {kind._field_defaults["type"] for kind in EVENTS}
