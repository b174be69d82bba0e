"""The benchmarks run, and count what they say; how fast it was is no matter of tests."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from api.store import Store
from bench import scale
from bench.load import LoadError, Request, moves, send, wrk
from bench.stock import begin_all, long_games
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
    """Run a benchmark and return the figures on each line of its tables.

    Beside other tests a server may be late for some requests, and then there are no figures.
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
def test_moves_are_each_sent_once_and_played(api: ApiServer, store: Store) -> None:
    games = begin_all(store, long_games(300))
    load = send(api.port, moves(games), seconds=1, connections=1)
    played = sum(len(store.games.read(game.id).log) - len(game.log) for game, _ in games)
    # The end may cut one off, whose answer does not count.
    assert load.requests <= played <= load.requests + 1
    assert 0 < load.p50 <= load.p99


@needs_wrk
@pytest.mark.slow
def test_a_load_that_is_refused_gives_no_figures(api: ApiServer) -> None:
    with pytest.raises(LoadError, match="failed"):
        send(api.port, [Request("GET", "/v1/games/nobodys")], seconds=1)


@needs_wrk
@pytest.mark.slow
def test_moves_that_run_out_give_no_figures(api: ApiServer, store: Store) -> None:
    with pytest.raises(LoadError, match="ran out"):
        send(api.port, moves(begin_all(store, long_games(2))), seconds=1)


@needs_wrk
@pytest.mark.slow
def test_all_else_is_sent_again_and_again(api: ApiServer) -> None:
    assert send(api.port, [Request("GET", "/livez")] * 2, seconds=1).requests > 2


def test_without_wrk_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SystemExit, match="apt-get install wrk"):
        wrk(1, "wrk.lua", 1, (1, 1))


# Random games.


@needs_wrk
@pytest.mark.slow
@pytest.mark.parametrize("way", ["asks", "reads", "rooms"])
def test_random_games_are_played_to_their_end(
    way: str, api: ApiServer, store_server: StoreServer, store: Store
) -> None:
    with store_server.client as redis:
        redis.flushall()
    printed = wrk(api.port, "games.lua", 1, (2, 2), way)
    games = [store.games.read(game_id) for game_id in store.games.ids()]
    # A game of each of the two players may have ended without its answer being counted.
    ended = sum(game.over for game in games)
    assert 0 < printed["games"] <= ended <= printed["games"] + 2
    requests = len(games) + sum(len(game.log) for game in games)
    if way == "asks":
        assert printed["requests"] > 1.5 * requests - len(games)
    elif way == "rooms":
        assert printed["requests"] < 0.8 * requests


# Boards and games in great number.


def test_what_is_read_of_a_filled_board_leaves_it_as_it_is(
    api: ApiServer, store: Store, store_server: StoreServer
) -> None:
    with store_server.client as redis:
        redis.flushall()
        filled = scale._filled(store, redis, 1_000)
        for requests in scale._requests(filled).values():
            for request in requests:
                assert api.get(request.path).status == 200
        assert redis.zcard(f"board:{filled.board.name}") == 1_000


def test_a_filled_board_has_its_size_and_games_where_it_is_read(
    store: Store, store_server: StoreServer
) -> None:
    with store_server.client as redis:
        redis.flushall()
        filled = scale._filled(store, redis, 1_000)
    middle = len(filled.best) + (1_000 - 3 * scale.REAL) // 2
    for games, first in (
        (filled.best, 1),
        (filled.middle, middle + 1),
        (filled.last, 1_000 - scale.REAL + 1),
    ):
        # Of those that ended in the same millisecond the id decides.
        ranks = [store.ledger.rank(game) or 0 for game in games]
        assert sorted(ranks) == list(range(first, first + scale.REAL))
        assert store.ledger.page_around(filled.board, scale.PAGE, games[50])
    assert store.ledger.page(filled.board, 1).total == 1_000


def test_a_store_is_filled_with_copies_that_can_be_played(store_server: StoreServer) -> None:
    records = [record(f"copied-{number}") for number in range(7)]
    store = Store(store_server.url)
    with store_server.client as redis:
        redis.flushall()
        copied = list(scale._copied(store_server, records, live=1_000))
        assert redis.dbsize() == 1_000 + len(records)
        assert all(redis.pttl(f"game:{game.id}") > 0 for game, _ in copied)
    for game, actions in copied:
        assert store.games.read(game.id) == game
        assert len(game.log) < len(actions)


# The whole of them.


@needs_wrk
@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "lines"),
    [
        ("bench.floor", {"the floor: a bare move", "applyActions", "getGame"}),
        ("bench.games", {"GET the actions, POST one", "POST three choices at once"}),
        ("bench.parts", {"gunicorn: HTTP and sockets", "the rules"}),
        ("bench.scale", {"1 worker", "1,000 entries", "a Cluster of 3 primaries"}),
    ],
)
def test_a_benchmark_prints_its_figures(module: str, lines: set[str]) -> None:
    figures = figures_of(module, "--brief")
    assert lines <= set(figures)
    assert all(line[0] > 0 for line in figures.values())


@pytest.mark.slow
def test_memory_is_measured_on_each_store_there_is() -> None:
    figures = figures_of("bench.memory", "--brief")
    for name in ("a game dealt", "a game halfway", "a game over", "its entry on a board"):
        assert 50 < figures[name][0] < 1_000
    assert redis_binary() is None or figures["a game halfway"][1] > figures["a game dealt"][1]


@pytest.mark.slow
def test_waiting_for_a_replica_is_measured() -> None:
    figures = figures_of("bench.waiting", "--brief")
    for name in ("no replica waited for", "one replica waited for"):
        assert 0 < figures[name][0] <= figures[name][1]


@pytest.mark.slow
def test_the_engine_is_measured() -> None:
    figures = figures_of("bench.engine")
    assert figures["random.shuffle of 44 integers"][2] == 1
