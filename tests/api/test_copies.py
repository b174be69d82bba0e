"""Games cached by a worker are never trusted: the store decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from api.store import Store, games
from engine import apply as engine_apply
from engine import begin, legal_actions, parse_action, to_log
from tests.playing import Connection, act
from tests.servers import serving
from tests.store.play import new_game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from engine import State
    from tests.servers import ApiServer, StoreServer

SEED = "copies-1"
DEAL = begin(SEED).state
ONE, OTHER = legal_actions(DEAL)[:2]


@pytest.fixture(scope="module")
def worker(store_server: StoreServer) -> Iterator[ApiServer]:
    """An API with a single worker, so that all requests share one cache."""
    with serving(store_server, workers=1) as running:
        yield running


@pytest.fixture
def client(worker: ApiServer) -> Iterator[Connection]:
    connection = Connection(worker.port)
    yield connection
    connection.close()


@pytest.fixture
def game_id(client: Connection) -> str:
    """A game that the worker has just dealt and cached."""
    reply = client.request("POST", "/v1/games", {"seed": SEED})
    game_id: str = reply.json["id"]
    return game_id


def after(*texts: str) -> State:
    state = DEAL
    for text in texts:
        state = engine_apply(state, parse_action(text)).state
    return state


def set_log(stored: Redis, game_id: str, *texts: str) -> None:
    """Replace the stored log, as after a failover or a move through another worker."""
    stored.hset(f"game:{game_id}", "a", to_log(map(parse_action, texts)))


def code(reply: Any) -> tuple[int, str]:  # noqa: ANN401  # a reply
    return reply.status, reply.json.get("code")


def test_a_move_through_another_worker_is_seen(
    client: Connection, stored: Redis, game_id: str
) -> None:
    set_log(stored, game_id, str(ONE))
    reply = act(client, game_id, 0, str(OTHER))
    assert code(reply) == (409, "version_mismatch")
    assert reply.json["state"]["version"] == 1


def test_a_move_already_applied_by_another_worker_is_a_retry(
    client: Connection, stored: Redis, game_id: str
) -> None:
    set_log(stored, game_id, str(ONE))
    reply = act(client, game_id, 0, str(ONE))
    assert reply.status == 200
    assert reply.headers["Idempotent-Replayed"] == "true"
    assert stored.hget(f"game:{game_id}", "a") == ONE.char


def test_a_different_stored_log_of_the_same_length_replaces_the_cached_one(
    client: Connection, stored: Redis, game_id: str
) -> None:
    assert act(client, game_id, 0, str(ONE)).status == 200
    set_log(stored, game_id, str(OTHER))
    legal = next(a for a in after(str(OTHER)).legal if a not in after(str(ONE)).legal)
    reply = act(client, game_id, 1, str(legal))
    assert reply.status == 200
    assert stored.hget(f"game:{game_id}", "a") == to_log([OTHER, legal])


def test_an_action_legal_only_after_the_cached_log_is_illegal(
    client: Connection, stored: Redis, game_id: str
) -> None:
    assert act(client, game_id, 0, str(ONE)).status == 200
    set_log(stored, game_id, str(OTHER))
    legal = next(a for a in after(str(ONE)).legal if a not in after(str(OTHER)).legal)
    reply = act(client, game_id, 1, str(legal))
    assert code(reply) == (409, "illegal_action")
    assert reply.json["actions"] == [str(action) for action in after(str(OTHER)).legal]
    assert stored.hget(f"game:{game_id}", "a") == OTHER.char


def test_a_cached_game_that_has_expired_is_not_found(
    client: Connection, stored: Redis, game_id: str
) -> None:
    stored.delete(f"game:{game_id}")
    assert code(act(client, game_id, 0, str(ONE))) == (404, "game_not_found")
    assert not stored.exists(f"game:{game_id}")


def test_a_game_recreated_with_the_same_id_replaces_the_cached_one(
    client: Connection, stored: Redis, store_server: StoreServer, game_id: str
) -> None:
    """Also with the same seed: an open game may now be locked."""
    stored.delete(f"game:{game_id}")
    again = new_game(id=game_id, seed=SEED, locked=True)
    assert Store(store_server.url).games.create(again)[1]
    assert code(act(client, game_id, 0, str(ONE))) == (401, "token_required")
    assert not stored.hexists(f"game:{game_id}", "a")


def test_the_number_of_cached_games_is_limited(
    store_server: StoreServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "MAX_COPIES", 2)
    store = Store(store_server.url)
    first, second, third = (store.games.create(new_game())[0] for _ in range(3))
    assert store.games.recall(first.id) is None
    assert store.games.recall(second.id) == second
    assert store.games.recall(third.id) == third


def test_the_most_recently_used_games_stay_cached(
    store_server: StoreServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "MAX_COPIES", 2)
    store = Store(store_server.url)
    first, second = (store.games.create(new_game())[0] for _ in range(2))
    store.games.read(first.id)
    store.games.create(new_game())
    assert store.games.recall(first.id) == first
    assert store.games.recall(second.id) is None
