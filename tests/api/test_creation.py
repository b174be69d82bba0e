"""Creating games: idempotency keys, tokens of locked games, and the server secret."""

from __future__ import annotations

import hmac
import os
import re
import subprocess
import sys
import uuid
from base64 import urlsafe_b64encode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from api.store import Store
from engine import OPTIONS, Options, commitment
from tests.api.client import UNKNOWN_ID, Api, refused
from tests.playing import Connection, record
from tests.ports import free_port
from tests.servers import ROOT, START_SECONDS, StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from redis import Redis

    from tests.api.documented import Document
    from tests.playing import Client
    from tests.servers import ApiServer, Reply

SEED = "creation-1"
GAME = record(SEED)
SECRET = "thirty-two bytes or more of noise"  # noqa: S105  # of a test server
OTHER_SECRET = "other thirty-two bytes or more of noise"  # noqa: S105  # of a test server
TIMES = {"updated_at", "expires_at"}
"""Fields of a game that change after its deal."""


def create(client: Client, key: str, **fields: Any) -> Reply:  # noqa: ANN401  # any JSON value
    return client.request("POST", "/v1/games", fields, headers={"Idempotency-Key": key})


def new_key() -> str:
    return str(uuid.uuid4())


def play_on(
    api: Api,
    game: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
    *,
    most: int = 1000,
) -> dict[str, Any]:
    """Play the first legal action up to version ``most`` and return the game."""
    state = dict(game)
    while state["actions"] and state["version"] < most:
        body = {"version": state["version"], "actions": state["actions"][:1]}
        state = api.request("POST", game["links"]["actions"], body, headers=headers).json
    return state


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def games_in(stored: Redis) -> set[str]:
    """Return the keys of all games in the store."""
    return set(stored.scan_iter("game:*"))


@pytest.fixture
def own_store() -> Iterator[StoreServer]:
    """A separate store for each test."""
    with StoreServer(valkey_binary()) as store:
        yield store


# The same key with an equivalent body.

SAME = {
    "empty body": ({}, {}),
    "explicit defaults": (
        {},
        {"ruleset": "original", "options": {"leave": 0}, "mode": "standard", "locked": False},
    ),
    "all options explicit": ({}, {"options": Options()._asdict()}),
    "explicit mode of a seeded game": ({"seed": SEED}, {"mode": "seeded", "seed": SEED}),
    "an option equal to the ruleset": (
        {"ruleset": "strict"},
        {"options": {"degradation": "lower"}, "ruleset": "strict"},
    ),
    "another field order": (
        {"options": {"leave": 1, "health": 30}, "player": "Anna"},
        {"player": "Anna", "options": {"health": 30, "leave": 1}},
    ),
    "a name in another Unicode form": ({"player": "Zo\u00eb"}, {"player": "Zoe\u0308"}),
}
equivalent_bodies = pytest.mark.parametrize(("first", "again"), SAME.values(), ids=SAME)


@equivalent_bodies
def test_a_key_with_an_equivalent_body_returns_the_same_game(
    api: Api, first: dict[str, Any], again: dict[str, Any]
) -> None:
    key = new_key()
    created, replayed = create(api, key, **first), create(api, key, **again)
    assert (created.status, replayed.status) == (201, 201)
    assert replayed.body == created.body
    assert replayed.headers["Location"] == created.headers["Location"]


def test_only_a_repeated_creation_has_idempotent_replayed(api: Api) -> None:
    key = new_key()
    created, replayed = create(api, key), create(api, key)
    assert "Idempotent-Replayed" not in created.headers
    assert replayed.headers["Idempotent-Replayed"] == "true"


def test_a_repeated_creation_returns_the_deal_after_further_moves(api: Api) -> None:
    key = new_key()
    created = create(api, key, seed=SEED).json
    played = play_on(api, created, most=1)
    assert (played["version"], played["status"]) == (1, "playing")
    replayed = create(api, key, seed=SEED).json
    assert dealt(replayed) == dealt(created)
    assert replayed["updated_at"] == played["updated_at"]
    assert replayed["expires_at"] == played["expires_at"]


def test_a_repeated_creation_of_a_finished_game_returns_the_deal_with_its_seed(api: Api) -> None:
    key = new_key()
    created = create(api, key).json
    assert created["seed"] is None
    finished = play_on(api, created)
    assert finished["status"] != "playing"
    replayed = create(api, key).json
    assert dealt(replayed) == {**dealt(created), "seed": finished["seed"]}
    assert commitment(replayed["seed"]) == created["commitment"]


