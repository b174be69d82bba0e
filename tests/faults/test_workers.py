"""Workers killed or stopped anywhere in a move, and moves that are sent many times over."""

from __future__ import annotations

import http.client
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from enum import Enum, auto
from itertools import count
from random import Random
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest

from tests.api.client import OF_THE_MOMENT
from tests.faults.driver import Driver
from tests.faults.invariants import check_boards, stored_games
from tests.faults.stage import staged
from tests.playing import FOOLISH, act, answers, begin, of_play, record
from tests.servers import ApiServer, StoreServer, serving, valkey_binary, wait_until
from tests.store.link import Fate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redis import Redis

    from tests.playing import Record
    from tests.servers import Reply
    from tests.store.link import Link

pytestmark = pytest.mark.slow

CROWD = 50


class When(Enum):
    """When a worker is killed, of the command that it sends to the store."""

    BEFORE = auto()
    AFTER = auto()


@pytest.fixture(scope="module")
def redis(store: StoreServer) -> Iterator[Redis]:
    with store.client as client:
        yield client


@pytest.fixture(scope="module")
def api(link: Link) -> Iterator[ApiServer]:
    """An API of one worker, whose way to the store is watched."""
    with ApiServer({"SCOUNDREL_REDIS_URL": link.url}, workers=1) as server:
        yield server


@pytest.fixture(scope="module")
def other(store: StoreServer) -> Iterator[ApiServer]:
    """Another API on the same store."""
    with serving(store, workers=2) as server:
        yield server


def worker(api: ApiServer) -> int:
    """Return the process id of an API's only worker."""
    (pid,) = api.workers_there
    return pid


def short_game() -> Record:
    """Return a game that ends soon, another each time."""
    seeds = (f"killed-{next(NUMBERS)}" for _ in count())
    games = (record(seed, player=FOOLISH) for seed in seeds)
    return next(game for game in games if 1 < len(game.actions) < 12)


NUMBERS = count()


def begun(api: ApiServer, game: Record, moves: int) -> str:
    """Create a game and make its first moves; return its id."""
    game_id, _ = begin(api, game)
    for version in range(moves):
        assert act(api, game_id, version, game.actions[version]).status == 200
    return game_id


def commands(api: ApiServer, link: Link, move: int) -> int:
    """Return how many commands a move takes that is counted from the start, or from the end."""
    for _ in range(2):  # the first time the store does not know the scripts yet
        game = short_game()
        version = range(len(game.actions))[move]
        game_id = begun(api, game, version)
        link.begin_again(lambda _number: Fate.ANSWERED)
        act(api, game_id, version, game.actions[version])
    return len(link.commands)


@contextmanager
def killed(api: ApiServer, link: Link, number: int, when: When) -> Iterator[None]:
    """Kill the worker at one of the commands that it sends meanwhile."""
    pid = worker(api)

    def fate(sent: int) -> Fate:
        if sent != number:
            return Fate.ANSWERED
        if when is When.AFTER:
            return Fate.CARRIED_OUT
        os.kill(pid, signal.SIGKILL)
        return Fate.LOST

    link.withheld = lambda: os.kill(pid, signal.SIGKILL)
    link.begin_again(fate)
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        yield
    link.begin_again(lambda _number: Fate.ANSWERED)
    wait_until(lambda: api.get("/livez").status == 200)


def expect_played(reply: Reply, game: Record, version: int, *, replayed: bool) -> None:
    """The answer is that of the engine, and says whether the move had been made before."""
    assert reply.status == 200, reply.body
    expected = answers(list(game.steps())[version + 1])
    assert of_play(reply.json, expected) == expected
    assert ("Idempotent-Replayed" in reply.headers) == replayed


def length(redis: Redis, game_id: str) -> int:
    return len(redis.hget(f"game:{game_id}", "a") or "")


@pytest.mark.parametrize("when", When)
def test_a_move_whose_worker_is_killed_at_any_command_is_made_once(
    api: ApiServer, link: Link, redis: Redis, when: When
) -> None:
    made = []
    for number in range(commands(api, link, 0)):
        game = short_game()
        game_id = begun(api, game, 0)
        with killed(api, link, number, when):
            act(api, game_id, 0, game.actions[0])
        made.append(length(redis, game_id))
        again = act(api, game_id, 0, game.actions[0])
        expect_played(again, game, 0, replayed=bool(made[-1]))
        assert length(redis, game_id) == 1
    # Killed before the last command it has not been made, and after that it has.
    assert made[-1] == (when is When.AFTER)


