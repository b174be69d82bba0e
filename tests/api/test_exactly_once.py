"""Actions are applied exactly once: order of checks, retries, batches and concurrent clients."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from random import Random
from threading import Barrier
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import ACTIONS, CardsDrawn, Status, legal_actions, parse_action, rules_for, steps
from tests.api.client import UNKNOWN_ID, Api, comparable, refused
from tests.playing import Connection, Record, act, begin, of_play, play_through, record
from tests.public import public_event, public_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine import Rules, Step
    from tests.playing import Client
    from tests.servers import ApiServer, Reply

SEED = "once-1"
GAME = record(SEED)
MANUAL = record(SEED, "gravekeeper")

TOO_LARGE = b" " * (16 * 1024) + b"{}"
NOT_JSON = b"{"
INVALID = b'{"version": 0, "actions": ["dance"]}'


# A second implementation of the contract, independent of the API.


class Expected(NamedTuple):
    """The expected response, and the actions of the game after it."""

    status: int
    body: dict[str, Any]
    replayed: bool
    log: tuple[str, ...]


class Model:
    """A model of a game: its actions, and the checks in the order of the contract."""

    def __init__(self, rules: Rules, seed: str) -> None:
        self._rules = rules
        self._seed = seed
        self._steps: dict[tuple[str, ...], list[Step]] = {}

    def steps(self, log: Sequence[str]) -> list[Step]:
        """Return the engine's steps: the deal and one step per action."""
        key = tuple(log)
        if key not in self._steps:
            found = steps(self._seed, map(parse_action, key), self._rules.options)
            self._steps[key] = list(found)
        return self._steps[key]

    def respond(self, log: tuple[str, ...], version: int, actions: Sequence[str]) -> Expected:
        """Return the expected response of a game with these actions to a request."""
        end = version + len(actions)
        if end <= len(log) and log[version:end] == tuple(actions):
            return Expected(200, self._applied(log[:end], version), replayed=True, log=log)
        if refusal := self._refusal(log, version, actions):
            return Expected(409, refusal, replayed=False, log=log)
        log = (*log, *actions)
        return Expected(200, self._applied(log, version), replayed=False, log=log)

    def _refusal(
        self, log: tuple[str, ...], version: int, actions: Sequence[str]
    ) -> dict[str, Any] | None:
        state = self.steps(log)[-1].state
        if version != len(log):
            return {"code": "version_mismatch", "state": public_state(state)}
        if state.status is not Status.PLAYING:
            return {"code": "game_over"}
        done = list(log)
        revealed = False
        for index, action in enumerate(actions):
            step = self.steps(done)[-1]
            revealed = revealed or (index > 0 and _reveals(step))
            legal = [str(other) for other in legal_actions(step.state)]
            if revealed and (action != "draw" or "draw" not in legal):
                return {"code": "reveals_cards", "index": index}
            if action not in legal:
                return {"code": "illegal_action", "index": index, "actions": legal}
            done.append(action)
        return None

    def _applied(self, log: Sequence[str], since: int) -> dict[str, Any]:
        all_steps = self.steps(log)
        events = chain.from_iterable(step.events for step in all_steps[since + 1 :])
        return {
            **public_state(all_steps[-1].state),
            "events": [public_event(event) for event in events],
        }


def _reveals(step: Step) -> bool:
    return any(isinstance(event, CardsDrawn) for event in step.events)


COMMON_MEMBERS = {"type", "title", "status", "detail", "request_id"}


def actual(reply: Reply) -> tuple[int, dict[str, Any], bool]:
    """Return the parts of a response that the model predicts."""
    body = reply.json
    if reply.status == 200:
        body = of_play(body, [*PUBLIC, "events"])
    else:
        body = {name: value for name, value in body.items() if name not in COMMON_MEMBERS}
        if "state" in body:
            body["state"] = of_play(body["state"], PUBLIC)
    return reply.status, body, reply.headers.get("Idempotent-Replayed") == "true"


PUBLIC = tuple(public_state(next(GAME.steps()).state))


def predicted(expected: Expected) -> tuple[int, dict[str, Any], bool]:
    return expected.status, expected.body, expected.replayed


