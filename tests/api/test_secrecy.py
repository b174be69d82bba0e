"""The deck is the secret of a game: no answer depends on it until the card is turned up."""

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
"""How many cards both dungeons begin with; then they go on differently."""

RULES = {
    "original": rules_for("original"),
    "strict": rules_for("strict"),
    "gravekeeper": rules_for("gravekeeper"),
    "shuffled without end": rules_for(
        "original", {"avoiding": "always", "avoid_order": "shuffled", "health": 99}
    ),
}


class Twins(NamedTuple):
    """Two standard games that look alike until the ninth card turns up."""

    rules: Rules
    ids: tuple[str, str]


def test_the_twins_begin_alike_and_go_on_differently() -> None:
    one, other = map(deal, SEEDS)
    assert one[:IN_COMMON] == other[:IN_COMMON]
    assert one[IN_COMMON] != other[IN_COMMON]


def test_a_room_that_the_twins_avoid_goes_under_in_different_orders() -> None:
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


def line(twins: Twins, *, avoid: bool) -> list[Action]:
    """Return moves that turn up what the twins have in common, and nothing beyond.

    The move after them turns up the card that tells the twins apart.
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
    """Return a reply without what two games never share: id, commitment, times, request id."""
    secret = commitment(seed)

    def mask(text: str) -> str:
        for part, name in ((game_id, "ID"), (secret, "COMMITMENT"), (secret[:16], "COMMIT")):
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
    """Ask the same of both twins, assert that they answer alike, and return one answer."""
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


LOOKS: list[tuple[str, str, dict[str, str]]] = [
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
def test_games_that_differ_in_hidden_cards_alone_look_alike(
    api: Api, twins: Twins, avoid: bool
) -> None:
    moves = line(twins, avoid=avoid)
    for version in range(len(moves) + 1):
        for method, path, headers in LOOKS:
            both(api, twins, method, path, headers=headers)
        if version < len(moves):
            body = {"version": version, "actions": [str(moves[version])]}
            assert both(api, twins, "POST", "/actions", body).status == 200


@pytest.mark.parametrize("avoid", [False, True], ids=["faced", "avoided"])
def test_they_part_with_the_card_that_differs(api: Api, twins: Twins, avoid: bool) -> None:
    moves = line(twins, avoid=avoid)
    play_both(api, twins, moves)
    state = begin(SEEDS[0], twins.rules.options).state
    for move in moves:
        state = apply(state, move).state
    last = str(_move(state, avoid=avoid and AVOID not in moves))
    replies = [act(api, game_id, len(moves), last) for game_id in twins.ids]
    assert replies[0].json["room"] != replies[1].json["room"]


@pytest.mark.parametrize("avoid", [False, True], ids=["faced", "avoided"])
def test_refusals_do_not_depend_on_hidden_cards(api: Api, twins: Twins, avoid: bool) -> None:
    """Single actions, and batches of all sorts, just before the card that differs."""
    moves = line(twins, avoid=avoid)
    play_both(api, twins, moves)
    state = begin(SEEDS[0], twins.rules.options).state
    for move in moves:
        state = apply(state, move).state
    legal = legal_actions(state)
    some = (DRAW, AVOID, *legal, *ACTIONS[2::7])
    asked = [[action] for action in ACTIONS if action not in legal]
    asked += [
        [first, second] for first in legal for second in some if _refused(state, first, second)
    ]
    asked += [[first] + [second] * 63 for first in legal[:2] for second in (DRAW, AVOID, first)]
    before = api.get(f"/v1/games/{twins.ids[0]}").body
    for actions in asked:
        body = {"version": state.version, "actions": [str(action) for action in actions]}
        assert both(api, twins, "POST", "/actions", body).status == 409
    assert api.get(f"/v1/games/{twins.ids[0]}").body == before


def _refused(state: State, first: Action, second: Action) -> bool:
    after, events = apply(state, first)
    if any(isinstance(event, CardsDrawn) for event in events) and second is not DRAW:
        return True
    return second not in legal_actions(after)


@pytest.mark.parametrize("ahead", [-1, 1, 2, 1000])
def test_wrong_versions_are_answered_alike(api: Api, twins: Twins, ahead: int) -> None:
    moves = line(twins, avoid=False)
    play_both(api, twins, moves)
    for action in ACTIONS[::6]:
        if action is not moves[-1]:  # a retry
            body = {"version": len(moves) + ahead, "actions": [str(action)]}
            reply = both(api, twins, "POST", "/actions", body)
            assert refused(reply) == (409, "version_mismatch")


def test_a_batch_refused_after_a_reveal_tells_its_index_alone(api: Api, twins: Twins) -> None:
    """Also where the action would be legal in one of the games and not in the other."""
    moves = line(twins, avoid=False)
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
class Eavesdropper:
    """Sends requests and keeps all that comes back."""

    api: Api
    heard: list[str] = field(default_factory=list)

    def request(
        self,
        method: str,
        path: str,
        json_body: Any = None,  # noqa: ANN401  # whatever JSON has
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a request, and keep the reply."""
        reply = self.api.request(method, path, json_body, body=body, headers=headers)
        self.heard.append(f"{reply.status} {reply.headers} {reply.body.decode()}")
        return reply


def look_around(client: Eavesdropper, game_id: str, version: int) -> None:
    """Ask all that can be asked of a game, rightly and wrongly, without changing it."""
    path = f"/v1/games/{game_id}"
    for method, below, headers in LOOKS:
        client.request(method, path + below, headers=headers)
    act(client, game_id, version + 1, "avoid")
    act(client, game_id, version, "fight:KS")
    illegal = ["draw"] * 8
    act(client, game_id, version, *illegal)
    client.request("POST", f"{path}/actions", body=b"{", headers={"Content-Type": "text/plain"})
    client.request("GET", "/v1/ledger")
    client.request("GET", f"/v1/ledger?around={game_id}")


