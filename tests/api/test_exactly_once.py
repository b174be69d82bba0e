"""Actions are applied exactly once: the checks in their order, retries, batches, many clients."""

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


# What the contract says, written once more and from the contract alone.


class Expected(NamedTuple):
    """What is to be answered, and the game's actions after that."""

    status: int
    body: dict[str, Any]
    replayed: bool
    log: tuple[str, ...]


class Model:
    """A game as its actions, and the checks in the order of the contract."""

    def __init__(self, rules: Rules, seed: str) -> None:
        self._rules = rules
        self._seed = seed
        self._steps: dict[tuple[str, ...], list[Step]] = {}

    def steps(self, log: Sequence[str]) -> list[Step]:
        """Return the deal and the step of each action, by the engine."""
        key = tuple(log)
        if key not in self._steps:
            went = steps(self._seed, map(parse_action, key), self._rules.options)
            self._steps[key] = list(went)
        return self._steps[key]

    def answer(self, log: tuple[str, ...], version: int, asked: Sequence[str]) -> Expected:
        """Return what a request is answered by a game with these actions."""
        end = version + len(asked)
        if end <= len(log) and log[version:end] == tuple(asked):
            return Expected(200, self._applied(log[:end], version), replayed=True, log=log)
        if refusal := self._refusal(log, version, asked):
            return Expected(409, refusal, replayed=False, log=log)
        log = (*log, *asked)
        return Expected(200, self._applied(log, version), replayed=False, log=log)

    def _refusal(
        self, log: tuple[str, ...], version: int, asked: Sequence[str]
    ) -> dict[str, Any] | None:
        state = self.steps(log)[-1].state
        if version != len(log):
            return {"code": "version_mismatch", "state": public_state(state)}
        if state.status is not Status.PLAYING:
            return {"code": "game_over"}
        done = list(log)
        revealed = False
        for index, action in enumerate(asked):
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
        went = self.steps(log)
        events = chain.from_iterable(step.events for step in went[since + 1 :])
        return {
            **public_state(went[-1].state),
            "events": [public_event(event) for event in events],
        }


def _reveals(step: Step) -> bool:
    return any(isinstance(event, CardsDrawn) for event in step.events)


COMMON_MEMBERS = {"type", "title", "status", "detail", "request_id"}


def told(reply: Reply) -> tuple[int, dict[str, Any], bool]:
    """Return a reply as far as the model predicts it."""
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
    """Return the actions of a game up to the first that turns up cards."""
    _deal, *rest = game.steps()
    count = next(n for n, step in enumerate(rest, 1) if _reveals(step))
    return list(game.actions[:count])


# The order of the checks.


def _post(api: Api, game_id: str, body: bytes, media_type: str = "application/json") -> Reply:
    return api.request(
        "POST", f"/v1/games/{game_id}/actions", body=body, headers={"Content-Type": media_type}
    )


def test_a_body_too_large_is_told_before_its_media_type(api: Api) -> None:
    assert refused(_post(api, UNKNOWN_ID, TOO_LARGE, "text/plain")) == (413, "too_large")


def test_a_wrong_media_type_is_told_before_broken_json(api: Api) -> None:
    reply = _post(api, UNKNOWN_ID, NOT_JSON, "text/plain")
    assert refused(reply) == (415, "unsupported_media_type")


def test_broken_json_is_told_before_an_unknown_game(api: Api) -> None:
    assert refused(_post(api, UNKNOWN_ID, NOT_JSON)) == (400, "malformed_json")


def test_an_invalid_request_is_told_before_an_unknown_game(api: Api) -> None:
    assert refused(_post(api, UNKNOWN_ID, INVALID)) == (422, "invalid_request")


def test_an_unknown_game_is_told_to_a_request_of_the_right_form(api: Api) -> None:
    assert refused(api.act(UNKNOWN_ID, 0, "avoid")) == (404, "game_not_found")


def test_an_invalid_request_is_told_before_a_missing_token(api: Api) -> None:
    game = api.new_game(locked=True)
    assert refused(_post(api, game["id"], INVALID)) == (422, "invalid_request")