@pytest.mark.parametrize("when", When)
@pytest.mark.parametrize("heal", ["the move again", "its score", "the ledger"])
def test_a_last_move_whose_worker_is_killed_at_any_command_is_ranked_when_anybody_asks(
    api: ApiServer, link: Link, redis: Redis, when: When, heal: str
) -> None:
    over = set()
    for number in range(commands(api, link, -1)):
        game = short_game()
        last = len(game.actions) - 1
        game_id = begun(api, game, last)
        with killed(api, link, number, when):
            act(api, game_id, last, game.actions[last])
        made = length(redis, game_id) > last
        over.add(made)
        if heal == "its score":
            score = api.get(f"/v1/games/{game_id}/score").json
            assert (score["status"] == "playing", score["rank"]) == (not made, made or None)
        elif heal == "the ledger":
            # As if the grace period of a note were over.
            redis.zadd("pending", {game_id: 1}, xx=True)
            listed = api.get(f"/v1/ledger?ruleset={game.ruleset}&seed={game.seed}").json
            assert [entry["game_id"] for entry in listed["entries"]] == [game_id] * made
        else:
            again = act(api, game_id, last, game.actions[last])
            expect_played(again, game, last, replayed=made)
            made = True
        if made:
            check_boards(stored_games(redis), redis)
    assert over == {True, False}


def test_a_worker_that_is_stopped_in_a_last_move_for_longer_than_its_note_holds_completes_it(
    api: ApiServer, other: ApiServer, link: Link, redis: Redis
) -> None:
    commands(api, link, -1)  # so that the store knows the scripts
    game = short_game()
    last = len(game.actions) - 1
    board = f"/v1/ledger?ruleset={game.ruleset}&seed={game.seed}"
    game_id = begun(api, game, last)
    pid = worker(api)

    def fate(_number: int) -> Fate:
        if link.commands[-1] == "EVALSHA":  # the note is the first script of a last move
            os.kill(pid, signal.SIGSTOP)
        return Fate.ANSWERED

    link.begin_again(fate)
    with ThreadPoolExecutor() as pool:
        moved = pool.submit(act, api, game_id, last, game.actions[last])
        try:
            wait_until(lambda: redis.zscore("pending", game_id) is not None)
            redis.zadd("pending", {game_id: 1}, xx=True)
            assert other.get(board).json["total"] == 0
            # The sweep has left the note to whoever was stopped.
            assert (redis.zscore("pending", game_id) or 0) > 1
        finally:
            link.begin_again(lambda _number: Fate.ANSWERED)
            os.kill(pid, signal.SIGCONT)
        reply = moved.result()
    if reply.status == 503:  # it found that the store had not answered in time
        reply = act(api, game_id, last, game.actions[last])
    assert reply.status == 200
    assert other.get(board).json["total"] == 1
    assert other.get(f"/v1/games/{game_id}/score").json["rank"] == 1
    check_boards(stored_games(redis), redis)


def kill_workers(api: ApiServer, random: Random) -> None:
    for _ in range(6):
        if there := sorted(api.workers_there):
            with suppress(ProcessLookupError):
                os.kill(random.choice(there), signal.SIGKILL)
        time.sleep(0.5)


def stop_a_worker(api: ApiServer, random: Random) -> None:
    pid = random.choice(sorted(api.workers_there))
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(3)
    finally:
        os.kill(pid, signal.SIGCONT)


def replace_workers(api: ApiServer, _random: Random) -> None:
    assert api.process
    for _ in range(2):
        before = api.workers_there
        api.process.send_signal(signal.SIGHUP)
        wait_until(lambda: api.workers_there.isdisjoint(before))  # noqa: B023  # called at once


@pytest.mark.parametrize("fault", [kill_workers, stop_a_worker, replace_workers])
def test_games_survive_workers_that_come_and_go(
    fault: Callable[[ApiServer, Random], None],
) -> None:
    with staged(valkey_binary()) as stage:
        with Driver(stage.port) as driver:
            driver.play()
            fault(stage.api, Random(driver.seed))
            recovered = driver.recovered()
            driver.play()
        figures = driver.check(stage)
    print(f"{fault.__name__}: recovered in {recovered:.2f} s, {figures}")  # noqa: T201  # for a report


@pytest.mark.parametrize("move", [0, -1], ids=["the first move", "the last move"])
@pytest.mark.parametrize("times", [2, CROWD])
def test_of_the_same_request_sent_many_times_at_once_one_is_carried_out(
    other: ApiServer, redis: Redis, move: int, times: int
) -> None:
    game = short_game()
    version = range(len(game.actions))[move]
    game_id = begun(other, game, version)
    together = Barrier(times)

    def send(_number: int) -> Reply:
        together.wait()
        return act(other, game_id, version, game.actions[version])

    with ThreadPoolExecutor(times) as pool:
        replies = list(pool.map(send, range(times)))
    replayed = [reply for reply in replies if "Idempotent-Replayed" in reply.headers]
    assert len(replayed) == times - 1
    assert all(told(reply) == told(replies[0]) for reply in replies)
    for reply in replies:
        expect_played(reply, game, version, replayed=reply in replayed)
    assert length(redis, game_id) == version + 1
    check_boards(stored_games(redis), redis)


def told(reply: Reply) -> tuple[int, dict[str, str], Any]:
    """Return an answer without what each has of its own."""
    of_its_own = {*OF_THE_MOMENT, "Idempotent-Replayed"}
    headers = {name: value for name, value in reply.headers.items() if name not in of_its_own}
    return reply.status, headers, reply.json
