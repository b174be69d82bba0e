"""The shell client, against a real server."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from typing import TYPE_CHECKING

import pytest

from engine import RULESETS, parse_notation
from tests.clients.expected import first, played, score_of
from tests.clients.network import BUSY, DELIVERED, REQUEST_LOST, RESPONSE_LOST
from tests.servers import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clients.network import Network
    from tests.servers import ApiServer

SEED = "demo-28"
"""A short game: the first legal actions lead to death at the fourth card."""

SCRIPT = ROOT / "clients" / "shell" / "play.sh"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("curl") and shutil.which("jq")),
        reason="the shell client requires curl and jq",
    ),
]


def run(
    url: str, *arguments: str, answers: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the client with ``answers`` as the player's input."""
    return subprocess.run(
        [SCRIPT, "--url", url, *arguments],
        input=answers,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


def notation(done: subprocess.CompletedProcess[str]) -> str:
    """Return the notation of the game that a client played successfully."""
    assert done.returncode == 0, done.stderr
    label, _, line = done.stdout.splitlines()[-1].partition(": ")
    assert label == "The game in one line"
    return line


def game_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the id of the game that a client created."""
    return done.stdout.splitlines()[0].removeprefix("Game ")


def new_seed() -> str:
    return f"shell-{uuid.uuid4()}"


def games_on(server: ApiServer, seed: str) -> int:
    """Return the number of finished games of a seed."""
    total: int = server.get(f"/v1/ledger?seed={seed}").json["total"]
    return total


# Automatic play


def test_first_plays_the_first_legal_action_to_the_end(url: str) -> None:
    done = run(url, "--first", "--seed", SEED, "--player", 'Zoë "\\')
    assert notation(done) == played(SEED, first)
    assert 'Player   Zoë "\\' in done.stdout
    assert "You lost. Score -170: monsters worth 169 remain." in done.stdout


@pytest.mark.parametrize("ruleset", list(RULESETS))
def test_random_plays_a_whole_game_of_every_ruleset(url: str, ruleset: str) -> None:
    line = notation(run(url, "--random", "--ruleset", ruleset))
    assert score_of(line)
    assert parse_notation(line).rules.ruleset == ruleset


def test_random_plays_a_different_game_each_time(url: str) -> None:
    seed = ("--seed", SEED)
    assert len({notation(run(url, "--random", *seed)) for _ in range(3)}) > 1


# Interactive play


def test_a_player_chooses_by_number(url: str) -> None:
    done = run(url, "--seed", SEED, answers="1\n" * 4)
    assert notation(done) == played(SEED, first)
    assert done.stdout.count("Which (") == 4
    assert "1) equip:3D, health 20\n2) fight:8C:barehanded, health 12\n" in done.stdout
    assert "1) fight:KS:barehanded, and die" in done.stdout
    assert "KS killed you, fought barehanded, 13 damage." in done.stdout
    assert "curl" not in done.stdout


def test_invalid_input_is_asked_for_again(url: str) -> None:
    done = run(url, "--seed", SEED, answers="0\n6\n01\n-1\nx\n\n1 1\n99999999999\n" + "1\n" * 4)
    assert notation(done) == played(SEED, first)


def test_a_game_can_be_left_and_continued_by_its_id(url: str) -> None:
    left = run(url, "--seed", SEED, answers="1\n1\nq\n")
    assert left.returncode == 0
    assert left.stdout.endswith(f"Continue with: --game {game_of(left)}\n")
    ended = run(url, "--game", game_of(left), answers="1\n" * 2)
    assert notation(ended) == played(SEED, first)


def test_a_finished_game_is_shown(url: str) -> None:
    game = game_of(run(url, "--first", "--seed", SEED))
    done = run(url, "--game", game)
    assert notation(done) == played(SEED, first)
    assert "You lost." in done.stdout


def test_after_a_move_made_elsewhere_the_player_sees_the_table_and_chooses_again(
    url: str, server: ApiServer
) -> None:
    left = run(url, "--seed", SEED, answers="q\n")
    game = game_of(left)
    player = subprocess.Popen(
        [SCRIPT, "--url", url, "--game", game],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert player.stdout
    while not player.stdout.readline().startswith("5)"):
        pass
    path = f"/v1/games/{game}/actions"
    assert server.post(path, {"version": 0, "actions": ["equip:TD"]}).status == 200
    mismatch = server.post(path, {"version": 0, "actions": ["avoid"]}).json
    assert mismatch["code"] == "version_mismatch"
    output, errors = player.communicate("1\nq\n", timeout=60)
    assert mismatch["title"] in errors
    assert "Weapon   TD, not used yet" in output
    assert server.get(f"/v1/games/{game}").json["version"] == 1


# Faults and errors


def test_lost_requests_and_responses_are_repeated_and_played_once(
    network: Network, server: ApiServer
) -> None:
    seed = new_seed()
    network.fail(
        *(RESPONSE_LOST, REQUEST_LOST, BUSY, DELIVERED, DELIVERED),
        *(RESPONSE_LOST, DELIVERED, DELIVERED, REQUEST_LOST, BUSY),
    )
    done = run(network.url, "--first", "--seed", seed)
    assert notation(done) == played(seed, first)
    assert games_on(server, seed) == 1
    created = [seen for seen in network.seen if seen.path == "/v1/games"]
    assert len(created) == 4
    assert len({(seen.key, seen.body) for seen in created}) == 1
    assert len(created[0].key or "") >= 32


def test_an_outage_is_reported_and_the_game_can_be_continued_later(
    network: Network, url: str
) -> None:
    network.fail(*[DELIVERED] * 3, *[REQUEST_LOST] * 2)
    done = run(network.url, "--first", "--seed", SEED, PLAY_RETRIES="1")
    assert done.returncode == 1
    game = game_of(done)
    assert f"The server does not respond. Continue later with: --game {game}" in done.stderr
    assert notation(run(url, "--first", "--game", game)) == played(SEED, first)


def test_a_refused_request_is_reported_with_its_invalid_field(url: str, server: ApiServer) -> None:
    done = run(url, "--first", "--seed", "a seed")
    assert done.returncode == 1
    (error,) = server.post("/v1/games", {"seed": "a seed"}).json["errors"]
    assert f"/seed {error['detail']}\n" in done.stderr


def test_a_game_that_does_not_exist_is_reported(url: str, server: ApiServer) -> None:
    done = run(url, "--game", "nosuch")
    assert done.returncode == 1
    problem = server.get("/v1/games/nosuch").json
    assert problem["code"] == "game_not_found"
    assert done.stderr.startswith(f"{problem['title']}.")


def test_an_error_that_is_no_problem_object_is_reported_by_its_status(network: Network) -> None:
    network.fail(BUSY, forever=True)
    done = run(network.url, "--first", PLAY_RETRIES="0")
    assert done.returncode == 1
    assert done.stderr.endswith("The server responded with status 503.\n")


def test_an_unknown_argument_prints_the_usage(url: str) -> None:
    done = run(url, "--nosuch")
    assert done.returncode == 2
    assert "plays a whole game by itself" in done.stderr


# Secrets


def test_a_locked_game_requires_its_token(url: str, server: ApiServer) -> None:
    game = server.post("/v1/games", {"seed": SEED, "locked": True}).json
    without = run(url, "--first", "--game", game["id"])
    assert without.returncode == 1
    move = {"version": 0, "actions": ["avoid"]}
    refused = server.post(f"/v1/games/{game['id']}/actions", move).json
    assert refused["code"] == "token_required"
    assert without.stderr.startswith(f"{refused['title']}.")
    done = run(url, "--first", "--game", game["id"], PLAY_TOKEN=game["token"])
    assert notation(done) == played(SEED, first)


def test_no_secret_is_in_the_arguments_of_a_command(
    url: str, server: ApiServer, tmp_path: Path
) -> None:
    game = server.post("/v1/games", {"seed": SEED, "locked": True}).json
    log = tmp_path / "log"
    spy = tmp_path / "curl"
    spy.write_text(f'#!/bin/sh\necho "$@" >>{log}\nexec {shutil.which("curl")} "$@"\n')
    spy.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    run(url, "--first", "--game", game["id"], PLAY_TOKEN=game["token"], PATH=path)
    created = game_of(run(url, "--first", "--seed", SEED, PATH=path))
    calls = log.read_text()
    assert calls.count("-K ") > 15
    secrets = (game["id"], game["token"], created, "Idem")
    assert not [secret for secret in secrets if secret in calls]


def test_no_file_is_left_behind(url: str, tmp_path: Path) -> None:
    run(url, "--first", "--seed", SEED, TMPDIR=str(tmp_path))
    run(url, "--seed", SEED, answers="q\n", TMPDIR=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
def test_shellcheck_finds_nothing() -> None:
    done = subprocess.run(["shellcheck", SCRIPT], capture_output=True, text=True, check=False)
    assert done.stdout == ""
