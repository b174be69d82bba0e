"""The Python bot: it plays legally and well, and repeats requests safely."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import uuid
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from engine import (
    RULESETS,
    Options,
    apply,
    begin,
    legal_actions,
    parse_action,
    parse_notation,
    rules_for,
    score,
)
from tests.clients.expected import score_of
from tests.clients.network import BUSY, ROUGH
from tests.engine.play import any_options, any_seed
from tests.public import public_state
from tests.servers import ROOT

if TYPE_CHECKING:
    from engine import State
    from tests.clients.network import Network
    from tests.servers import ApiServer

BOT = ROOT / "clients" / "python" / "bot.py"


def _load() -> Any:  # noqa: ANN401  # a module
    spec = spec_from_file_location("bot", BOT)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bot = _load()


def seen_by_the_bot(state: State) -> dict[str, Any]:
    """Return a state as the API represents it."""
    body = {**public_state(state), "options": state.options._asdict()}
    seen: dict[str, Any] = json.loads(json.dumps(body))
    return seen


def played_by_the_bot(seed: str, options: Options) -> State:
    """Let the bot play a whole game without a server, and return the final state."""
    state = begin(seed, options).state
    while legal_actions(state):
        for action in bot.choose(seen_by_the_bot(state)):
            state = apply(state, parse_action(action)).state
    return state


def run(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the bot."""
    return subprocess.run(
        [sys.executable, BOT, "--url", url, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def summary(done: subprocess.CompletedProcess[str]) -> tuple[int, int, str]:
    """Return the number of games, the best score and its notation from the bot's output."""
    assert done.returncode == 0, done.stderr
    *histogram, best = done.stdout.splitlines()[1:]
    counted = sum(int(line.split()[3]) for line in histogram)
    match = re.fullmatch(r"Best score (-?\d+): (.+)", best)
    assert match
    return counted, int(match[1]), match[2]


# Choices


@given(any_seed, any_options)
def test_its_actions_are_legal_under_any_options(seed: str, options: Options) -> None:
    """Applying an illegal action raises, also after the end of the game."""
    state = played_by_the_bot(seed, options)
    assert score(state).score is not None


def test_it_wins_at_least_one_game_in_ten() -> None:
    """Random play hardly ever wins."""
    won = sum(played_by_the_bot(f"bot-{n}", rules_for().options).health > 0 for n in range(100))
    assert won >= 10


def test_it_sends_the_actions_of_a_turn_in_one_request() -> None:
    actions = bot.choose(seen_by_the_bot(begin("demo-1", rules_for().options).state))
    assert len(actions) == 3


def test_it_counts_unseen_cards() -> None:
    """The value of a weapon is the damage it saves on the monsters ahead."""
    plan = bot.Plan((), [], health=10, potions=0, weapon=10)
    state = seen_by_the_bot(begin("demo-1", rules_for().options).state)
    ahead = bot.rating(plan, {**state, "unseen": ["AC", "AS", "KC"]})
    assert ahead > bot.rating(plan, {**state, "unseen": ["2C", "2S", "3C"]})


def test_it_counts_avoided_cards() -> None:
    plan = bot.Plan((), [], health=10, potions=0, weapon=10)
    state = {**seen_by_the_bot(begin("demo-1", rules_for().options).state), "unseen": ["2C"]}
    ahead = bot.rating(plan, {**state, "bottom": [["AC", "5D", "AS", "KC"]]})
    assert ahead > bot.rating(plan, {**state, "bottom": [["2S", "5D", "3S", "4C"]]})


@pytest.mark.parametrize("room", [["AC", "AS", "KC", "KS"], ["2C", "8C", "9C", "AC"]])
def test_it_avoids_a_deadly_or_nearly_deadly_room(room: list[str]) -> None:
    state = seen_by_the_bot(begin("demo-1", rules_for().options).state)
    assert bot.choose({**state, "room": room}) == ["avoid"]


# Against a server


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", list(RULESETS))
def test_it_plays_every_ruleset_and_prints_the_best_game(url: str, ruleset: str) -> None:
    played, best, line = summary(run(url, "-n", "5", "--ruleset", ruleset))
    assert played == 5
    assert score_of(line) == best
    assert parse_notation(line).rules == rules_for(ruleset)


@pytest.mark.slow
def test_its_games_are_in_the_ledger_under_its_name(url: str, server: ApiServer) -> None:
    name = f"Bot {uuid.uuid4().hex[:12]}"
    _, best, _ = summary(run(url, "-n", "4", "--player", name))
    entries = server.get("/v1/ledger?limit=100").json["entries"]
    scores = [entry["score"] for entry in entries if entry["player"] == name]
    assert len(scores) == 4
    assert best == scores[0] > scores[-1]


@pytest.mark.slow
def test_it_keeps_one_connection(network: Network) -> None:
    run(network.url, "-n", "2")
    assert len(network.seen) > 10
    assert len({seen.connection for seen in network.seen}) == 1


@pytest.mark.slow
def test_lost_requests_and_responses_are_repeated_and_played_once(
    network: Network, server: ApiServer
) -> None:
    seed = f"bot-{uuid.uuid4()}"
    network.fail(*ROUGH, forever=True)
    played, best, line = summary(run(network.url, "-n", "2", "--seed", seed))
    assert (played, score_of(line)) == (2, best)
    assert server.get(f"/v1/ledger?seed={seed}").json["total"] == 2
    created = [seen.key for seen in network.seen if seen.path == "/v1/games"]
    assert len(created) > len(set(created)) == 2


@pytest.mark.slow
def test_it_reports_an_outage_of_the_server(network: Network) -> None:
    network.fail(BUSY, forever=True)
    done = run(network.url, "-n", "1")
    assert done.returncode == 1
    assert done.stderr == "The server does not respond.\n"


@pytest.mark.slow
def test_it_reports_a_refused_request(url: str) -> None:
    done = run(url, "-n", "1", "--seed", "a seed")
    assert done.returncode == 1
    assert "invalid_request" in done.stderr
    assert "/seed" in done.stderr
