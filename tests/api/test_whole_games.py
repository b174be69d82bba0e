"""Whole games over HTTP: every response matches the replay of the engine."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from engine import (
    RULESETS,
    Status,
    commitment,
    effect,
    parse_action,
    parse_notation,
    replay,
    score,
    steps,
)
from tests.playing import (
    CAREFUL,
    FOOLISH,
    Connection,
    Record,
    act,
    answers,
    begin,
    of_play,
    play_through,
    record,
)
from tests.public import public_event, public_state

if TYPE_CHECKING:
    from engine import Action, State, Step
    from tests.api.client import Api
    from tests.servers import ApiServer

VECTORS = json.loads((Path(__file__).parents[2] / "openapi" / "vectors" / "games.json").read_text())

EVERY_RULESET = [
    record(f"whole-{player[0]}", ruleset, player=player)
    for ruleset in RULESETS
    for player in (CAREFUL, FOOLISH)
]
HOUSE_RULES: list[tuple[str, dict[str, Any]]] = [
    ("original", {"health": 99, "leave": 2, "potions_per_turn": 4}),
    ("original", {"health": 99, "leave": 1, "bonus": "full_before"}),
    ("original", {"avoiding": "always", "avoid_order": "shuffled", "health": 60}),
    ("gamemaker", {"avoiding": "never", "degradation": "lower", "bonus": "none"}),
    ("strict", {"draw": "manual", "potions_per_turn": 0}),
    ("gravekeeper", {"health": 1, "overkill": "ignored"}),
    ("gravekeeper", {"health": 99, "draw": "auto", "loss_counts": "dungeon"}),
]
CUSTOM = [
    record(f"custom-{n}", ruleset, options) for n, (ruleset, options) in enumerate(HOUSE_RULES)
]
WHOLE = [*EVERY_RULESET, *CUSTOM]
ON_RECORD = VECTORS[::4]


def rules_and_seed(game: Record) -> str:
    return f"{game.rules}/{game.seed}"


def notation(game: Record) -> str:
    shorts = " ".join(parse_action(text).short for text in game.actions)
    return f"{game.rules}/{game.seed}/{shorts}"


whole_games = pytest.mark.parametrize("game", WHOLE, ids=rules_and_seed)


@whole_games
def test_every_response_of_a_game_matches_the_engine(api: Api, game: Record) -> None:
    play_through(api, game)


@whole_games
def test_batches_lead_to_the_same_states_as_single_actions(api: Api, game: Record) -> None:
    batches = _batches(game)
    game_id, _ = begin(api, game)
    for first, states in batches:
        reply = api.act(game_id, first, *game.actions[first : first + len(states)])
        assert reply.status == 200, reply.body
        expected = {
            **public_state(states[-1].state),
            "events": [public_event(event) for step in states for event in step.events],
        }
        assert of_play(reply.json, expected) == expected


@whole_games
def test_the_metadata_of_a_game_is_the_same_at_every_version(api: Api, game: Record) -> None:
    game_id, body = begin(api, game)
    rules = game.rules
    metadata = {
        "id": game_id,
        "ruleset": game.ruleset,
        "options": json.loads(json.dumps(rules.options._asdict())),
        "custom": bool(game.options),
        "mode": "seeded",
        "player": None,
        "commitment": commitment(game.seed),
        "created_at": body["created_at"],
        "links": body["links"],
    }
    for version, action in enumerate(game.actions):
        assert of_play(body, metadata) == metadata
        body = act(api, game_id, version, action).json
    assert of_play(body, metadata) == metadata


@whole_games
def test_reading_a_game_returns_the_state_of_its_last_action(api: Api, game: Record) -> None:
    game_id, body = begin(api, game)
    for version, action in enumerate(game.actions):
        del body["events"]
        assert api.get(f"/v1/games/{game_id}").json == body
        body = act(api, game_id, version, action).json
    del body["events"]
    assert api.get(f"/v1/games/{game_id}").json == body


@whole_games
def test_the_listed_actions_have_the_effects_of_the_engine(api: Api, game: Record) -> None:
    game_id, _ = begin(api, game)
    for version, step in enumerate(game.steps()):
        assert api.get(f"/v1/games/{game_id}/actions").json == {
            "version": version,
            "actions": [_described(step.state, action) for action in step.state.legal],
        }
        if version < len(game.actions):
            act(api, game_id, version, game.actions[version])


@whole_games
def test_the_score_matches_the_engine_at_every_version(api: Api, game: Record) -> None:
    game_id, _ = begin(api, game)
    for version, step in enumerate(game.steps()):
        body = api.get(f"/v1/games/{game_id}/score").json
        expected = {"status": step.state.status.value, **score(step.state)._asdict()}
        assert of_play(body, expected) == expected
        if step.state.status is Status.PLAYING:
            assert body["rank"] is body["board"] is None
            act(api, game_id, version, game.actions[version])


@whole_games
def test_the_history_lists_every_action_with_its_events(api: Api, game: Record) -> None:
    game_id = play_through(api, game)
    assert api.get(f"/v1/games/{game_id}/history").json == {
        "id": game_id,
        "version": len(game.actions),
        "notation": notation(game),
        "history": [
            {
                "version": version,
                "action": action,
                "events": [public_event(event) for event in step.events],
            }
            for version, (action, step) in enumerate(
                zip((None, *game.actions), game.steps(), strict=True)
            )
        ],
    }


@pytest.mark.parametrize("vector", ON_RECORD, ids=lambda vector: vector["seed"])
def test_a_recorded_game_has_its_recorded_states_over_http(
    api: Api, vector: dict[str, Any]
) -> None:
    game = Record(vector["ruleset"], vector["options"], vector["seed"], vector["actions"])
    deal, *rest = vector["states"]
    game_id, body = begin(api, game)
    assert of_play(body, deal) == deal
    for version, (action, expected) in enumerate(zip(game.actions, rest, strict=True)):
        assert of_play(act(api, game_id, version, action).json, expected) == expected


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_standard_game_reveals_the_seed_of_its_commitment(api: Api, ruleset: str) -> None:
    game = api.new_game(ruleset=ruleset)
    bodies = [game]
    random = Random(ruleset)
    while actions := bodies[-1]["actions"]:
        assert bodies[-1]["seed"] is None
        version = bodies[-1]["version"]
        bodies.append(act(api, game["id"], version, random.choice(actions)).json)
    seed = bodies[-1]["seed"]
    assert commitment(seed) == game["commitment"]
    line = parse_notation(api.get(f"/v1/games/{game['id']}/history").json["notation"])
    assert (str(line.rules), line.seed) == (ruleset, seed)
    replayed = [answers(step) for step in steps(seed, line.actions, line.rules.options)]
    assert [of_play(body, replayed[0]) for body in bodies] == replayed


@pytest.mark.parametrize("game", EVERY_RULESET, ids=rules_and_seed)
def test_a_finished_game_is_on_the_ledger_of_its_seed(api: Api, game: Record) -> None:
    game_id = play_through(api, game)
    body = api.get(f"/v1/games/{game_id}/score").json
    assert body["board"] == f"{game.ruleset}/{game.seed}"
    page = api.get(f"/v1/ledger?ruleset={game.ruleset}&seed={game.seed}&limit=100").json
    (entry,) = [entry for entry in page["entries"] if entry["game_id"] == game_id]
    assert (entry["rank"], entry["score"]) == (body["rank"], body["score"])


@pytest.mark.parametrize("game", CUSTOM, ids=rules_and_seed)
def test_a_custom_game_is_not_ranked(api: Api, game: Record) -> None:
    game_id = play_through(api, game)
    body = api.get(f"/v1/games/{game_id}/score").json
    assert body["rank"] is body["board"] is None
    assert api.get(f"/v1/ledger?ruleset={game.ruleset}&seed={game.seed}").json["total"] == 0


def test_a_game_is_not_custom_if_its_options_equal_the_ruleset(api: Api) -> None:
    game = api.new_game(ruleset="strict", options={"degradation": "lower"})
    assert not game["custom"]


def test_the_test_games_cover_wins_losses_and_all_events() -> None:
    """Without this coverage the tests above would prove little."""
    ends = [replay(g.seed, map(parse_action, g.actions), g.rules.options) for g in WHOLE]
    assert {end.status for end in ends} == {Status.WON, Status.LOST}
    events = {event.type for g in WHOLE for step in g.steps() for event in step.events}
    assert len(events) == 9
    assert any("avoid" in g.actions for g in EVERY_RULESET)
    assert any("draw" in g.actions for g in EVERY_RULESET)


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
def test_200_random_games_match_the_engine(server: ApiServer, ruleset: str) -> None:
    """All states of 200 games over HTTP, four at a time against two workers."""
    games = [
        record(f"many-{n}", ruleset, player=FOOLISH if n % 4 == 0 else CAREFUL) for n in range(200)
    ]

    def play_some(some: list[Record]) -> int:
        with closing(Connection(server.port)) as connection:
            return len([play_through(connection, game) for game in some])

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(play_some, [games[n::4] for n in range(4)])) == 200


def _batches(game: Record) -> list[tuple[int, list[Step]]]:
    """Split a game into the longest batches allowed: each ends where cards are drawn."""
    batches: list[tuple[int, list[Step]]] = []
    run: list[Step] = []
    _deal, *rest = game.steps()
    for version, step in enumerate(rest):
        run.append(step)
        reveals = any(event.type == "cards_drawn" for event in step.events)
        draws_next = game.actions[version + 1 : version + 2] == ["draw"]
        if version + 1 == len(rest) or (reveals and not draws_next):
            batches.append((version + 1 - len(run), run))
            run = []
    return batches


def _described(state: State, action: Action) -> dict[str, Any]:
    result = effect(state, action)
    return {
        "action": str(action),
        "card": action.card and action.card.code,
        "value": action.card and action.card.value,
        "damage": result.damage,
        "healed": result.healed,
        "health_after": result.health_after,
        "deadly": result.deadly,
    }
