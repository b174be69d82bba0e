"""Every key in the store expires, except the secret, won ranked games and their boards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from api.store import Store
from tests.api.client import UNKNOWN_ID, Api
from tests.servers import StoreServer, serving, valkey_binary
from tests.store.play import WON, finish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from tests.api.documented import Document

DAY = 24 * 60 * 60 * 1000


@pytest.fixture(scope="module")
def own_store() -> Iterator[StoreServer]:
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="module")
def won(own_store: StoreServer) -> str:
    """The ID of a won ranked game, finished in the store: a client would need luck to win one."""
    return finish(Store(own_store.url), WON).id


@pytest.fixture(scope="module")
def played(own_store: StoreServer, document: Document) -> Iterator[Redis]:
    """A direct client of a store in which the API has created every kind of key."""
    with (
        serving(own_store, create_limit="9999/day") as server,
        own_store.client as redis,
    ):
        _play_all(Api(server, document))
        yield redis


def _play_all(api: Api) -> None:
    requests: list[dict[str, Any]] = [
        {},
        {"seed": "the-same"},
        {"options": {"leave": 2}},
        {"seed": "the-same", "options": {"health": 99}},
        {"locked": True},
        {"player": "Robin"},
    ]
    for ruleset in ("original", "gamemaker", "strict", "gravekeeper"):
        for fields in requests:
            for moves in (0, 1, 300):
                _play(api, api.new_game(ruleset=ruleset, **fields), moves)
        api.get(f"/v1/ledger?ruleset={ruleset}&seed=the-same")
        api.get(f"/v1/ledger?ruleset={ruleset}&seed=nobody-played-this")
    key = {"Idempotency-Key": "key-of-the-memory-test"}
    for body in ({}, {}, {"player": "Alex"}):
        api.request("POST", "/v1/games", body, headers=key)
    for path in ("", "/actions", "/score", "/history"):
        api.get(f"/v1/games/{UNKNOWN_ID}{path}")
    api.act(UNKNOWN_ID, 0, "avoid")
    api.post("/v1/replays", {"notation": "original/demo-1/TH"})
    for path in ("/v1/ledger", "/v1/rulesets", "/readyz", "/livez", "/openapi.json"):
        api.get(path)


def _play(api: Api, game: dict[str, Any], moves: int) -> None:
    token = {"Authorization": f"Bearer {game['token']}"} if game["locked"] else {}
    path = game["links"]["actions"]
    while game["actions"] and moves:
        move = {"version": game["version"], "actions": game["actions"][:1]}
        game = api.request("POST", path, move, headers=token).json
        moves -= 1
    api.get(game["links"]["score"])


def test_every_key_expires_unless_it_must_persist(played: Redis, won: str) -> None:
    kinds = set()
    for key in played.scan_iter("*"):
        ttl = played.pttl(key)
        match key.split(":"):
            case ["secret"] | ["secret", "fingerprint"]:
                assert ttl == -1
            case ["probe"]:
                assert 0 < ttl <= 60_000
            case ["limit", _]:
                assert 0 < ttl <= DAY
            case ["game", game_id] if game_id == won:
                assert ttl == -1
            case ["game", _]:
                assert 0 < ttl <= 365 * DAY
            case ["board", name] if "/" in name:
                assert 0 < ttl <= 30 * DAY
            case ["board", _]:
                assert ttl == -1
            case _:
                raise AssertionError(key)
        kinds.add(key.partition(":")[0])
    assert kinds == {"secret", "probe", "limit", "game", "board"}


def test_persistent_boards_contain_only_ranked_games(played: Redis) -> None:
    boards = _persistent_boards(played)
    assert boards
    for board in boards:
        for member in played.zrange(board, 0, -1):
            game = played.hgetall(f"game:{str(member)[16:]}")
            assert "m" not in game
            assert "+" not in game.get("r", "")


def _persistent_boards(redis: Redis) -> list[str]:
    return [key for key in redis.scan_iter("board:*") if redis.pttl(key) == -1]
