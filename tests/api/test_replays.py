"""Replays over HTTP: games played anywhere are verified, and nothing is stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine import Options, commitment, format_notation, parse_action, parse_rules, rules_for, steps
from tests.api.client import Api, refused
from tests.playing import Record, of_play, play_through, record
from tests.public import public_state
from tests.servers import ApiServer
from tests.store.play import LONGEST, longest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redis import Redis

    from tests.api.documented import Document
    from tests.servers import Reply

PATH = "/v1/replays"
VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "openapi" / "vectors" / "games.json").read_text()
)
GAME = record("replays-1")
FORMS = ("parts", "notation")


def parts(game: Record) -> dict[str, Any]:
    """Return a replay request made of separate fields."""
    return {**game.new_game, "actions": list(game.actions)}


def notation(game: Record) -> dict[str, Any]:
    """Return a replay request made of a notation."""
    return {"notation": format_notation(game.rules, game.seed, map(parse_action, game.actions))}


def request_body(form: str, game: Record) -> dict[str, Any]:
    return parts(game) if form == "parts" else notation(game)


def of(vector: dict[str, Any]) -> Record:
    return Record(vector["ruleset"], vector["options"], vector["seed"], vector["actions"])


def cut(game: Record, count: int) -> Record:
    return game._replace(actions=game.actions[:count])


def pointers(reply: Reply) -> set[str]:
    """Return the pointers to the errors of an invalid request."""
    assert refused(reply) == (422, "invalid_request")
    return {error["pointer"] for error in reply.json["errors"]}


every_form = pytest.mark.parametrize("form", FORMS)
on_record = pytest.mark.parametrize(
    "vector", VECTORS, ids=lambda vector: f"{vector['seed']} {len(vector['actions'])}"
)


# Valid games.


@on_record
def test_a_recorded_game_has_its_recorded_end_in_both_forms(
    api: Api, vector: dict[str, Any]
) -> None:
    end = {name: value for name, value in vector["states"][-1].items() if name != "events"}
    replies = [api.post(PATH, request_body(form, of(vector))) for form in FORMS]
    assert [reply.status for reply in replies] == [200, 200]
    assert of_play(replies[0].json, end) == end
    assert replies[1].body == replies[0].body
    assert replies[0].json["notation"] == notation(of(vector))["notation"]


@every_form
def test_a_replay_may_end_after_any_action(api: Api, form: str) -> None:
    states = list(steps(GAME.seed, map(parse_action, GAME.actions)))
    for count in range(1, len(GAME.actions) + 1):
        result = api.post(PATH, request_body(form, cut(GAME, count))).json
        expected = public_state(states[count].state)
        assert of_play(result, expected) == expected


@every_form
def test_the_response_describes_the_replayed_game(api: Api, form: str) -> None:
    options = {"leave": 2, "degradation": "lower"}
    game = record("replays-2", "strict", options)
    result = api.post(PATH, request_body(form, game)).json
    expected = {
        "ruleset": "strict",
        "options": {**rules_for("strict", options).options._asdict()},
        "custom": True,
        "seed": "replays-2",
        "commitment": commitment("replays-2"),
        **notation(game),
    }
    assert of_play(result, expected) == json.loads(json.dumps(expected))


def test_replaying_the_returned_notation_gives_the_same_response(api: Api) -> None:
    result = api.post(PATH, parts(record("replays-3", "gravekeeper", {"health": 42})))
    assert api.post(PATH, {"notation": result.json["notation"]}).body == result.body


def test_replaying_the_notation_of_a_finished_game_gives_its_final_state(api: Api) -> None:
    game_id = play_through(api, GAME)
    line = api.get(f"/v1/games/{game_id}/history").json["notation"]
    result = api.post(PATH, {"notation": line}).json
    played = api.get(f"/v1/games/{game_id}").json
    same = [name for name in result if name != "notation"]
    assert of_play(result, same) == of_play(played, same)


@pytest.mark.parametrize(
    "explicit",
    [
        {"ruleset": "original"},
        {"options": {}},
        {"ruleset": "original", "options": Options()._asdict()},
    ],
    ids=["ruleset", "empty options", "all options"],
)
def test_defaults_may_be_omitted_or_explicit(api: Api, explicit: dict[str, Any]) -> None:
    bare = {"seed": GAME.seed, "actions": list(GAME.actions)}
    assert api.post(PATH, {**bare, **explicit}).body == api.post(PATH, bare).body


def test_a_notation_may_contain_options_equal_to_the_ruleset(api: Api) -> None:
    game = record("replays-4", "strict")
    line = notation(game)["notation"].replace("strict/", "strict+degradation=lower,health=20/")
    result = api.post(PATH, {"notation": line})
    assert result.body == api.post(PATH, parts(game)).body
    assert not result.json["custom"]


# Invalid games.


def refusal_at(api: Api, body: dict[str, Any]) -> tuple[int, list[str]]:
    """Return the index and the legal actions of the refusal."""
    reply = api.post(PATH, body)
    assert refused(reply) == (409, "illegal_action")
    return reply.json["index"], reply.json["actions"]


def legal_at(game: Record, count: int) -> list[str]:
    """Return the legal actions after ``count`` actions of a game."""
    (state,) = [step.state for n, step in enumerate(game.steps()) if n == count]
    return [str(action) for action in state.legal]


@every_form
def test_the_first_illegal_action_is_refused_with_the_legal_ones(api: Api, form: str) -> None:
    for index in range(len(GAME.actions)):
        actions = [*GAME.actions[:index], "draw", *GAME.actions[index:]]
        result = refusal_at(api, request_body(form, GAME._replace(actions=actions)))
        assert result == (index, legal_at(GAME, index))


@every_form
def test_an_action_after_the_end_is_refused_with_no_legal_actions(api: Api, form: str) -> None:
    game = GAME._replace(actions=[*GAME.actions, "avoid", "avoid"])
    assert refusal_at(api, request_body(form, game)) == (len(GAME.actions), [])


@every_form
def test_a_missing_draw_is_refused_where_it_was_required(api: Api, form: str) -> None:
    manual = record("replays-5", "gravekeeper")
    assert manual.actions[:4] == ["draw"] * 4
    game = manual._replace(actions=manual.actions[1:])
    assert refusal_at(api, request_body(form, game)) == (3, ["draw"])


@every_form
def test_the_actions_of_a_game_are_refused_with_another_seed(api: Api, form: str) -> None:
    index, actions = refusal_at(api, request_body(form, GAME._replace(seed="replays-6")))
    assert actions == legal_at(cut(GAME, index)._replace(seed="replays-6"), index)


@every_form
def test_the_actions_of_a_game_are_refused_with_other_rules(api: Api, form: str) -> None:
    game = GAME._replace(options={"draw": "manual"})
    assert refusal_at(api, request_body(form, game)) == (0, ["draw"])


# Length.


@pytest.fixture(scope="module")
def the_longest() -> Record:
    """A game of 288 actions: all cards drawn manually and as many rooms avoided as possible."""
    game = longest()
    options = {"draw": "manual", "avoiding": "always", "health": 99}
    assert game.rules == rules_for("original", options)
    return Record("original", options, game.seed, [str(action) for action in game.actions])


@every_form
def test_a_replay_may_have_288_actions(api: Api, the_longest: Record, form: str) -> None:
    reply = api.post(PATH, request_body(form, the_longest))
    assert (reply.status, reply.json["version"]) == (200, LONGEST)
    assert reply.json["status"] != "playing"


@every_form
def test_a_replay_of_289_actions_is_an_invalid_request(
    api: Api, the_longest: Record, form: str
) -> None:
    """No longer game exists, so the length is part of the form of the request."""
    actions: Sequence[str] = [*the_longest.actions, "draw"]
    game = the_longest._replace(actions=actions)
    field = {"parts": "/actions", "notation": "/notation"}[form]
    assert pointers(api.post(PATH, request_body(form, game))) == {field}


@every_form
def test_a_replay_must_have_an_action(api: Api, form: str) -> None:
    field = {"parts": "/actions", "notation": "/notation"}[form]
    assert api.post(PATH, request_body(form, cut(GAME, 1))).status == 200
    assert pointers(api.post(PATH, request_body(form, cut(GAME, 0)))) == {field}


# Fields or notation.


@pytest.mark.parametrize("name", parts(GAME))
def test_a_notation_cannot_be_combined_with_another_field(api: Api, name: str) -> None:
    body = {**notation(GAME), name: parts(GAME)[name]}
    assert pointers(api.post(PATH, body)) == {f"/{name}"}


def test_both_forms_together_are_refused_even_if_they_agree(api: Api) -> None:
    body = {**notation(GAME), **parts(GAME)}
    assert pointers(api.post(PATH, body)) == {f"/{name}" for name in parts(GAME)}


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ({}, {"/seed", "/actions"}),
        ({"ruleset": "strict", "options": {"leave": 1}}, {"/seed", "/actions"}),
        ({"seed": "a"}, {"/actions"}),
        ({"actions": ["avoid"]}, {"/seed"}),
    ],
    ids=["empty body", "only rules", "no actions", "no seed"],
)
def test_an_incomplete_request_is_refused_with_the_missing_fields(
    api: Api, body: dict[str, Any], missing: set[str]
) -> None:
    assert pointers(api.post(PATH, body)) == missing


SEEDS = {"too long": "a" * 65, "empty": "", "a space": "a b", "not ASCII": "\xe4", "a plus": "a+b"}
LINES = {
    "an unknown ruleset": "poker/a/a",
    "a ruleset in capitals": "Original/a/a",
    "an empty ruleset": "/a/a",
    "an unknown option": "original+lives=2/a/a",
    "a value out of range": "original+health=100/a/a",
    "a value of another option": "original+draw=always/a/a",
    "a value with a leading zero": "original+health=07/a/a",
    "an option twice": "original+leave=1,leave=1/a/a",
    "an option without a value": "original+leave/a/a",
    "a plus without options": "original+/a/a",
    "an unknown action": "original/a/x",
    "an action in long form": "original/a/avoid",
    "an action impossible for its card": "original/a/TDw",
    "two spaces": "original/a/a  a",
    "a space at the end": "original/a/a ",
    "a line feed": "original/a/a\n",
    "two parts": "original/a",
    "four parts": "original/a/a/a",
    "empty": "",
    **{f"a seed that is {name}": f"original/{seed}/a" for name, seed in SEEDS.items() if seed},
    "an empty seed": "original//a",
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_an_invalid_notation_is_refused_with_a_pointer_to_it(api: Api, line: str) -> None:
    assert pointers(api.post(PATH, {"notation": line})) == {"/notation"}


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"ruleset": "poker"}, "/ruleset"),
        ({"options": {"lives": 2}}, "/options/lives"),
        ({"options": {"health": 100}}, "/options/health"),
        ({"options": {"draw": "always"}}, "/options/draw"),
        ({"actions": ["avoid", "x"]}, "/actions/1"),
        ({"actions": ["a"]}, "/actions/0"),
        *[({"seed": seed}, "/seed") for seed in SEEDS.values()],
    ],
)
def test_an_invalid_field_is_refused_with_a_pointer_to_it(
    api: Api, wrong: dict[str, Any], pointer: str
) -> None:
    assert pointers(api.post(PATH, {**parts(GAME), **wrong})) == {pointer}


# Nothing is stored.


@every_form
def test_a_replay_stores_nothing(api: Api, stored: Redis, form: str) -> None:
    ranked = api.get(f"/v1/ledger?seed={GAME.seed}").json
    before = set(stored.keys())
    assert api.post(PATH, request_body(form, GAME)).json["status"] != "playing"
    assert refused(api.post(PATH, request_body(form, GAME._replace(seed="replays-6"))))[0] == 409
    assert set(stored.keys()) <= before
    assert api.get(f"/v1/ledger?seed={GAME.seed}").json == ranked


@pytest.fixture(scope="module")
def orphan(document: Document) -> Iterator[Api]:
    """An API whose store does not exist."""
    server = ApiServer({"SCOUNDREL_REDIS_URL": "unix:///nowhere/store.sock"}, workers=1)
    try:
        yield Api(server.start(), document)
    finally:
        server.close()


@every_form
def test_a_replay_does_not_need_the_store(api: Api, orphan: Api, form: str) -> None:
    assert orphan.get("/readyz").status == 503
    body = request_body(form, GAME)
    assert orphan.post(PATH, body).body == api.post(PATH, body).body


def test_the_recorded_games_cover_many_rules() -> None:
    """Without this coverage the tests above would prove little."""
    rules = {str(of(vector).rules) for vector in VECTORS}
    assert len(rules) > 10
    assert all(str(parse_rules(text)) == text for text in rules)
