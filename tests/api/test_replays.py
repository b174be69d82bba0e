"""Replays over HTTP: a whole game is checked wherever it was played, and nothing of it is kept."""

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
    """Return the game as its parts."""
    return {**game.new_game, "actions": list(game.actions)}


def notation(game: Record) -> dict[str, Any]:
    """Return the game as its line."""
    return {"notation": format_notation(game.rules, game.seed, map(parse_action, game.actions))}


def written(form: str, game: Record) -> dict[str, Any]:
    return parts(game) if form == "parts" else notation(game)


def of(vector: dict[str, Any]) -> Record:
    return Record(vector["ruleset"], vector["options"], vector["seed"], vector["actions"])


def cut(game: Record, count: int) -> Record:
    return game._replace(actions=game.actions[:count])


def pointers(reply: Reply) -> set[str]:
    """Return where an invalid request is wrong."""
    assert refused(reply) == (422, "invalid_request")
    return {error["pointer"] for error in reply.json["errors"]}


every_form = pytest.mark.parametrize("form", FORMS)
on_record = pytest.mark.parametrize(
    "vector", VECTORS, ids=lambda vector: f"{vector['seed']} {len(vector['actions'])}"
)


# A game that is sound.


@on_record
def test_a_game_on_record_ends_in_either_form_as_it_is_on_record(
    api: Api, vector: dict[str, Any]
) -> None:
    end = {name: value for name, value in vector["states"][-1].items() if name != "events"}
    replies = [api.post(PATH, written(form, of(vector))) for form in FORMS]
    assert [reply.status for reply in replies] == [200, 200]
    assert of_play(replies[0].json, end) == end
    assert replies[1].body == replies[0].body
    assert replies[0].json["notation"] == notation(of(vector))["notation"]


@every_form
def test_a_game_may_be_checked_up_to_any_action(api: Api, form: str) -> None:
    states = list(steps(GAME.seed, map(parse_action, GAME.actions)))
    for count in range(1, len(GAME.actions) + 1):
        told = api.post(PATH, written(form, cut(GAME, count))).json
        expected = public_state(states[count].state)
        assert of_play(told, expected) == expected


@every_form
def test_the_answer_tells_what_was_replayed(api: Api, form: str) -> None:
    options = {"leave": 2, "degradation": "lower"}
    game = record("replays-2", "strict", options)
    told = api.post(PATH, written(form, game)).json
    around = {
        "ruleset": "strict",
        "options": {**rules_for("strict", options).options._asdict()},
        "custom": True,
        "seed": "replays-2",
        "commitment": commitment("replays-2"),
        **notation(game),
    }
    assert of_play(told, around) == json.loads(json.dumps(around))


def test_the_notation_that_is_answered_leads_to_the_same_answer(api: Api) -> None:
    told = api.post(PATH, parts(record("replays-3", "gravekeeper", {"health": 42})))
    assert api.post(PATH, {"notation": told.json["notation"]}).body == told.body


def test_the_notation_of_a_finished_game_leads_to_its_end(api: Api) -> None:
    game_id = play_through(api, GAME)
    line = api.get(f"/v1/games/{game_id}/history").json["notation"]
    told = api.post(PATH, {"notation": line}).json
    played = api.get(f"/v1/games/{game_id}").json
    same = [name for name in told if name != "notation"]
    assert of_play(told, same) == of_play(played, same)


@pytest.mark.parametrize(
    "spelt_out",
    [
        {"ruleset": "original"},
        {"options": {}},
        {"ruleset": "original", "options": Options()._asdict()},
    ],
    ids=["ruleset", "no option", "all"],
)
def test_the_defaults_may_be_left_out_or_spelt_out(api: Api, spelt_out: dict[str, Any]) -> None:
    bare = {"seed": GAME.seed, "actions": list(GAME.actions)}
    assert api.post(PATH, {**bare, **spelt_out}).body == api.post(PATH, bare).body


def test_a_notation_may_spell_out_the_rulesets_own_options(api: Api) -> None:
    game = record("replays-4", "strict")
    line = notation(game)["notation"].replace("strict/", "strict+degradation=lower,health=20/")
    told = api.post(PATH, {"notation": line})
    assert told.body == api.post(PATH, parts(game)).body
    assert not told.json["custom"]


# A game that is not sound.


def refusal_at(api: Api, body: dict[str, Any]) -> tuple[int, list[str]]:
    """Return the index and the legal actions that a refusal names."""
    reply = api.post(PATH, body)
    assert refused(reply) == (409, "illegal_action")
    return reply.json["index"], reply.json["actions"]


def legal_at(game: Record, count: int) -> list[str]:
    """Return what is legal after ``count`` actions of a game."""
    (state,) = [step.state for n, step in enumerate(game.steps()) if n == count]
    return [str(action) for action in state.legal]


@every_form
def test_the_first_action_that_is_not_legal_is_named_with_what_was(api: Api, form: str) -> None:
    for index in range(len(GAME.actions)):
        actions = [*GAME.actions[:index], "draw", *GAME.actions[index:]]
        told = refusal_at(api, written(form, GAME._replace(actions=actions)))
        assert told == (index, legal_at(GAME, index))


@every_form
def test_an_action_after_the_end_is_named_with_nothing_that_was_legal(api: Api, form: str) -> None:
    game = GAME._replace(actions=[*GAME.actions, "avoid", "avoid"])
    assert refusal_at(api, written(form, game)) == (len(GAME.actions), [])