def _first_turn(game: Record) -> list[str]:
    """Return the actions of a game up to the first that draws cards."""
    _deal, *rest = game.steps()
    count = next(n for n, step in enumerate(rest, 1) if _reveals(step))
    return list(game.actions[:count])


# The order of the checks.


def _post(api: Api, game_id: str, body: bytes, media_type: str = "application/json") -> Reply:
    return api.request(
        "POST", f"/v1/games/{game_id}/actions", body=body, headers={"Content-Type": media_type}
    )


def test_body_size_is_checked_before_media_type(api: Api) -> None:
    assert refused(_post(api, UNKNOWN_ID, TOO_LARGE, "text/plain")) == (413, "too_large")


def test_media_type_is_checked_before_json_syntax(api: Api) -> None:
    reply = _post(api, UNKNOWN_ID, NOT_JSON, "text/plain")
    assert refused(reply) == (415, "unsupported_media_type")


def test_json_syntax_is_checked_before_existence_of_the_game(api: Api) -> None:
    assert refused(_post(api, UNKNOWN_ID, NOT_JSON)) == (400, "malformed_json")


def test_the_form_is_checked_before_existence_of_the_game(api: Api) -> None:
    assert refused(_post(api, UNKNOWN_ID, INVALID)) == (422, "invalid_request")


def test_a_valid_request_to_an_unknown_game_is_not_found(api: Api) -> None:
    assert refused(api.act(UNKNOWN_ID, 0, "avoid")) == (404, "game_not_found")


def test_the_form_is_checked_before_the_token(api: Api) -> None:
    game = api.new_game(locked=True)
    assert refused(_post(api, game["id"], INVALID)) == (422, "invalid_request")


@pytest.mark.parametrize(
    ("version", "actions"),
    [(0, ["avoid"]), (0, [GAME.actions[0]]), (1, ["avoid"]), (0, ["drink:2H"])],
    ids=["a retry", "another move", "a stale version", "an illegal action"],
)
def test_the_token_is_checked_before_the_state_of_the_game(
    api: Api, version: int, actions: list[str]
) -> None:
    game = api.new_game(seed=SEED, locked=True)
    path = f"/v1/games/{game['id']}/actions"
    token = {"Authorization": f"Bearer {game['token']}"}
    first = api.request("POST", path, {"version": 0, "actions": ["avoid"]}, headers=token)
    assert first.status == 200
    request = {"version": version, "actions": actions}
    assert refused(api.request("POST", path, request)) == (401, "token_required")


