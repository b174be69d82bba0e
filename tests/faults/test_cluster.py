"""A Cluster of three primaries and three replicas that loses a primary while games are played.

Replication is asynchronous: a move is acknowledged before a replica has it, so a failover may take
moves back. It may not take back a finished game that replicas were waited for, nor anything that
lies on the other primaries.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from http import HTTPStatus
from itertools import count
from random import Random
from signal import Signals
from typing import TYPE_CHECKING, NamedTuple

import pytest
from redis.crc import key_slot

from api.store import Store
from engine import parse_action, to_log
from tests.cluster import Cluster
from tests.faults import invariants
from tests.faults.driver import Driver
from tests.playing import FOOLISH, act, begin, insist, record
from tests.servers import ApiServer, redis_binary, valkey_binary, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cluster import Node
    from tests.faults.exchanges import Exchange
    from tests.playing import Record
    from tests.servers import Reply

pytestmark = pytest.mark.slow

FAILOVER = 15
"""Within so many seconds of a primary's loss its games go on."""

OUTAGE = 1
"""The lost primary is left alone for so many seconds after its replica has taken over."""

LAST_MOVES = 4

KEPT = -math.inf

PLAYERS = 8


@pytest.fixture(scope="module", params=["valkey", "redis"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    binary = valkey_binary() if request.param == "valkey" else redis_binary()
    if binary is None:
        pytest.skip("no redis-server on the PATH")
    with Cluster(binary, "--cluster-node-timeout", "1000", replicas=1) as cluster:
        yield cluster


@pytest.fixture(params=[0, 1], ids=["waiting-for-none", "waiting-for-one"])
def wait_replicas(request: pytest.FixtureRequest) -> int:
    """How many replicas the API waits for when a game is finished."""
    replicas: int = request.param
    return replicas


@pytest.fixture
def api(cluster: Cluster, wait_replicas: int) -> Iterator[ApiServer]:
    cluster.empty()
    settings = {
        "SCOUNDREL_REDIS_URL": cluster.url,
        "SCOUNDREL_WAIT_REPLICAS": str(wait_replicas),
    }
    with ApiServer(settings) as server:
        yield server


class Failover(NamedTuple):
    """When a primary was lost, when its replica had its place, and what lay there."""

    lost: float
    replaced: float
    slots: frozenset[int]

    def concerns(self, *keys: str) -> bool:
        """Whether any of these keys lay there."""
        return any(key_slot(key.encode()) in self.slots for key in keys)


def _fail_over(cluster: Cluster, primary: Node, how: Signals = Signals.SIGKILL) -> Failover:
    """Kill or stop a primary until it is replaced, and have it come back as a replica."""
    heir = cluster.replica_of(primary)
    slots = primary.slots
    primary.kill(how)
    lost = time.monotonic()
    wait_until(lambda: heir.is_primary, FAILOVER)
    replaced = time.monotonic()
    time.sleep(OUTAGE)
    if how is Signals.SIGSTOP:
        primary.kill(Signals.SIGCONT)
    else:
        primary.start()
    wait_until(lambda: cluster.is_whole)
    return Failover(lost, replaced, slots)


@pytest.mark.parametrize("how", [Signals.SIGKILL, Signals.SIGSTOP], ids=["killed", "frozen"])
@pytest.mark.parametrize("wait_replicas", [1], indirect=True)
def test_games_go_on_when_a_primary_is(cluster: Cluster, api: ApiServer, how: Signals) -> None:
    with Driver(api.port, PLAYERS) as driver:
        driver.play()
        primary = Random(driver.seed).choice([node for node in cluster.nodes if node.is_primary])
        failover = _fail_over(cluster, primary, how)
        driver.recovered(lost=True)
        driver.play()
    exchanges = driver.exchanges
    resumed = _resumed(exchanges, failover)
    assert resumed < FAILOVER
    assert _went_on_elsewhere(exchanges, failover)
    mended = _mend_boards(cluster, failover)
    figures = driver.check(cluster)
    _check_what_is_kept(cluster, exchanges, failover)
    print(  # noqa: T201  # the figures of docs/RELIABILITY.md
        f"replaced after {failover.replaced - failover.lost:.1f} s, its games went on after "
        f"{resumed:.1f} s, {mended} entries mended, {figures}"
    )


def _moves_of(exchanges: list[Exchange], failover: Failover, *, there: bool) -> Iterator[Exchange]:
    """Yield the new moves of games that lay on the primary that was lost, or of all others."""
    for exchange in exchanges:
        fresh = exchange.moves and exchange.acknowledged and not exchange.replayed
        if fresh and failover.concerns(f"game:{exchange.game_id}") is there:
            yield exchange


def _resumed(exchanges: list[Exchange], failover: Failover) -> float:
    """Return how long after the loss the first move of a game that lay there was acknowledged."""
    moves = _moves_of(exchanges, failover, there=True)
    return next(move.ended - failover.lost for move in moves if move.ended > failover.lost + 0.1)


def _went_on_elsewhere(exchanges: list[Exchange], failover: Failover) -> bool:
    """Whether games of the other primaries were played meanwhile."""
    moves = _moves_of(exchanges, failover, there=False)
    return any(failover.lost < move.began < failover.replaced for move in moves)


def _mend_boards(cluster: Cluster, failover: Failover) -> int:
    """Rebuild the boards; only what lay on the primary that was lost may want it."""
    store = Store(cluster.url)
    audit = store.ledger.audit
    differences = list(audit.differences())
    for difference in differences:
        assert difference.board, f"{difference}"
        lay_at = (f"board:{difference.board.name}", f"game:{difference.game_id}", "pending")
        assert failover.concerns(*lay_at), f"{difference}"
        audit.repair(difference)
    store._client.redis.close()
    return len(differences)


def _check_what_is_kept(cluster: Cluster, exchanges: list[Exchange], failover: Failover) -> None:
    """Check that the other primaries lost nothing, and none of them a finished game."""
    with cluster.client as redis:
        stored = invariants.stored_games(redis)
    checked: Counter[bool] = Counter()
    for game in invariants.by_game(exchanges).values():
        there = failover.concerns(f"game:{game.id}")
        if not there:
            invariants.check_game(game, stored.get(game.id), KEPT)
        for exchange in game.exchanges:
            if exchange.finishes:
                assert game.id in stored, f"the game is gone: {exchange}"
                assert invariants.holds(exchange, stored[game.id]), f"{exchange} is lost"
        checked[there] += 1
    assert checked[True], "no game lay on the primary that was lost"
    assert checked[False], "no game lay elsewhere"


def test_what_no_replica_has_is_acknowledged_only_by_who_waits_for_none(
    cluster: Cluster, api: ApiServer, wait_replicas: int
) -> None:
    """Last moves before and after the replica is cut off, and then a failover.

    What was taken back is played anew when it is repeated, and ranked.
    """
    primary = next(node for node in cluster.nodes if node.is_primary)
    games = [_one_short_on(primary, api) for _ in range(2 * LAST_MOVES)]
    kept, taken_back = games[:LAST_MOVES], games[LAST_MOVES:]
    for game in kept:
        assert game.finish(api).status == HTTPStatus.OK
    _cut_off_its_replica(cluster, primary)
    for game in taken_back:
        reply = game.finish(api)
        if wait_replicas:
            assert reply.status == HTTPStatus.SERVICE_UNAVAILABLE
            assert reply.json["code"] == "store_unavailable"
            assert int(reply.headers["Retry-After"]) > 0
        else:
            assert reply.status == HTTPStatus.OK
        assert game.is_finished(cluster), "it was not even played"
    _fail_over(cluster, primary)
    assert all(game.is_finished(cluster) for game in kept)
    assert not any(game.is_finished(cluster) for game in taken_back), "nothing was taken back"
    for game in games:
        assert insist(api, game.id, *game.last).status == HTTPStatus.OK
        assert game.is_finished(cluster)
        entries = api.get(f"/v1/ledger?seed={game.played.seed}").json["entries"]
        assert game.id in [entry["game_id"] for entry in entries]


class OneShort(NamedTuple):
    """A game that is played but for its last action."""

    id: str
    played: Record

    @property
    def last(self) -> tuple[int, str]:
        """The version and the action that are left."""
        return len(self.played.actions) - 1, self.played.actions[-1]

    def finish(self, api: ApiServer) -> Reply:
        """Send the last action once."""
        return act(api, self.id, *self.last)

    def is_finished(self, cluster: Cluster) -> bool:
        """Whether the store has the whole of it."""
        with cluster.client as redis:
            log = redis.hget(f"game:{self.id}", "a")
        return str(log) == to_log(map(parse_action, self.played.actions))


def _one_short_on(primary: Node, api: ApiServer) -> OneShort:
    """Begin a game that lies on a primary, and play all of it but the last action."""
    for number in count():
        game = record(f"cut-{number}", player=FOOLISH)
        game_id, _body = begin(api, game)
        if key_slot(f"game:{game_id}".encode()) in primary.slots:
            break
    for version, action in enumerate(game.actions[:-1]):
        assert act(api, game_id, version, action).status == HTTPStatus.OK
    return OneShort(game_id, game)


def _cut_off_its_replica(cluster: Cluster, primary: Node) -> None:
    """Have a primary send its replica nothing more; the nodes still see each other.

    For long the replica would not be fit to take over, which is for an operator to decide then.
    """
    heir = cluster.replica_of(primary)
    wait_until(lambda: heir.offset == primary.offset)
    primary.ask("ACL", "SETUSER", "default", "-psync", "-sync")
    primary.ask("CLIENT", "KILL", "TYPE", "replica")
    wait_until(lambda: not primary.replicas)
