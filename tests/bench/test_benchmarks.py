"""The benchmarks run and measure correctly. No test depends on the speed itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from api.store import Store
from bench import scale
from bench.load import LoadError, Request, moves, run_wrk, send
from bench.sample_games import long_games, start_games
from tests.playing import record
from tests.servers import ROOT, StoreServer, redis_binary, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import ApiServer

needs_wrk = pytest.mark.skipif(not shutil.which("wrk"), reason="no wrk on the PATH")


@pytest.fixture(scope="module")
def store_server() -> Iterator[StoreServer]:
    with StoreServer(valkey_binary()) as server:
        yield server


@pytest.fixture(scope="module")
def api(store_server: StoreServer) -> Iterator[ApiServer]:
    with serving(store_server, workers=1) as server:
        yield server


@pytest.fixture
def store(store_server: StoreServer) -> Iterator[Store]:
    store = Store(store_server.url)
    yield store
    store.forget_connections()


def figures_of(module: str, *arguments: str) -> dict[str, list[float]]:
    """Run a benchmark and return the figures in each row of its tables.

    Beside other tests a server may be late for some requests, so a failed load is retried.
    """
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if "LoadError" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"^(\S.*?\D) {2,}([\d., %]+)$", done.stdout, re.MULTILINE)
    return {
        name: [float(figure.strip("%").replace(",", "")) for figure in figures.split()]
        for name, figures in lines
    }


# Loads.


@needs_wrk
@pytest.mark.slow
def test_each_move_is_sent_once(api: ApiServer, store: Store) -> None:
    games = start_games(store, long_games(300))
    load = send(api.port, moves(games), seconds=1, connections=1)
    played = sum(len(store.games.read(game.id).log) - len(game.log) for game, _ in games)
    # The response to the last move may be missing when the load ends.
    assert load.requests <= played <= load.requests + 1
    assert 0 < load.p50 <= load.p99


@needs_wrk
@pytest.mark.slow
def test_a_load_with_failed_requests_raises_an_error(api: ApiServer) -> None:
    with pytest.raises(LoadError, match="failed"):
        send(api.port, [Request("GET", "/v1/games/nobodys")], seconds=1)


@needs_wrk
@pytest.mark.slow
def test_a_load_that_runs_out_of_moves_raises_an_error(api: ApiServer, store: Store) -> None:
    with pytest.raises(LoadError, match="ran out"):
        send(api.port, moves(start_games(store, long_games(2))), seconds=1)


@needs_wrk
@pytest.mark.slow
def test_requests_other_than_moves_are_repeated(api: ApiServer) -> None:
    assert send(api.port, [Request("GET", "/livez")] * 2, seconds=1).requests > 2


def test_without_wrk_the_message_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SystemExit, match="apt-get install wrk"):
        run_wrk(1, "wrk.lua", 1, 1)


# Random games.


@needs_wrk
@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["list", "response", "room"])
def test_random_games_are_played_to_their_end(
    strategy: str, api: ApiServer, store_server: StoreServer, store: Store
) -> None:
    with store_server.client as redis:
        redis.flushall()
    output = run_wrk(api.port, "games.lua", 1, 2, strategy)
    games = [store.games.read(game_id) for game_id in store.games.ids()]
    # The response to each player's last move may be missing when the load ends.
    finished = sum(game.over for game in games)
    assert 0 < output["games"] <= finished <= output["games"] + 2
    requests = len(games) + sum(len(game.log) for game in games)
    if strategy == "list":
        assert output["requests"] > 1.5 * requests - len(games)
    elif strategy == "room":
        assert output["requests"] < 0.8 * requests


# Large boards and stores.


def test_reading_a_filled_board_removes_no_entries(
    api: ApiServer, store: Store, store_server: StoreServer
) -> None:
    with store_server.client as redis:
        redis.flushall()
        filled = scale._fill_board(store, redis, 1_000)
        for requests in scale._board_requests(filled).values():
            for request in requests:
                assert api.get(request.path).status == 200
        assert redis.zcard(f"board:{filled.board.name}") == 1_000


def test_a_filled_board_has_its_size_and_its_real_games_in_place(
    store: Store, store_server: StoreServer
) -> None:
    with store_server.client as redis:
        redis.flushall()
        filled = scale._fill_board(store, redis, 1_000)
    middle = len(filled.best) + (1_000 - 3 * scale.REAL_GAMES) // 2
    for games, first in (
        (filled.best, 1),
        (filled.middle, middle + 1),
        (filled.last, 1_000 - scale.REAL_GAMES + 1),
    ):
        # The id decides between games that ended in the same millisecond.
        ranks = [store.ledger.rank(game) or 0 for game in games]
        assert sorted(ranks) == list(range(first, first + scale.REAL_GAMES))
        assert store.ledger.page_around(filled.board, scale.PAGE, games[50])
    assert store.ledger.page(filled.board, 1).total == 1_000


def test_copied_games_can_be_played(store_server: StoreServer) -> None:
    records = [record(f"copied-{number}") for number in range(7)]
    store = Store(store_server.url)
    with store_server.client as redis:
        redis.flushall()
        copied = list(scale._copy_games(store_server, records, live=1_000))
        assert redis.dbsize() == 1_000 + len(records)
        assert all(redis.pttl(f"game:{game.id}") > 0 for game, _ in copied)
    for game, actions in copied:
        assert store.games.read(game.id) == game
        assert len(game.log) < len(actions)


# Whole benchmarks.


@needs_wrk
@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "rows"),
    [
        ("bench.floor", {"floor: a move without the API", "applyActions", "getGame"}),
        (
            "bench.games",
            {"GET the actions, POST one, 1 client", "POST three actions at once, 16 clients"},
        ),
        ("bench.scale", {"1 worker", "1,000 entries", "Cluster of 3 primaries"}),
    ],
)
def test_a_benchmark_prints_its_figures(module: str, rows: set[str]) -> None:
    figures = figures_of(module, "--brief")
    assert rows <= set(figures)
    assert all(row[0] > 0 for row in figures.values())


@pytest.mark.slow
def test_memory_is_measured_on_each_installed_store() -> None:
    figures = figures_of("bench.memory", "--brief")
    for name in ("new game", "game halfway", "finished game", "ledger entry"):
        assert 50 < figures[name][0] < 1_000
    assert redis_binary() is None or figures["game halfway"][1] > figures["new game"][1]


@pytest.mark.slow
def test_the_engine_is_measured() -> None:
    figures = figures_of("bench.engine", "--brief")
    assert figures["random.shuffle of 44 integers"][2] == 1