def test_a_repeated_creation_returns_the_same_text(api: Api) -> None:
    key, headers = new_key(), {"Accept": "text/plain"}
    created, replayed = (
        api.request("POST", "/v1/games", {}, headers={**headers, "Idempotency-Key": key})
        for _ in range(2)
    )
    assert replayed.headers["Idempotent-Replayed"] == "true"
    assert replayed.body == created.body


def test_a_repeated_creation_returns_the_same_token(api: Api) -> None:
    key = new_key()
    created = create(api, key, locked=True).json
    play_on(api, created, bearer(created["token"]), most=1)
    assert create(api, key, locked=True).json["token"] == created["token"]


def test_a_key_expires_with_its_game(api: Api, stored: Redis) -> None:
    key = new_key()
    created = create(api, key, ruleset="strict").json
    stored.delete(f"game:{created['id']}")
    recreated = create(api, key)
    assert recreated.status == 201
    assert "Idempotent-Replayed" not in recreated.headers
    assert recreated.json["ruleset"] == "original"


def dealt(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a game without the times that change after its deal."""
    return {name: value for name, value in body.items() if name not in TIMES}


# The same key with a different body.


def _other_value(name: str) -> object:
    usual = getattr(Options(), name)
    return next(value for value in OPTIONS[name].values.values() if value != usual)


BASE: dict[str, Any] = {"seed": SEED, "player": "Anna"}
OTHERS: dict[str, dict[str, Any]] = {
    "another seed": {**BASE, "seed": "creation-2"},
    "a seed in another case": {**BASE, "seed": SEED.upper()},
    "no seed": {"player": "Anna"},
    "another player": {**BASE, "player": "anna"},
    "no player": {"seed": SEED},
    "locked": {**BASE, "locked": True},
    # Same options as the original, but a different ruleset.
    "another ruleset": {**BASE, "ruleset": "gamemaker"},
    **{f"another {name}": {**BASE, "options": {name: _other_value(name)}} for name in OPTIONS},
}
different_bodies = pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)


@different_bodies
def test_a_key_is_refused_with_a_different_body(api: Api, other: dict[str, Any]) -> None:
    key = new_key()
    create(api, key, **BASE)
    assert refused(create(api, key, **other)) == (422, "idempotency_key_reused")


@different_bodies
def test_a_key_of_a_different_body_is_refused_with_the_base_body(
    api: Api, other: dict[str, Any]
) -> None:
    key = new_key()
    assert create(api, key, **other).status == 201
    assert refused(create(api, key, **BASE)) == (422, "idempotency_key_reused")


def test_a_refused_key_changes_nothing(api: Api, stored: Redis) -> None:
    key = new_key()
    game = create(api, key, **BASE).json
    hash_key = f"game:{game['id']}"
    before = (games_in(stored), stored.hgetall(hash_key), stored.pexpiretime(hash_key))
    for other in OTHERS.values():
        assert create(api, key, **other).status == 422
    assert (games_in(stored), stored.hgetall(hash_key), stored.pexpiretime(hash_key)) == before


def test_a_refused_key_reveals_nothing_about_its_game(api: Api) -> None:
    key = new_key()
    game = create(api, key, **BASE).json
    reply = create(api, key, **OTHERS["no seed"])
    assert set(reply.json) == {"type", "title", "status", "detail", "code", "request_id"}
    assert game["id"] not in reply.body.decode()
    assert not {"Location", "ETag"} & set(reply.headers)


# Keys.


def test_requests_without_a_key_create_separate_games(api: Api) -> None:
    assert api.new_game(seed=SEED)["id"] != api.new_game(seed=SEED)["id"]


def test_keys_are_case_sensitive(api: Api) -> None:
    key = new_key()
    assert create(api, key).json["id"] != create(api, key.upper()).json["id"]


@pytest.mark.parametrize("length", [16, 255])
def test_a_key_may_have_16_to_255_characters(api: Api, length: int) -> None:
    key = new_key() * 8
    first, again = create(api, key[:length]), create(api, key[:length])
    assert (first.status, again.json["id"]) == (201, first.json["id"])


@pytest.mark.parametrize("character", ["!", "~", '"', ":", "/", "\\", ",", "{"])
def test_a_key_may_have_any_visible_ascii_character(api: Api, character: str) -> None:
    assert create(api, new_key() + character).status == 201


# gunicorn itself refuses other control characters as malformed HTTP.
MALFORMED = {
    "empty": "",
    "15 characters": "k" * 15,
    "256 characters": "k" * 256,
    "a space": "a-key of two-words",
    "a tab": "a-key\twith-a-tab-in-it",
    "not ASCII": "a-key-with-an-umlaut-\xe4",
}


@pytest.mark.parametrize("key", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_key_is_refused_with_a_pointer_to_it(api: Api, stored: Redis, key: str) -> None:
    before = games_in(stored)
    reply = create(api, key)
    assert refused(reply) == (422, "invalid_request")
    assert [error["pointer"] for error in reply.json["errors"]] == ["/Idempotency-Key"]
    assert games_in(stored) == before


def derived_id(secret: str, key: str) -> str:
    derived = hmac.digest(secret.encode(), f"id\0{key}".encode(), "sha256")
    return urlsafe_b64encode(derived[:16]).decode().rstrip("=")


def test_a_game_id_is_derived_from_the_secret_and_the_key(
    api: Api, stored: Redis, own_store: StoreServer
) -> None:
    key = new_key()
    with serving(own_store, workers=1, secret=SECRET) as other:
        elsewhere = create(other, key).json["id"]
    assert elsewhere == derived_id(SECRET, key)
    assert create(api, key).json["id"] == derived_id(str(stored.get("secret")), key) != elsewhere


def _at_once(server: ApiServer, count: int, do: Callable[[Connection, int], Reply]) -> list[Reply]:
    """Send ``count`` requests at the same time, each on its own connection."""
    barrier = Barrier(count)

    def begin_together(number: int) -> Reply:
        with closing(Connection(server.port)) as connection:
            connection.request("GET", "/livez")
            barrier.wait()
            return do(connection, number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin_together, range(count)))


def test_50_concurrent_requests_with_one_key_create_one_game(
    server: ApiServer, stored: Redis
) -> None:
    key, before = new_key(), games_in(stored)
    replies = _at_once(server, 50, lambda client, _: create(client, key, locked=True))
    assert {reply.status for reply in replies} == {201}
    assert len({reply.body for reply in replies}) == 1
    assert sum("Idempotent-Replayed" not in reply.headers for reply in replies) == 1
    assert len(games_in(stored) - before) == 1


def test_concurrent_requests_with_one_key_and_two_bodies_create_one_game(
    server: ApiServer, stored: Redis
) -> None:
    key, before, names = new_key(), games_in(stored), ("Anna", "Ben")
    replies = _at_once(server, 50, lambda client, n: create(client, key, player=names[n % 2]))
    created = [reply.json for reply in replies if reply.status == 201]
    others = [refused(reply) for reply in replies if reply.status != 201]
    assert Counter(others) == {(422, "idempotency_key_reused"): 25}
    assert len({(game["id"], game["player"]) for game in created}) == 1
    assert len(games_in(stored) - before) == 1


# Locked games.


class Locked(NamedTuple):
    """A locked game and its token."""

    id: str
    token: str


@pytest.fixture
def locked(api: Api) -> Locked:
    game = api.new_game(seed=SEED, locked=True)
    return Locked(game["id"], game["token"])


def send(api: Api, game_id: str, headers: Mapping[str, str], *actions: str) -> Reply:
    body = {"version": 0, "actions": actions or (GAME.actions[0],)}
    return api.request("POST", f"/v1/games/{game_id}/actions", body, headers=headers)


def test_an_open_game_has_no_token(api: Api) -> None:
    assert "token" not in api.new_game()


def test_locked_games_have_different_tokens(api: Api) -> None:
    assert api.new_game(locked=True)["token"] != api.new_game(locked=True)["token"]


def test_a_token_is_returned_only_at_creation(api: Api, locked: Locked) -> None:
    path = f"/v1/games/{locked.id}"
    replies = [
        api.request("POST", f"{path}/actions", {"version": n, "actions": [action]}, headers=headers)
        for headers in (bearer(locked.token), {**bearer(locked.token), "Accept": "text/plain"})
        for n, action in enumerate(GAME.actions)
    ]
    replies += [api.get(path + part) for part in ("", "/actions", "/score", "/history")]
    replies.append(api.get(path, Accept="text/plain"))
    ledger = api.get(f"/v1/ledger?seed={SEED}&around={locked.id}")
    assert locked.id in ledger.body.decode()
    for reply in (*replies, ledger):
        assert reply.status == 200
        assert locked.token not in reply.body.decode()
        assert locked.token not in str(reply.headers)


INVALID_TOKENS: dict[str, Callable[[Locked, Locked], dict[str, str]]] = {
    "no header": lambda _mine, _other: {},
    "an empty header": lambda _mine, _other: {"Authorization": ""},
    "no token": lambda _mine, _other: {"Authorization": "Bearer"},
    "a wrong token": lambda mine, _other: bearer(mine.token[:-1] + "~"),
    "a truncated token": lambda mine, _other: bearer(mine.token[:-1]),
    "the token and more": lambda mine, _other: bearer(mine.token + "A"),
    "the token in another case": lambda mine, _other: bearer(mine.token.swapcase()),
    "another game's token": lambda _mine, other: bearer(other.token),
    "the game ID": lambda mine, _other: bearer(mine.id),
    "no scheme": lambda mine, _other: {"Authorization": mine.token},
    "another scheme": lambda mine, _other: {"Authorization": f"Basic {mine.token}"},
    "not ASCII": lambda mine, _other: bearer(mine.token + "\xe4"),
}


@pytest.mark.parametrize("authorization", INVALID_TOKENS.values(), ids=INVALID_TOKENS)
def test_a_locked_game_cannot_be_played_without_its_token(
    api: Api, locked: Locked, authorization: Callable[[Locked, Locked], dict[str, str]]
) -> None:
    other = api.new_game(seed=SEED, locked=True)
    before = api.get(f"/v1/games/{locked.id}").body
    reply = send(api, locked.id, authorization(locked, Locked(other["id"], other["token"])))
    assert refused(reply) == (401, "token_required")
    assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert api.get(f"/v1/games/{locked.id}").body == before


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_a_locked_game_can_be_played_with_its_token(api: Api, locked: Locked, scheme: str) -> None:
    reply = send(api, locked.id, {"Authorization": f"{scheme} {locked.token}"})
    assert (reply.status, reply.json["version"]) == (200, 1)


def test_an_open_game_can_be_played_with_any_token(api: Api, locked: Locked) -> None:
    game = api.new_game(seed=SEED)
    assert send(api, game["id"], bearer(locked.token)).status == 200


@pytest.mark.parametrize("part", ["", "/actions", "/score", "/history"])
def test_a_locked_game_can_be_read_without_its_token(api: Api, locked: Locked, part: str) -> None:
    assert api.get(f"/v1/games/{locked.id}{part}").status == 200


def test_checks_run_in_the_order_form_game_token_retry(api: Api, locked: Locked) -> None:
    first = send(api, locked.id, bearer(locked.token))
    assert first.status == 200
    assert refused(send(api, UNKNOWN_ID, {}, "dance")) == (422, "invalid_request")
    assert refused(send(api, locked.id, {}, "dance")) == (422, "invalid_request")
    assert refused(send(api, UNKNOWN_ID, {})) == (404, "game_not_found")
    assert refused(send(api, locked.id, {})) == (401, "token_required")
    again = send(api, locked.id, bearer(locked.token))
    assert (again.status, again.headers["Idempotent-Replayed"]) == (200, "true")


def test_game_over_is_returned_only_with_the_token(api: Api, locked: Locked) -> None:
    play_on(api, api.get(f"/v1/games/{locked.id}").json, bearer(locked.token))
    path = f"/v1/games/{locked.id}"
    version = api.get(path).json["version"]
    body = {"version": version, "actions": ["avoid"]}
    reply = api.request("POST", f"{path}/actions", body, headers=bearer(locked.token))
    assert refused(reply) == (409, "game_over")
    assert refused(api.post(f"{path}/actions", body)) == (401, "token_required")


def test_a_game_id_used_as_a_key_does_not_reveal_the_token(api: Api, locked: Locked) -> None:
    """An observer of a locked game knows its ID and may send it as a key."""
    derived = create(api, locked.id, seed=SEED).json["id"]
    # 21 characters hold 126 bits of either value; the last character of the ID holds two more.
    assert not locked.token.startswith(derived[:21])
    assert refused(send(api, locked.id, bearer(derived))) == (401, "token_required")


# Keys and tokens stay confidential.


class Refusals(NamedTuple):
    """Responses of a server, and the secrets that they must not contain."""

    replies: list[Reply]
    secrets: tuple[str, ...]


def provoke_refusals(document: Document, store: StoreServer) -> Refusals:
    """Provoke every refusal that involves a key or token, including one during an outage."""
    key, malformed = "key-" * 8, "malformed key-" * 8
    with serving(store, workers=1) as running:
        api = Api(running, document)
        created = create(api, key, seed=SEED, locked=True).json
        token, path = created["token"], created["links"]["actions"]
        assert send(api, created["id"], bearer(token)).status == 200

        def act_with(version: int, action: str, given: str = token, method: str = "POST") -> Reply:
            body = {"version": version, "actions": [action]}
            return api.request(method, path, body, headers=bearer(given))

        replies = [
            create(api, key, seed="another"),
            create(api, malformed),
            create(api, key, seed=""),
            act_with(1, "avoid", given="a-wrong-" + token),
            act_with(7, "avoid"),
            act_with(1, "draw"),
            act_with(1, "draw", method="PUT"),
        ]
        store.kill()
        replies += [create(api, key, seed=SEED, locked=True), act_with(1, "avoid")]
    statuses = [422, 422, 422, 401, 409, 409, 405, 503, 503]
    assert [reply.status for reply in replies] == statuses
    return Refusals(replies, (key, malformed, token))


def test_refusals_contain_no_key_or_token(document: Document, own_store: StoreServer) -> None:
    refusals = provoke_refusals(document, own_store)
    for reply in refusals.replies:
        for secret in refusals.secrets:
            assert secret not in reply.body.decode()
            assert secret not in str(reply.headers)


def test_the_log_contains_no_key_or_token(
    document: Document, own_store: StoreServer, capfd: pytest.CaptureFixture[str]
) -> None:
    refusals = provoke_refusals(document, own_store)
    log = capfd.readouterr().err
    # Make sure that something was logged at all.
    assert "store: " in log
    for secret in refusals.secrets:
        assert secret not in log


# The server secret.


def failed_start(store: StoreServer, **environment: str) -> str:
    """Start a server that must fail to start and return its stderr."""
    command = [sys.executable, "-m", "gunicorn", "-c", "api/server/gunicorn.conf.py"]
    ended = subprocess.run(
        [*command, "--bind", f"127.0.0.1:{free_port()}"],
        cwd=ROOT,
        env={
            **{k: v for k, v in os.environ.items() if not k.startswith("SCOUNDREL_")},
            "WEB_CONCURRENCY": "1",
            "SCOUNDREL_REDIS_URL": store.url,
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
    assert ended.returncode > 0
    return ended.stderr


REASON = "were made with another SCOUNDREL_SECRET"


@pytest.mark.slow
@pytest.mark.parametrize("first", [SECRET, ""], ids=["configured", "stored"])
def test_a_server_with_another_secret_does_not_start(own_store: StoreServer, first: str) -> None:
    with serving(own_store, workers=1, secret=first):
        pass
    output = failed_start(own_store, SCOUNDREL_SECRET=OTHER_SECRET)
    assert re.search(REASON, output)
    assert OTHER_SECRET not in output
    with serving(own_store, workers=1, secret=first) as running:
        assert create(running, new_key()).status == 201


@pytest.mark.slow
def test_a_server_without_its_previously_configured_secret_does_not_start(
    own_store: StoreServer,
) -> None:
    with serving(own_store, workers=1, secret=SECRET):
        pass
    assert re.search(REASON, failed_start(own_store))
    with serving(own_store, workers=1, secret=SECRET) as running:
        assert create(running, new_key()).status == 201


@pytest.mark.slow
def test_a_server_started_during_an_outage_recovers_with_the_store(
    document: Document, own_store: StoreServer
) -> None:
    key = new_key()
    with serving(own_store, workers=1, secret=SECRET) as running:
        game_id = create(running, key).json["id"]
    own_store.kill()
    with serving(own_store, workers=1, secret=SECRET) as running:
        api = Api(running, document)
        assert refused(create(api, key)) == (503, "store_unavailable")
        own_store.start()
        again = create(api, key)
        assert (again.status, again.json["id"]) == (201, game_id)


def test_a_server_started_during_an_outage_refuses_to_use_another_secret(
    document: Document, own_store: StoreServer
) -> None:
    """It cannot check the secret at startup, so it does at first use."""
    Store(own_store.url, secret=SECRET.encode()).secret.check()
    own_store.kill()
    with serving(own_store, workers=1, secret=OTHER_SECRET) as running:
        own_store.start()
        api = Api(running, document)
        for _ in range(2):
            assert create(api, new_key()).status == 503
            assert api.post("/v1/games", {"locked": True}).status == 503
        with own_store.client as stored:
            assert not games_in(stored)