def test_a_retry_gets_the_same_response(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    first = act(api, game_id, 0, GAME.actions[0])
    again = act(api, game_id, 0, GAME.actions[0])
    assert again.body == first.body
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_retry_gets_its_original_state_after_further_moves(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    firsts = [act(api, game_id, n, action) for n, action in enumerate(GAME.actions)]
    for n, (action, first) in enumerate(zip(GAME.actions, firsts, strict=True)):
        again = act(api, game_id, n, action)
        assert actual(again) == (200, actual(first)[1], True)


def test_a_retry_in_a_finished_game_shows_the_seed(api: Api) -> None:
    game = api.new_game(player="Anna")
    version, actions, first_action = 0, game["actions"], ""
    while actions:
        first_action = first_action or actions[0]
        reply = act(api, game["id"], version, actions[0])
        version, actions = reply.json["version"], reply.json["actions"]
    again = act(api, game["id"], 0, first_action).json
    assert (again["version"], again["status"]) == (1, "playing")
    assert again["seed"] == reply.json["seed"] is not None


def test_part_of_a_batch_is_a_retry(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    act(api, game_id, 0, *GAME.actions[:2])
    assert act(api, game_id, 1, GAME.actions[1]).headers["Idempotent-Replayed"] == "true"


def test_single_actions_repeated_as_a_batch_are_a_retry(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    for n, action in enumerate(GAME.actions[:8]):
        act(api, game_id, n, action)
    again = act(api, game_id, 0, *GAME.actions[:8])
    assert again.headers["Idempotent-Replayed"] == "true"
    model = Model(GAME.rules, GAME.seed)
    assert actual(again) == predicted(model.respond(tuple(GAME.actions[:8]), 0, GAME.actions[:8]))


def test_a_batch_with_a_new_action_is_not_a_retry(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    act(api, game_id, 0, GAME.actions[0])
    reply = act(api, game_id, 0, *GAME.actions[:2])
    assert refused(reply) == (409, "version_mismatch")


@pytest.mark.parametrize("version", [1, 2, 2**31, 2**53 - 1])
def test_a_future_version_is_refused_with_the_current_state(api: Api, version: int) -> None:
    game_id, body = begin(api, GAME)
    reply = act(api, game_id, version, GAME.actions[0])
    assert refused(reply) == (409, "version_mismatch")
    assert reply.json["state"] == api.get(f"/v1/games/{game_id}").json
    assert of_play(reply.json["state"], PUBLIC) == of_play(body, PUBLIC)


def test_the_version_is_checked_before_game_over(api: Api) -> None:
    game_id = play_through(api, GAME)
    assert refused(act(api, game_id, 0, "avoid")) == (409, "version_mismatch")


def test_game_over_is_checked_before_legality(api: Api) -> None:
    game_id = play_through(api, GAME)
    for action in ("avoid", "draw", "drink:2H"):
        assert refused(act(api, game_id, len(GAME.actions), action)) == (409, "game_over")


def test_a_retry_of_the_last_action_is_recognised_before_game_over(api: Api) -> None:
    game_id = play_through(api, GAME)
    again = act(api, game_id, len(GAME.actions) - 1, GAME.actions[-1])
    assert (again.status, again.headers["Idempotent-Replayed"]) == (200, "true")


@pytest.mark.parametrize("game", [GAME, MANUAL], ids=["auto", "manual"])
def test_every_illegal_action_is_refused_with_the_legal_ones(api: Api, game: Record) -> None:
    game_id, body = begin(api, game)
    illegal = [str(action) for action in ACTIONS if str(action) not in body["actions"]]
    for action in illegal:
        reply = act(api, game_id, 0, action)
        assert refused(reply) == (409, "illegal_action")
        assert (reply.json["index"], reply.json["actions"]) == (0, body["actions"])


def test_an_illegal_action_in_a_batch_is_refused_with_the_legal_ones_at_its_index(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    legal = Model(GAME.rules, GAME.seed).steps(GAME.actions[:2])[-1].state.legal
    reply = act(api, game_id, 0, *GAME.actions[:2], GAME.actions[0], GAME.actions[2])
    assert refused(reply) == (409, "illegal_action")
    assert (reply.json["index"], reply.json["actions"]) == (2, [str(a) for a in legal])


@pytest.mark.parametrize("follows", ["legal", "illegal"])
def test_an_action_after_a_reveal_is_refused_with_only_its_index(api: Api, follows: str) -> None:
    game_id, _ = begin(api, GAME)
    turn = _first_turn(GAME)
    after = GAME.actions[len(turn)] if follows == "legal" else turn[0]
    reply = act(api, game_id, 0, *turn, after)
    assert refused(reply) == (409, "reveals_cards")
    assert set(reply.json) == COMMON_MEMBERS | {"code", "index"}
    assert reply.json["index"] == len(turn)


def test_an_illegal_action_before_a_reveal_is_reported_first(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    turn = _first_turn(GAME)
    reply = act(api, game_id, 0, turn[0], turn[0], *turn[1:], turn[0])
    assert (refused(reply)[1], reply.json["index"]) == ("illegal_action", 1)


def test_a_legal_draw_may_follow_a_draw(api: Api) -> None:
    game_id, _ = begin(api, MANUAL)
    reply = act(api, game_id, 0, "draw", "draw", "draw", "draw")
    assert (reply.status, reply.json["version"]) == (200, 4)


def test_one_draw_too_many_is_refused_with_only_its_index(api: Api) -> None:
    game_id, _ = begin(api, MANUAL)
    reply = act(api, game_id, 0, "draw", "draw", "draw", "draw", "draw")
    assert refused(reply) == (409, "reveals_cards")
    assert set(reply.json) == COMMON_MEMBERS | {"code", "index"}
    assert reply.json["index"] == 4


def test_a_batch_may_have_64_actions_but_not_65(api: Api) -> None:
    game_id, body = begin(api, GAME)
    illegal = ["drink:2H"] * 65
    assert body["actions"].count("drink:2H") == 0
    assert refused(act(api, game_id, 0, *illegal[:64])) == (409, "illegal_action")
    assert refused(act(api, game_id, 0, *illegal)) == (422, "invalid_request")


@pytest.mark.parametrize("refusal", ["illegal_action", "reveals_cards", "version_mismatch"])
def test_a_refusal_changes_nothing(api: Api, refusal: str) -> None:
    game_id, _ = begin(api, GAME)
    before = comparable(api.get(f"/v1/games/{game_id}"))
    turn = _first_turn(GAME)
    version, actions = {
        "illegal_action": (0, (*turn[:-1], "draw")),
        "reveals_cards": (0, (*turn, GAME.actions[len(turn)])),
        "version_mismatch": (1, turn),
    }[refusal]
    assert refused(act(api, game_id, version, *actions)) == (409, refusal)
    assert comparable(api.get(f"/v1/games/{game_id}")) == before


# Interleaved clients.


class Choice(NamedTuple):
    """How a client chooses its next request from what it knows."""

    client: int
    kind: str
    pick: int
    more: int


class Player:
    """A client that knows its last response and its previous requests."""

    def __init__(self, body: dict[str, Any]) -> None:
        self._version: int = body["version"]
        self._legal: list[str] = body["actions"]
        self._sent: list[tuple[int, list[str]]] = []

    def choose(self, choice: Choice) -> tuple[int, list[str]]:
        """Return the version and the actions to send."""
        request = self._request(choice)
        self._sent.append(request)
        return request

    def see(self, reply: Reply) -> None:
        """Remember a response."""
        shown = reply.json.get("state", reply.json)
        if "version" in shown:
            self._version, self._legal = shown["version"], shown["actions"]

    def _request(self, choice: Choice) -> tuple[int, list[str]]:
        if choice.kind == "retry" and self._sent:
            return self._sent[choice.pick % len(self._sent)]
        if choice.kind == "stale":
            return choice.pick % (self._version + 3), [str(ACTIONS[choice.pick % len(ACTIONS)])]
        if choice.kind == "any":
            first = choice.pick % len(ACTIONS)
            return self._version, [str(action) for action in ACTIONS[first : first + choice.more]]
        # A finished game has no legal actions, so any action will do.
        legal = self._legal or ["avoid"]
        count = choice.more if choice.kind == "batch" else 1
        return self._version, [legal[(choice.pick + n) % len(legal)] for n in range(count)]


KINDS = ("move", "move", "batch", "retry", "stale", "any")

choices = st.builds(
    Choice, st.integers(0, 2), st.sampled_from(KINDS), st.integers(0, 99), st.integers(1, 4)
)


@pytest.mark.parametrize("ruleset", ["original", "strict", "gravekeeper"])
def test_any_interleaving_of_clients_gets_the_predicted_responses(api: Api, ruleset: str) -> None:
    @settings(max_examples=60)
    @given(st.lists(choices, min_size=1, max_size=40), st.sampled_from(["once-a", "once-b"]))
    def interleave(sequence: list[Choice], seed: str) -> None:
        model = Model(rules_for(ruleset), seed)
        game_id, body = begin(api, Record(ruleset, {}, seed, ()))
        players = [Player(body) for _ in range(3)]
        log: tuple[str, ...] = ()
        for choice in sequence:
            version, actions = players[choice.client].choose(choice)
            expected = model.respond(log, version, actions)
            reply = act(api, game_id, version, *actions)
            assert actual(reply) == predicted(expected)
            players[choice.client].see(reply)
            log = expected.log
        assert _log(api, game_id) == log

    interleave()


def test_batches_and_single_moves_lead_to_the_same_history(api: Api) -> None:
    """A game is always one sequence of single moves."""
    game_id, _ = begin(api, GAME)
    turn = _first_turn(GAME)
    act(api, game_id, 0, *turn[:2])
    act(api, game_id, 0, *turn[:2])
    act(api, game_id, 2, *turn[2:])
    single_id, _ = begin(api, GAME)
    for version, action in enumerate(turn):
        act(api, single_id, version, action)
    history = api.get(f"/v1/games/{game_id}/history").json["history"]
    assert history == api.get(f"/v1/games/{single_id}/history").json["history"]


# Concurrent clients.


class Exchange(NamedTuple):
    """A request and its response, with the times of both."""

    sent: float
    received: float
    version: int
    actions: list[str]
    actual: tuple[int, dict[str, Any], bool]


Result = TypeVar("Result")


def _at_once(
    server: ApiServer, count: int, do: Callable[[Connection, int], Result]
) -> list[Result]:
    """Call ``do`` ``count`` times at the same time, each with its own connection."""
    barrier = Barrier(count)

    def begin_together(number: int) -> Result:
        with closing(Connection(server.port)) as connection:
            connection.request("GET", "/livez")
            barrier.wait()
            return do(connection, number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin_together, range(count)))


def _log(client: Client, game_id: str) -> tuple[str, ...]:
    history = client.request("GET", f"/v1/games/{game_id}/history").json["history"]
    return tuple(entry["action"] for entry in history[1:])


def test_50_concurrent_equal_requests_are_applied_once(api: Api, server: ApiServer) -> None:
    game_id, _ = begin(api, GAME)
    turn = _first_turn(GAME)
    replies = _at_once(server, 50, lambda connection, _: act(connection, game_id, 0, *turn))
    assert {reply.status for reply in replies} == {200}
    assert len({reply.body for reply in replies}) == 1
    assert sum("Idempotent-Replayed" not in reply.headers for reply in replies) == 1
    assert _log(api, game_id) == tuple(turn)


def test_one_of_several_concurrent_moves_is_applied_and_the_others_see_it(
    api: Api, server: ApiServer
) -> None:
    game_id, body = begin(api, GAME)
    moves = body["actions"]
    replies = _at_once(server, len(moves), lambda c, n: act(c, game_id, 0, moves[n]))
    (applied,) = [reply for reply in replies if reply.status == 200]
    others = [reply for reply in replies if reply.status != 200]
    assert {refused(reply) for reply in others} == {(409, "version_mismatch")}
    seen = of_play(applied.json, PUBLIC)
    assert all(of_play(reply.json["state"], PUBLIC) == seen for reply in others)


@pytest.mark.parametrize("game", [GAME, MANUAL], ids=["auto", "manual"])
def test_responses_to_concurrent_clients_fit_one_order_of_their_requests(
    api: Api, server: ApiServer, game: Record
) -> None:
    """Every response matches the model at some log length, and none goes back in time."""
    game_id, body = begin(api, game)

    def play_along(connection: Connection, number: int) -> list[Exchange]:
        player, random = Player(body), Random(number)
        exchanges = []
        for _ in range(60):
            choice = Choice(
                number, random.choice(KINDS), random.randrange(100), random.randint(1, 4)
            )
            version, actions = player.choose(choice)
            sent = monotonic()
            reply = act(connection, game_id, version, *actions)
            exchanges.append(Exchange(sent, monotonic(), version, actions, actual(reply)))
            player.see(reply)
        return exchanges

    exchanges = list(chain.from_iterable(_at_once(server, 6, play_along)))
    log = _log(api, game_id)
    applied = [
        exchange for exchange in exchanges if exchange.actual[0] == 200 and not exchange.actual[2]
    ]
    assert sum(len(exchange.actions) for exchange in applied) == len(log) > 0
    _expect_one_order(exchanges, log, Model(game.rules, game.seed))


def _expect_one_order(exchanges: list[Exchange], log: tuple[str, ...], model: Model) -> None:
    """Find the log length at which the model predicts each response; fail if there is none.

    A request sent after another response must find a log at least as long.
    """
    placed: list[tuple[Exchange, int]] = []
    for exchange in sorted(exchanges):
        at_least = max((end for other, end in placed if other.received < exchange.sent), default=0)
        ends = (
            len(expected.log)
            for length in range(at_least, len(log) + 1)
            if predicted(
                expected := model.respond(log[:length], exchange.version, exchange.actions)
            )
            == exchange.actual
            and expected.log == log[: len(expected.log)]
        )
        end = next(ends, None)
        assert end is not None, f"no log length fits {exchange}"
        placed.append((exchange, end))
