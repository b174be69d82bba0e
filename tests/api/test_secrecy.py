"""The deck is secret: no response depends on a card before it is drawn."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from api.store import Mode, NewGame, Store
from engine import (
    ACTIONS,
    AVOID,
    DRAW,
    CardsDrawn,
    apply,
    begin,
    commitment,
    deal,
    effect,
    legal_actions,
    rules_for,
)
from tests.api.client import OF_THE_MOMENT, UNKNOWN_ID, Api, comparable, refused
from tests.playing import act
from tests.servers import StoreServer, serving, valkey_binary, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from redis import Redis

    from engine import Action, Rules, State
    from tests.api.documented import Document
    from tests.servers import Reply

SEEDS = ("secret-1418549", "secret-3674899")
IN_COMMON = 8
"""Number of cards at the start that both dungeons have in common."""

RULES = {
    "original": rules_for("original"),
    "strict": rules_for("strict"),
    "gravekeeper": rules_for("gravekeeper"),
    "always avoiding, shuffled": rules_for(
        "original", {"avoiding": "always", "avoid_order": "shuffled", "health": 99}
    ),
}


class Twins(NamedTuple):
    """Two standard games that look the same until the ninth card is drawn."""

    rules: Rules
    ids: tuple[str, str]


def test_the_twins_differ_only_after_their_common_cards() -> None:
    one, other = map(deal, SEEDS)
    assert one[:IN_COMMON] == other[:IN_COMMON]
    assert one[IN_COMMON] != other[IN_COMMON]


def test_the_twins_shuffle_an_avoided_room_differently() -> None:
    one, other = (begin(seed, RULES["strict"].options).state for seed in SEEDS)
    assert apply(one, AVOID).state.dungeon[-4:] != apply(other, AVOID).state.dungeon[-4:]


@pytest.fixture(params=list(RULES.values()), ids=list(RULES))
def rules(request: pytest.FixtureRequest) -> Rules:
    chosen: Rules = request.param
    return chosen


@pytest.fixture
def twins(store_server: StoreServer, rules: Rules) -> Twins:
    store = Store(store_server.url)
    ids = (secrets.token_urlsafe(16), secrets.token_urlsafe(16))
    for game_id, seed in zip(ids, SEEDS, strict=True):
        new = NewGame(
            id=game_id, rules=rules, seed=seed, mode=Mode.STANDARD, player=None, locked=False
        )
        store.games.create(new)
    store.forget_connections()
    return Twins(rules, ids)


def common_moves(twins: Twins, *, avoid: bool) -> list[Action]:
    """Return the moves that draw only the cards that the twins have in common.

    The next move draws the card that differs.
    """
    state = begin(SEEDS[0], twins.rules.options).state
    moves: list[Action] = []
    while True:
        move = _move(state, avoid=avoid and AVOID not in moves)
        state = apply(state, move).state
        if state.drawn > IN_COMMON:
            return moves
        moves.append(move)


def _move(state: State, *, avoid: bool) -> Action:
    legal = legal_actions(state)
    if avoid and AVOID in legal:
        return AVOID
    return min((a for a in legal if a is not AVOID), key=lambda a: effect(state, a).damage)


def masked(reply: Reply, game_id: str, seed: str) -> tuple[int, dict[str, str], str]:
    """Return a response without its unique values: ID, commitment, times, request ID."""
    commit = commitment(seed)

    def mask(text: str) -> str:
        for part, name in ((game_id, "ID"), (commit, "COMMITMENT"), (commit[:16], "COMMIT")):
            text = text.replace(part, name)
        text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME", text)
        return text.replace(reply.headers["X-Request-ID"], "REQUEST")

    headers = {
        name: mask(value) for name, value in reply.headers.items() if name not in OF_THE_MOMENT
    }
    return reply.status, headers, mask(reply.body.decode())


def both(  # noqa: PLR0913  # one argument for each part of a request
    api: Api,
    twins: Twins,
    method: str,
    path: str,
    body: object = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Send the same request to both twins, assert equal responses, and return one of them."""
    replies = [
        api.request(method, f"/v1/games/{game_id}{path}", body, headers=headers)
        for game_id in twins.ids
    ]
    one, other = (
        masked(reply, game_id, seed)
        for reply, game_id, seed in zip(replies, twins.ids, SEEDS, strict=True)
    )
    assert one == other
    return replies[0]


