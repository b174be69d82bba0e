"""The store on a Cluster, with games, boards and pending notes on different nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from limits import RateLimitItemPerMinute

from api.games.play import play
from api.store import UNAVAILABLE, Board, Mode, Purpose, Store
from engine import RULESETS, rules_for
from tests.cluster import Cluster
from tests.servers import wait_until
from tests.store.play import (
    LOST,
    boards_read,
    create,
    finish,
    move,
    one_short,
    random_record,
    replayed_boards,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from api.store import Game
    from tests.cluster import Node

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(binary: str) -> Iterator[Cluster]:
    with Cluster(binary) as cluster:
        yield cluster


@pytest.fixture
def url(cluster: Cluster) -> str:
    """URL of the Cluster, which is emptied first."""
    cluster.empty()
    return cluster.url


@pytest.fixture
def redis(cluster: Cluster, url: str) -> Iterator[Redis]:
    """A client that reads the Cluster directly."""
    assert url
    with cluster.client as client:
        yield client


@pytest.fixture
def store(url: str) -> Store:
    return Store(url)


def _games_on_every_node(store: Store, nodes: list[Node]) -> list[Game]:
    games: list[Game] = []
    while not all(_has_a_game(node) for node in nodes):
        games.append(create(store))
    return games


def _has_a_game(node: Node) -> bool:
    with node.client as client:
        return bool(list(client.scan_iter("game:*")))


def test_games_on_every_node_are_read_in_order(store: Store, cluster: Cluster) -> None:
    games = _games_on_every_node(store, cluster.nodes)
    assert [store.games.read(game.id) for game in games] == games
    assert store.games.read_all([*[game.id for game in games], "gone"]) == [*games, None]


def test_boards_equal_the_replay_of_the_finished_games(store: Store, redis: Redis) -> None:
    for luck in range(40):
        rules = rules_for(list(RULESETS)[luck % 4])
        mode = Mode.SEEDED if luck % 3 else Mode.STANDARD
        finish(store, random_record(luck, rules, "a" if luck % 2 else "b"), mode=mode)
    boards = replayed_boards(store, redis)
    assert len(boards) > len(RULESETS)
    assert boards_read(store, redis) == boards
    assert not redis.exists("pending")


def test_a_sweep_ranks_games_that_were_left_unranked(store: Store, redis: Redis) -> None:
    games = [finish(store), *[one_short(store) for _ in range(5)]]
    for game in games[1:3]:
        store.ledger.expect(game)
        store.games.append(game, LOST.actions[-1:], games[0].state)
    redis.zadd("pending", {game.id: 1 for game in games[1:3]})
    store.ledger.sweep()
    assert boards_read(store, redis) == replayed_boards(store, redis)
    assert store.ledger.page(Board("original"), 20).total == 3


def test_a_repeated_move_is_applied_once(store: Store) -> None:
    game = one_short(store)
    for replayed in (False, True):
        played = play(store, game.id, len(game.log), LOST.actions[-1:])
        assert (played.game.over, played.replayed) == (True, replayed)
    assert store.ledger.page(Board("original"), 20).total == 1


def test_all_processes_share_one_secret(url: str) -> None:
    one, other = Store(url), Store(url)
    assert one.secret.derive(Purpose.ID, "x") == other.secret.derive(Purpose.ID, "x")


def test_the_create_limit_counts_each_client_across_all_nodes(url: str, redis: Redis) -> None:
    limits = [Store(url, create_limit=RateLimitItemPerMinute(2)).create_limit for _ in range(2)]
    for client in map(str, range(20)):
        taken = [limit.take(client).granted for limit in limits * 2 if limit]
        assert taken == [True, True, False, False]
    assert len(list(redis.scan_iter("limit:*"))) == 20


def test_a_cluster_can_be_probed_again_after_its_connections_are_dropped(store: Store) -> None:
    store.probe()
    store.forget_connections()
    store.probe()


def test_a_cluster_that_is_down_is_unavailable_until_it_restarts(
    cluster: Cluster, store: Store
) -> None:
    game = one_short(store)
    for node in cluster.nodes:
        node.kill()
    for _ in range(2):
        with pytest.raises(UNAVAILABLE):
            store.probe()
        with pytest.raises(UNAVAILABLE):
            move(store, game, LOST.actions[-1:])
        store.forget_connections()
    for node in cluster.nodes:
        node.start()
    wait_until(lambda: cluster.is_whole)
    store.probe()
    assert move(store, game, LOST.actions[-1:]).over