@every_form
def test_a_draw_that_is_left_out_is_named_where_it_was_wanted(api: Api, form: str) -> None:
    manual = record("replays-5", "gravekeeper")
    assert manual.actions[:4] == ["draw"] * 4
    game = manual._replace(actions=manual.actions[1:])
    assert refusal_at(api, written(form, game)) == (3, ["draw"])


@every_form
def test_another_seed_is_another_game(api: Api, form: str) -> None:
    index, actions = refusal_at(api, written(form, GAME._replace(seed="replays-6")))
    assert actions == legal_at(cut(GAME, index)._replace(seed="replays-6"), index)


@every_form
def test_other_rules_are_another_game(api: Api, form: str) -> None:
    game = GAME._replace(options={"draw": "manual"})
    assert refusal_at(api, written(form, game)) == (0, ["draw"])


# How long it may be.


@pytest.fixture(scope="module")
def the_longest() -> Record:
    """A game of 288 actions: every card drawn by hand, and as many rooms avoided as may be."""
    game = longest()
    options = {"draw": "manual", "avoiding": "always", "health": 99}
    assert game.rules == rules_for("original", options)
    return Record("original", options, game.seed, [str(action) for action in game.actions])


@every_form
def test_a_replay_may_have_288_actions(api: Api, the_longest: Record, form: str) -> None:
    reply = api.post(PATH, written(form, the_longest))
    assert (reply.status, reply.json["version"]) == (200, LONGEST)
    assert reply.json["status"] != "playing"


@every_form
def test_a_replay_has_no_289_actions(api: Api, the_longest: Record, form: str) -> None:
    """None could be legal any more, and that is told as the form of the request."""
    actions: Sequence[str] = [*the_longest.actions, "draw"]
    game = the_longest._replace(actions=actions)
    field = {"parts": "/actions", "notation": "/notation"}[form]
    assert pointers(api.post(PATH, written(form, game))) == {field}


@every_form
def test_a_replay_has_an_action(api: Api, form: str) -> None:
    field = {"parts": "/actions", "notation": "/notation"}[form]
    assert api.post(PATH, written(form, cut(GAME, 1))).status == 200
    assert pointers(api.post(PATH, written(form, cut(GAME, 0)))) == {field}


# One form or the other.


@pytest.mark.parametrize("name", parts(GAME))
def test_no_part_goes_with_a_notation(api: Api, name: str) -> None:
    body = {**notation(GAME), name: parts(GAME)[name]}
    assert pointers(api.post(PATH, body)) == {f"/{name}"}


def test_both_forms_are_not_taken_even_if_they_agree(api: Api) -> None:
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
    ids=["nothing", "rules alone", "no actions", "no seed"],
)
def test_neither_form_is_told_by_what_is_missing(
    api: Api, body: dict[str, Any], missing: set[str]
) -> None:
    assert pointers(api.post(PATH, body)) == missing


SEEDS = {"too long": "a" * 65, "empty": "", "a space": "a b", "no ASCII": "\xe4", "a plus": "a+b"}
LINES = {
    "an unknown ruleset": "poker/a/a",
    "a ruleset in capitals": "Original/a/a",
    "no ruleset": "/a/a",
    "an unknown option": "original+lives=2/a/a",
    "a value out of range": "original+health=100/a/a",
    "a value of another option": "original+draw=always/a/a",
    "a value that is written otherwise": "original+health=07/a/a",
    "an option twice": "original+leave=1,leave=1/a/a",
    "an option without a value": "original+leave/a/a",
    "no option": "original+/a/a",
    "an unknown action": "original/a/x",
    "an action in the other form": "original/a/avoid",
    "an action of no card": "original/a/TDw",
    "two spaces": "original/a/a  a",
    "a space at the end": "original/a/a ",
    "a line feed": "original/a/a\n",
    "two parts": "original/a",
    "four parts": "original/a/a/a",
    "nothing": "",
    **{f"a seed that is {name}": f"original/{seed}/a" for name, seed in SEEDS.items() if seed},
    "an empty seed": "original//a",
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_what_is_no_notation_is_refused_where_it_stands(api: Api, line: str) -> None:
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
def test_a_part_that_is_wrong_is_refused_where_it_stands(
    api: Api, wrong: dict[str, Any], pointer: str
) -> None:
    assert pointers(api.post(PATH, {**parts(GAME), **wrong})) == {pointer}


# Nothing is stored.


@every_form
def test_nothing_of_a_replay_is_stored(api: Api, stored: Redis, form: str) -> None:
    ranked = api.get(f"/v1/ledger?seed={GAME.seed}").json
    before = set(stored.keys())
    assert api.post(PATH, written(form, GAME)).json["status"] != "playing"
    assert refused(api.post(PATH, written(form, GAME._replace(seed="replays-6"))))[0] == 409
    assert set(stored.keys()) <= before
    assert api.get(f"/v1/ledger?seed={GAME.seed}").json == ranked


@pytest.fixture(scope="module")
def orphan(document: Document) -> Iterator[Api]:
    """An API whose store never was."""
    server = ApiServer({"SCOUNDREL_REDIS_URL": "unix:///nowhere/store.sock"}, workers=1)
    try:
        yield Api(server.start(), document)
    finally:
        server.close()


@every_form
def test_a_replay_takes_no_store(api: Api, orphan: Api, form: str) -> None:
    assert orphan.get("/readyz").status == 503
    body = written(form, GAME)
    assert orphan.post(PATH, body).body == api.post(PATH, body).body


def test_the_games_on_record_are_of_many_rules() -> None:
    """Else the tests above would show less than they seem to."""
    rules = {str(of(vector).rules) for vector in VECTORS}
    assert len(rules) > 10
    assert all(str(parse_rules(text)) == text for text in rules)