def play_both(api: Api, twins: Twins, moves: list[Action]) -> None:
    for version, move in enumerate(moves):
        body = {"version": version, "actions": [str(move)]}
        assert both(api, twins, "POST", "/actions", body).status == 200


PROBES: list[tuple[str, str, dict[str, str]]] = [
    ("GET", "", {}),
    ("GET", "", {"Accept": "text/plain"}),
    ("GET", "", {"If-None-Match": '"0-0"'}),
    ("HEAD", "", {}),
    ("OPTIONS", "", {}),
    ("GET", "/actions", {}),
    ("GET", "/score", {}),
    ("GET", "/history", {}),
    ("PUT", "", {}),
    ("GET", "/deck", {}),
    ("GET", "?seed=1", {}),
]


@pytest.mark.parametrize("avoid", [False, True], ids=["faced", "avoided"])
def test_games_that_differ_only_in_hidden_cards_get_equal_responses(
    api: Api, twins: Twins, avoid: bool
) -> None:
    moves = common_moves(twins, avoid=avoid)
    for version in range(len(moves) + 1):
        for method, path, headers in PROBES:
            both(api, twins, method, path, headers=headers)
        if version < len(moves):
            body = {"version": version, "actions": [str(moves[version])]}
            assert both(api, twins, "POST", "/actions", body).status == 200


@pytest.mark.parametrize("avoid", [False, True], ids=["faced", "avoided"])
def test_the_responses_differ_once_the_different_card_is_drawn(
    api: Api, twins: Twins, avoid: bool
) -> None:
    moves = common_moves(twins, avoid=avoid)
    play_both(api, twins, moves)
    state = begin(SEEDS[0], twins.rules.options).state
    for move in moves:
        state = apply(state, move).state
    last = str(_move(state, avoid=avoid and AVOID not in moves))
    replies = [act(api, game_id, len(moves), last) for game_id in twins.ids]
    assert replies[0].json["room"] != replies[1].json["room"]


@pytest.mark.parametrize("avoid", [False, True], ids=["faced", "avoided"])
def test_refusals_do_not_depend_on_hidden_cards(api: Api, twins: Twins, avoid: bool) -> None:
    """Try single actions and batches just before the card that differs."""
    moves = common_moves(twins, avoid=avoid)
    play_both(api, twins, moves)
    state = begin(SEEDS[0], twins.rules.options).state
    for move in moves:
        state = apply(state, move).state
    legal = legal_actions(state)
    some = (DRAW, AVOID, *legal, *ACTIONS[2::7])
    batches = [[action] for action in ACTIONS if action not in legal]
    batches += [
        [first, second] for first in legal for second in some if _refused(state, first, second)
    ]
    batches += [[first] + [second] * 63 for first in legal[:2] for second in (DRAW, AVOID, first)]
    before = api.get(f"/v1/games/{twins.ids[0]}").body
    for actions in batches:
        body = {"version": state.version, "actions": [str(action) for action in actions]}
        assert both(api, twins, "POST", "/actions", body).status == 409
    assert api.get(f"/v1/games/{twins.ids[0]}").body == before


def _refused(state: State, first: Action, second: Action) -> bool:
    after, events = apply(state, first)
    if any(isinstance(event, CardsDrawn) for event in events) and second is not DRAW:
        return True
    return second not in legal_actions(after)


