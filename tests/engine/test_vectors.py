"""Deals and whole games, with every public state and its events, as any implementation has them."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from engine import EVENTS, card, choose, deal, parse_action, steps
from tests.public import public_event, public_state

VECTORS = Path(__file__).parents[2] / "openapi" / "vectors"
DEALS: list[dict[str, Any]] = json.loads((VECTORS / "deals.json").read_text())
GAMES: list[dict[str, Any]] = json.loads((VECTORS / "games.json").read_text())


def name(game: dict[str, Any]) -> str:
    options = ",".join(f"{option}={value}" for option, value in game["options"].items())
    return f"{game['ruleset']}+{options}/{game['seed']}" if options else game["seed"]


@pytest.mark.parametrize("vector", DEALS, ids=lambda vector: vector["seed"])
def test_a_seed_deals_the_dungeon_that_is_on_record(vector: dict[str, Any]) -> None:
    assert deal(vector["seed"]) == tuple(card(code) for code in vector["dungeon"])


@pytest.mark.parametrize("game", GAMES, ids=name)
def test_a_game_goes_as_it_is_on_record(game: dict[str, Any]) -> None:
    rules = choose(game["ruleset"], game["options"])
    actions = [parse_action(text) for text in game["actions"]]
    went = [
        {**public_state(state), "events": [public_event(event) for event in events]}
        for state, events in steps(game["seed"], actions, rules.options)
    ]
    for state, expected in zip(went, game["states"], strict=True):
        assert state == expected


def test_the_games_on_record_show_every_kind_of_event() -> None:
    states = chain.from_iterable(game["states"] for game in GAMES)
    shown = {event["type"] for state in states for event in state["events"]}
    assert shown == {kind._field_defaults["type"] for kind in EVENTS}