def played_out(client: Eavesdropper, game: dict[str, Any], *, look: bool) -> dict[str, Any]:
    """Play a game to its end with the first legal action; before each move look around."""
    while game["actions"]:
        if look:
            look_around(client, game["id"], game["version"])
        before = len(client.heard)
        game = act(client, game["id"], game["version"], game["actions"][0]).json
    # What the last move answered shows the seed, as it should.
    assert game["seed"] in client.heard[before]
    del client.heard[before:]
    return game


@pytest.mark.parametrize("ruleset", ["original", "gravekeeper"])
def test_no_answer_holds_the_seed_before_the_game_is_over(
    api: Api, stored: Redis, ruleset: str
) -> None:
    client = Eavesdropper(api)
    game = client.request("POST", "/v1/games", {"ruleset": ruleset, "locked": False}).json
    seed = stored.hget(f"game:{game['id']}", "s")
    assert played_out(client, game, look=True)["seed"] == seed
    # Each look around is several answers, and the unluckiest deck takes two moves to kill.
    assert len(client.heard) > 2 * len(LOOKS)
    assert not [answer for answer in client.heard if str(seed) in answer]


def test_a_seeded_game_hides_its_seed_too_until_it_is_over(api: Api) -> None:
    client = Eavesdropper(api)
    game = client.request("POST", "/v1/games", {"seed": "hidden-all-the-same"}).json
    played_out(client, game, look=True)
    assert not [answer for answer in client.heard if "hidden-all-the-same" in answer]


def test_once_over_the_seed_shows_everywhere(api: Api) -> None:
    client = Eavesdropper(api)
    game = client.request("POST", "/v1/games", {}).json
    seed = played_out(client, game, look=False)["seed"]
    path = f"/v1/games/{game['id']}"
    assert api.get(path).json["seed"] == seed
    assert f"/{seed}/" in api.get(f"{path}/history").json["notation"]
    assert seed in api.get(path, Accept="text/plain").body.decode()


@pytest.fixture
def logged(tmp_path: Path, document: Document) -> Iterator[tuple[Api, StoreServer, Path]]:
    """An API of its own, its store, and the file that it writes its log to."""
    path = tmp_path / "log"
    store = StoreServer(valkey_binary())
    try:
        with path.open("wb") as log, serving(store.start(), log=log) as running:
            yield Api(running, document), store, path
    finally:
        store.close()


def test_no_log_holds_a_seed_an_id_a_key_or_a_token(
    logged: tuple[Api, StoreServer, Path],
) -> None:
    api, store, path = logged
    client = Eavesdropper(api)
    key = {"Idempotency-Key": "a-key-that-nobody-else-may-know"}
    game = client.request("POST", "/v1/games", {"locked": False}, headers=key).json
    locked = client.request("POST", "/v1/games", {"locked": True}).json
    with store.client as stored:
        seeds = [str(stored.hget(f"game:{g['id']}", "s")) for g in (game, locked)]
    token = {"Authorization": f"Bearer {locked['token']}"}
    body = {"version": 0, "actions": ["avoid"]}
    client.request("POST", f"/v1/games/{locked['id']}/actions", body, headers=token)
    look_around(client, game["id"], 0)
    played_out(client, game, look=False)
    store.kill()
    for g in (game, locked):
        for below in ("", "/actions", "/score", "/history"):
            assert client.request("GET", f"/v1/games/{g['id']}{below}").status == 503
    client.request("POST", f"/v1/games/{locked['id']}/actions", body, headers=token)
    client.request("POST", "/v1/games", {}, headers=key)
    log = path.read_text()
    assert "store" in log
    told = [*seeds, game["id"], locked["id"], locked["token"], key["Idempotency-Key"]]
    assert [secret for secret in told if secret in log] == []


# Ids.


def _without_a_game(api: Api, game_id: str) -> list[Any]:
    path = f"/v1/games/{game_id}"
    body = {"version": 0, "actions": ["avoid"]}
    asked = [
        *[api.get(path + below) for below in ("", "/actions", "/score", "/history")],
        api.get(path, Accept="text/plain"),
        api.get(path, **{"If-None-Match": "*"}),
        api.request("HEAD", path),
        api.request("POST", f"{path}/actions", body),
        api.request("POST", f"{path}/actions", body, headers={"Authorization": "Bearer x"}),
    ]
    assert {reply.status for reply in asked} == {404}
    return [comparable(reply) for reply in asked]


@pytest.mark.parametrize("malformed", ["x", UNKNOWN_ID + "0", "a" * 2000, "%00", "%FF", "*", "-"])
def test_a_malformed_id_is_answered_like_an_unknown_one(api: Api, malformed: str) -> None:
    assert _without_a_game(api, malformed) == _without_a_game(api, UNKNOWN_ID)


@pytest.mark.parametrize("locked", [False, True], ids=["open", "locked"])
def test_an_expired_game_is_answered_like_one_that_never_was(
    api: Api, stored: Redis, locked: bool
) -> None:
    game = api.new_game(locked=locked)
    assert api.get(f"/v1/games/{game['id']}").status == 200
    assert stored.pexpire(f"game:{game['id']}", 1)
    wait_until(lambda: not stored.exists(f"game:{game['id']}"))
    assert _without_a_game(api, game["id"]) == _without_a_game(api, UNKNOWN_ID)