@pytest.mark.parametrize("ahead", [-1, 1, 2, 1000])
def test_version_mismatches_do_not_depend_on_hidden_cards(
    api: Api, twins: Twins, ahead: int
) -> None:
    moves = common_moves(twins, avoid=False)
    play_both(api, twins, moves)
    for action in ACTIONS[::6]:
        if action is not moves[-1]:  # a retry
            body = {"version": len(moves) + ahead, "actions": [str(action)]}
            reply = both(api, twins, "POST", "/actions", body)
            assert refused(reply) == (409, "version_mismatch")


def test_a_batch_refused_after_a_reveal_returns_only_the_index(api: Api, twins: Twins) -> None:
    """Also if the action is legal in only one of the games."""
    moves = common_moves(twins, avoid=False)
    play_both(api, twins, moves)
    state = begin(SEEDS[0], twins.rules.options).state
    for move in moves:
        state = apply(state, move).state
    revealing = _move(state, avoid=False)
    after = apply(state, revealing).state
    for action in (*legal_actions(after), *ACTIONS[2:]):
        if action is DRAW:
            continue
        body = {"version": len(moves), "actions": [str(revealing), str(action)]}
        reply = both(api, twins, "POST", "/actions", body)
        assert refused(reply) == (409, "reveals_cards")
        assert set(reply.json) == {
            *("type", "title", "status", "detail", "code", "request_id", "index")
        }
        assert reply.json["index"] == 1


# The seed.