@pytest.mark.parametrize(
    ("version", "actions"),
    [(0, ["avoid"]), (0, [GAME.actions[0]]), (1, ["avoid"]), (0, ["drink:2H"])],
    ids=["a retry", "another move", "a stale version", "an illegal action"],
)
def test_a_missing_token_is_told_before_all_that_the_game_knows(
    api: Api, version: int, actions: list[str]
) -> None:
    game = api.new_game(seed=SEED, locked=True)
    path = f"/v1/games/{game['id']}/actions"
    token = {"Authorization": f"Bearer {game['token']}"}
    first = api.request("POST", path, {"version": 0, "actions": ["avoid"]}, headers=token)
    assert first.status == 200
    request = {"version": version, "actions": actions}
    assert refused(api.request("POST", path, request)) == (401, "token_required")


def test_a_retry_is_answered_again(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    first = act(api, game_id, 0, GAME.actions[0])
    again = act(api, game_id, 0, GAME.actions[0])
    assert again.body == first.body
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_retry_is_answered_with_its_own_state_when_the_game_has_moved_on(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    firsts = [act(api, game_id, n, action) for n, action in enumerate(GAME.actions)]
    for n, (action, first) in enumerate(zip(GAME.actions, firsts, strict=True)):
        again = act(api, game_id, n, action)
        assert told(again) == (200, told(first)[1], True)


def test_a_retry_shows_the_seed_once_the_game_is_over(api: Api) -> None:
    game = api.new_game(player="Anna")
    version, actions, first_action = 0, game["actions"], ""
    while actions:
        first_action = first_action or actions[0]
        reply = act(api, game["id"], version, actions[0])
        version, actions = reply.json["version"], reply.json["actions"]
    again = act(api, game["id"], 0, first_action).json
    assert (again["version"], again["status"]) == (1, "playing")
    assert again["seed"] == reply.json["seed"] is not None


def test_a_part_of_a_batch_is_a_retry_too(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    act(api, game_id, 0, *GAME.actions[:2])
    assert act(api, game_id, 1, GAME.actions[1]).headers["Idempotent-Replayed"] == "true"


def test_single_actions_sent_again_as_a_batch_are_a_retry(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    for n, action in enumerate(GAME.actions[:8]):
        act(api, game_id, n, action)
    again = act(api, game_id, 0, *GAME.actions[:8])
    assert again.headers["Idempotent-Replayed"] == "true"
    model = Model(GAME.rules, GAME.seed)
    assert told(again) == predicted(model.answer(tuple(GAME.actions[:8]), 0, GAME.actions[:8]))


def test_a_batch_that_goes_on_from_what_was_applied_is_no_retry(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    act(api, game_id, 0, GAME.actions[0])
    reply = act(api, game_id, 0, *GAME.actions[:2])
    assert refused(reply) == (409, "version_mismatch")


@pytest.mark.parametrize("version", [1, 2, 2**31, 2**53 - 1])
def test_a_version_to_come_is_answered_with_the_game_as_it_is(api: Api, version: int) -> None:
    game_id, body = begin(api, GAME)
    reply = act(api, game_id, version, GAME.actions[0])
    assert refused(reply) == (409, "version_mismatch")
    assert reply.json["state"] == api.get(f"/v1/games/{game_id}").json
    assert of_play(reply.json["state"], PUBLIC) == of_play(body, PUBLIC)


def test_a_wrong_version_is_told_before_the_end_of_the_game(api: Api) -> None:
    game_id = play_through(api, GAME)
    assert refused(act(api, game_id, 0, "avoid")) == (409, "version_mismatch")


def test_the_end_of_the_game_is_told_before_an_illegal_action(api: Api) -> None:
    game_id = play_through(api, GAME)
    for action in ("avoid", "draw", "drink:2H"):
        assert refused(act(api, game_id, len(GAME.actions), action)) == (409, "game_over")


def test_a_retry_of_the_last_action_is_told_before_the_end_of_the_game(api: Api) -> None:
    game_id = play_through(api, GAME)
    again = act(api, game_id, len(GAME.actions) - 1, GAME.actions[-1])
    assert (again.status, again.headers["Idempotent-Replayed"]) == (200, "true")


@pytest.mark.parametrize("game", [GAME, MANUAL], ids=["auto", "manual"])
def test_each_action_that_is_not_legal_is_refused_with_those_that_are(
    api: Api, game: Record
) -> None:
    game_id, body = begin(api, game)
    illegal = [str(action) for action in ACTIONS if str(action) not in body["actions"]]
    for action in illegal:
        reply = act(api, game_id, 0, action)
        assert refused(reply) == (409, "illegal_action")
        assert (reply.json["index"], reply.json["actions"]) == (0, body["actions"])


def test_an_illegal_action_in_a_batch_is_refused_with_those_legal_just_before_it(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    legal = Model(GAME.rules, GAME.seed).steps(GAME.actions[:2])[-1].state.legal
    reply = act(api, game_id, 0, *GAME.actions[:2], GAME.actions[0], GAME.actions[2])
    assert refused(reply) == (409, "illegal_action")
    assert (reply.json["index"], reply.json["actions"]) == (2, [str(a) for a in legal])


@pytest.mark.parametrize("follows", ["legal", "illegal"])
def test_what_follows_a_reveal_is_refused_with_its_index_alone(api: Api, follows: str) -> None:
    game_id, _ = begin(api, GAME)
    turn = _first_turn(GAME)
    after = GAME.actions[len(turn)] if follows == "legal" else turn[0]
    reply = act(api, game_id, 0, *turn, after)
    assert refused(reply) == (409, "reveals_cards")
    assert set(reply.json) == COMMON_MEMBERS | {"code", "index"}
    assert reply.json["index"] == len(turn)


def test_an_illegal_action_before_a_reveal_is_told_first(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    turn = _first_turn(GAME)
    reply = act(api, game_id, 0, turn[0], turn[0], *turn[1:], turn[0])
    assert (refused(reply)[1], reply.json["index"]) == ("illegal_action", 1)


def test_a_legal_draw_may_follow_a_draw(api: Api) -> None:
    game_id, _ = begin(api, MANUAL)
    reply = act(api, game_id, 0, "draw", "draw", "draw", "draw")
    assert (reply.status, reply.json["version"]) == (200, 4)


def test_a_draw_too_many_is_refused_with_its_index_alone(api: Api) -> None:
    game_id, _ = begin(api, MANUAL)
    reply = act(api, game_id, 0, "draw", "draw", "draw", "draw", "draw")
    assert refused(reply) == (409, "reveals_cards")
    assert set(reply.json) == COMMON_MEMBERS | {"code", "index"}
    assert reply.json["index"] == 4


def test_64_actions_are_taken_and_65_are_not(api: Api) -> None:
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
    asked = {
        "illegal_action": (0, (*turn[:-1], "draw")),
        "reveals_cards": (0, (*turn, GAME.actions[len(turn)])),
        "version_mismatch": (1, turn),
    }[refusal]
    assert refused(act(api, game_id, asked[0], *asked[1])) == (409, refusal)
    assert comparable(api.get(f"/v1/games/{game_id}")) == before


# Any interleaving.


class Ask(NamedTuple):
    """How a client makes its next request out of what it knows."""

    client: int
    kind: str
    pick: int
    more: int


class Player:
    """A client that knows the game as its last answer showed it, and what it sent before."""

    def __init__(self, body: dict[str, Any]) -> None:
        self._version: int = body["version"]
        self._legal: list[str] = body["actions"]
        self._sent: list[tuple[int, list[str]]] = []

    def ask(self, ask: Ask) -> tuple[int, list[str]]:
        """Return the version and the actions to send."""
        request = self._choose(ask)
        self._sent.append(request)
        return request

    def see(self, reply: Reply) -> None:
        """Take note of an answer."""
        shown = reply.json.get("state", reply.json)
        if "version" in shown:
            self._version, self._legal = shown["version"], shown["actions"]

    def _choose(self, ask: Ask) -> tuple[int, list[str]]:
        if ask.kind == "retry" and self._sent:
            return self._sent[ask.pick % len(self._sent)]
        if ask.kind == "stale":
            return ask.pick % (self._version + 3), [str(ACTIONS[ask.pick % len(ACTIONS)])]
        if ask.kind == "any":
            first = ask.pick % len(ACTIONS)
            return self._version, [str(action) for action in ACTIONS[first : first + ask.more]]
        # A game that is over has no legal action; what is asked of it then does not matter.
        legal = self._legal or ["avoid"]
        count = ask.more if ask.kind == "batch" else 1
        return self._version, [legal[(ask.pick + n) % len(legal)] for n in range(count)]


KINDS = ("move", "move", "batch", "retry", "stale", "any")

asks = st.builds(
    Ask, st.integers(0, 2), st.sampled_from(KINDS), st.integers(0, 99), st.integers(1, 4)
)


@pytest.mark.parametrize("ruleset", ["original", "strict", "gravekeeper"])
def test_any_interleaving_is_answered_as_the_model_of_the_checks_predicts(
    api: Api, ruleset: str
) -> None:
    @settings(max_examples=60)
    @given(st.lists(asks, min_size=1, max_size=40), st.sampled_from(["once-a", "once-b"]))
    def interleave(asked: list[Ask], seed: str) -> None:
        model = Model(rules_for(ruleset), seed)
        game_id, body = begin(api, Record(ruleset, {}, seed, ()))
        players = [Player(body) for _ in range(3)]
        log: tuple[str, ...] = ()
        for ask in asked:
            version, actions = players[ask.client].ask(ask)
            expected = model.answer(log, version, actions)
            reply = act(api, game_id, version, *actions)
            assert told(reply) == predicted(expected)
            players[ask.client].see(reply)
            log = expected.log
        assert _log(api, game_id) == log

    interleave()


def test_what_single_moves_led_to_is_what_their_batches_lead_to(api: Api) -> None:
    """Whatever the clients sent, the game is one sequence of single moves."""
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


# At the same moment.


class Answered(NamedTuple):
    """A request, when it was sent and when its answer had come, and what that said."""

    sent: float
    received: float
    version: int
    actions: list[str]
    told: tuple[int, dict[str, Any], bool]


Result = TypeVar("Result")


def _at_once(
    server: ApiServer, count: int, do: Callable[[Connection, int], Result]
) -> list[Result]:
    """Do something ``count`` times at the same moment, each on a connection of its own."""
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


def test_the_same_request_50_times_at_once_is_applied_once(api: Api, server: ApiServer) -> None:
    game_id, _ = begin(api, GAME)
    turn = _first_turn(GAME)
    replies = _at_once(server, 50, lambda connection, _: act(connection, game_id, 0, *turn))
    assert {reply.status for reply in replies} == {200}
    assert len({reply.body for reply in replies}) == 1
    assert sum("Idempotent-Replayed" not in reply.headers for reply in replies) == 1
    assert _log(api, game_id) == tuple(turn)


def test_of_different_moves_at_once_one_is_applied_and_the_others_see_it(
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
def test_clients_at_once_get_answers_that_one_order_of_their_requests_explains(
    api: Api, server: ApiServer, game: Record
) -> None:
    """Every answer is the model's at some length of the log, and no answer goes back in time."""
    game_id, body = begin(api, game)

    def play_along(connection: Connection, number: int) -> list[Answered]:
        player, random = Player(body), Random(number)
        answered = []
        for _ in range(60):
            ask = Ask(number, random.choice(KINDS), random.randrange(100), random.randint(1, 4))
            version, actions = player.ask(ask)
            sent = monotonic()
            reply = act(connection, game_id, version, *actions)
            answered.append(Answered(sent, monotonic(), version, actions, told(reply)))
            player.see(reply)
        return answered

    answered = list(chain.from_iterable(_at_once(server, 6, play_along)))
    log = _log(api, game_id)
    applied = [one for one in answered if one.told[0] == 200 and not one.told[2]]
    assert sum(len(one.actions) for one in applied) == len(log) > 0
    _explain(answered, log, Model(game.rules, game.seed))


def _explain(answered: list[Answered], log: tuple[str, ...], model: Model) -> None:
    """Find for each answer the log's length at which the model gives it; fail if there is none.

    A request sent after another one was answered must find the log at least as long as that.
    """
    placed: list[tuple[Answered, int]] = []
    for one in sorted(answered):
        at_least = max((end for other, end in placed if other.received < one.sent), default=0)
        ends = (
            len(expected.log)
            for length in range(at_least, len(log) + 1)
            if predicted(expected := model.answer(log[:length], one.version, one.actions))
            == one.told
            and expected.log == log[: len(expected.log)]
        )
        end = next(ends, None)
        assert end is not None, f"nothing explains {one}"
        placed.append((one, end))