@dataclass
class Recorder:
    """Sends requests and records all responses."""

    api: Api
    recorded: list[str] = field(default_factory=list)

    def request(
        self,
        method: str,
        path: str,
        json_body: Any = None,  # noqa: ANN401  # any JSON value
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a request and record its response."""
        reply = self.api.request(method, path, json_body, body=body, headers=headers)
        self.recorded.append(f"{reply.status} {reply.headers} {reply.body.decode()}")
        return reply


def probe_game(client: Recorder, game_id: str, version: int) -> None:
    """Send valid and invalid requests about a game, without changing it."""
    path = f"/v1/games/{game_id}"
    for method, below, headers in PROBES:
        client.request(method, path + below, headers=headers)
    act(client, game_id, version + 1, "avoid")
    act(client, game_id, version, "fight:KS")
    illegal = ["draw"] * 8
    act(client, game_id, version, *illegal)
    client.request("POST", f"{path}/actions", body=b"{", headers={"Content-Type": "text/plain"})
    client.request("GET", "/v1/ledger")
    client.request("GET", f"/v1/ledger?around={game_id}")


def play_to_end(client: Recorder, game: dict[str, Any], *, probe: bool) -> dict[str, Any]:
    """Play a game to its end with first legal actions; optionally probe it before each move."""
    while game["actions"]:
        if probe:
            probe_game(client, game["id"], game["version"])
        before = len(client.recorded)
        game = act(client, game["id"], game["version"], game["actions"][0]).json
    # The response to the last move contains the seed by design.
    assert game["seed"] in client.recorded[before]
    del client.recorded[before:]
    return game


@pytest.mark.parametrize("ruleset", ["original", "gravekeeper"])
def test_no_response_contains_the_seed_before_the_game_ends(
    api: Api, stored: Redis, ruleset: str
) -> None:
    client = Recorder(api)
    game = client.request("POST", "/v1/games", {"ruleset": ruleset, "locked": False}).json
    seed = stored.hget(f"game:{game['id']}", "s")
    assert play_to_end(client, game, probe=True)["seed"] == seed
    # Each probe records several responses, and even the shortest game takes two moves.
    assert len(client.recorded) > 2 * len(PROBES)
    assert not [text for text in client.recorded if str(seed) in text]


def test_a_seeded_game_also_hides_its_seed_until_it_ends(api: Api) -> None:
    client = Recorder(api)
    game = client.request("POST", "/v1/games", {"seed": "hidden-all-the-same"}).json
    play_to_end(client, game, probe=True)
    assert not [text for text in client.recorded if "hidden-all-the-same" in text]


def test_a_finished_game_shows_its_seed_everywhere(api: Api) -> None:
    client = Recorder(api)
    game = client.request("POST", "/v1/games", {}).json
    seed = play_to_end(client, game, probe=False)["seed"]
    path = f"/v1/games/{game['id']}"
    assert api.get(path).json["seed"] == seed
    assert f"/{seed}/" in api.get(f"{path}/history").json["notation"]
    assert seed in api.get(path, Accept="text/plain").body.decode()


@pytest.fixture
def logged(tmp_path: Path, document: Document) -> Iterator[tuple[Api, StoreServer, Path]]:
    """A separate API, its store, and its log file."""
    path = tmp_path / "log"
    store = StoreServer(valkey_binary())
    try:
        with path.open("wb") as log, serving(store.start(), log=log) as running:
            yield Api(running, document), store, path
    finally:
        store.close()


def test_the_log_contains_no_seed_game_id_key_or_token(
    logged: tuple[Api, StoreServer, Path],
) -> None:
    api, store, path = logged
    client = Recorder(api)
    key = {"Idempotency-Key": "a-key-that-must-stay-secret"}
    game = client.request("POST", "/v1/games", {"locked": False}, headers=key).json
    locked = client.request("POST", "/v1/games", {"locked": True}).json
    with store.client as stored:
        seeds = [str(stored.hget(f"game:{g['id']}", "s")) for g in (game, locked)]
    token = {"Authorization": f"Bearer {locked['token']}"}
    body = {"version": 0, "actions": ["avoid"]}
    client.request("POST", f"/v1/games/{locked['id']}/actions", body, headers=token)
    probe_game(client, game["id"], 0)
    play_to_end(client, game, probe=False)
    store.kill()
    for g in (game, locked):
        for below in ("", "/actions", "/score", "/history"):
            assert client.request("GET", f"/v1/games/{g['id']}{below}").status == 503
    client.request("POST", f"/v1/games/{locked['id']}/actions", body, headers=token)
    client.request("POST", "/v1/games", {}, headers=key)
    log = path.read_text()
    assert "store" in log
    confidential = [*seeds, game["id"], locked["id"], locked["token"], key["Idempotency-Key"]]
    assert [value for value in confidential if value in log] == []


# IDs.


def _responses_for_missing_game(api: Api, game_id: str) -> list[Any]:
    path = f"/v1/games/{game_id}"
    body = {"version": 0, "actions": ["avoid"]}
    replies = [
        *[api.get(path + below) for below in ("", "/actions", "/score", "/history")],
        api.get(path, Accept="text/plain"),
        api.get(path, **{"If-None-Match": "*"}),
        api.request("HEAD", path),
        api.request("POST", f"{path}/actions", body),
        api.request("POST", f"{path}/actions", body, headers={"Authorization": "Bearer x"}),
    ]
    assert {reply.status for reply in replies} == {404}
    return [comparable(reply) for reply in replies]


@pytest.mark.parametrize("malformed", ["x", UNKNOWN_ID + "0", "a" * 2000, "%00", "%FF", "*", "-"])
def test_malformed_and_unknown_ids_get_equal_responses(api: Api, malformed: str) -> None:
    assert _responses_for_missing_game(api, malformed) == _responses_for_missing_game(
        api, UNKNOWN_ID
    )


@pytest.mark.parametrize("locked", [False, True], ids=["open", "locked"])
def test_expired_and_unknown_games_get_equal_responses(
    api: Api, stored: Redis, locked: bool
) -> None:
    game = api.new_game(locked=locked)
    assert api.get(f"/v1/games/{game['id']}").status == 200
    assert stored.pexpire(f"game:{game['id']}", 1)
    wait_until(lambda: not stored.exists(f"game:{game['id']}"))
    assert _responses_for_missing_game(api, game["id"]) == _responses_for_missing_game(
        api, UNKNOWN_ID
    )
