"""Representations of a game: ETags, JSON or text, and the text table."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import unicodedata
import uuid
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.games.as_text import draw_table
from api.store import Game, Mode, Store
from engine import (
    OPTIONS,
    PACK,
    RULESETS,
    Kind,
    Rules,
    Status,
    Step,
    Weapon,
    begin,
    card,
    parse_rules,
    rules_for,
)
from engine.rules import AvoidOrder
from tests.api.client import OF_THE_MOMENT, UNKNOWN_ID, Api, comparable, refused
from tests.api.tables import HERE, SCENES, file_of
from tests.engine.play import any_seed, games
from tests.playing import act, play_through, record
from tests.playing import begin as begin_game
from tests.store.play import create, move, vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redis import Redis

    from engine import Record, State
    from tests.api.documented import Document, Operation
    from tests.engine.play import Game as Played
    from tests.servers import Reply, StoreServer

GAME = record("representations-1")
TEXT = {"Accept": "text/plain"}

TAGGED: dict[str, tuple[str, dict[str, str]]] = {
    "getGame as JSON": ("", {}),
    "getGame as text": ("", TEXT),
    "listActions": ("/actions", {}),
    "getHistory": ("/history", {}),
}
tagged = pytest.mark.parametrize(("part", "accept"), TAGGED.values(), ids=TAGGED)


@pytest.fixture
def game_id(api: Api) -> str:
    """A game after its first action."""
    game_id, _ = begin_game(api, GAME)
    assert act(api, game_id, 0, GAME.actions[0]).status == 200
    return game_id


def tags(api: Api, game_id: str) -> dict[str, str]:
    """Return the ETags of all tagged representations of a game."""
    return {
        name: api.get(f"/v1/games/{game_id}{part}", **accept).headers["ETag"]
        for name, (part, accept) in TAGGED.items()
    }


# ETags.

MATCHING: dict[str, Callable[[str], str]] = {
    "the ETag": lambda tag: tag,
    "weak": lambda tag: f"W/{tag}",
    "in a list": lambda tag: f'"other", {tag}, W/"another"',
    "weak in a list": lambda tag: f'"other",W/{tag}',
    "star": lambda _: "*",
}


@tagged
@pytest.mark.parametrize("if_none_match", MATCHING.values(), ids=MATCHING)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_matching_etag_gets_304(  # noqa: PLR0913, PLR0917  # one argument per dimension of the cases
    api: Api,
    game_id: str,
    part: str,
    accept: dict[str, str],
    if_none_match: Callable[[str], str],
    method: str,
) -> None:
    path = f"/v1/games/{game_id}{part}"
    full = api.get(path, **accept)
    sent = {**accept, "If-None-Match": if_none_match(full.headers["ETag"])}
    reply = api.request(method, path, headers=sent)
    assert (reply.status, reply.body) == (304, b"")
    expected = {name: full.headers.get(name) for name in REPEATED}
    assert {name: reply.headers.get(name) for name in REPEATED} == expected
    assert "X-Request-ID" in reply.headers
    assert "Content-Type" not in reply.headers


REPEATED = ("ETag", "Vary", "Cache-Control", "Referrer-Policy", "X-Content-Type-Options")
"""Headers that a 304 has in common with the full response."""


@tagged
@pytest.mark.parametrize("other", ['"other"', 'W/"other"', '""', "", "other", '"*"', "W/*"])
def test_a_different_etag_gets_the_full_response(
    api: Api, game_id: str, part: str, accept: dict[str, str], other: str
) -> None:
    path = f"/v1/games/{game_id}{part}"
    full = api.get(path, **accept)
    assert comparable(api.get(path, **accept, **{"If-None-Match": other})) == comparable(full)
    assert full.body


@tagged
def test_an_etag_of_another_representation_does_not_match(
    api: Api, game_id: str, part: str, accept: dict[str, str]
) -> None:
    path = f"/v1/games/{game_id}{part}"
    mine = api.get(path, **accept).headers["ETag"]
    others = set(tags(api, game_id).values()) - {mine}
    assert len(others) == len(TAGGED) - 1
    assert api.get(path, **accept, **{"If-None-Match": ", ".join(others)}).status == 200


@tagged
def test_a_move_changes_the_etag(api: Api, game_id: str, part: str, accept: dict[str, str]) -> None:
    path = f"/v1/games/{game_id}{part}"
    seen = [api.get(path, **accept).headers["ETag"]]
    for version in range(1, len(GAME.actions)):
        act(api, game_id, version, GAME.actions[version])
        reply = api.get(path, **accept, **{"If-None-Match": ", ".join(seen)})
        assert reply.status == 200
        seen.append(reply.headers["ETag"])
    assert len(set(seen)) == len(GAME.actions)


def test_refused_and_repeated_moves_do_not_change_the_etags(api: Api, game_id: str) -> None:
    before = tags(api, game_id)
    assert act(api, game_id, 1, "draw").status == 409
    assert act(api, game_id, 0, GAME.actions[0]).headers["Idempotent-Replayed"] == "true"
    assert all(tags(api, game_id) == before for _ in range(4))


def test_games_with_different_decks_have_different_etags(api: Api) -> None:
    ids = [begin_game(api, record(f"representations-{n}"))[0] for n in range(2)]
    first, second = (set(tags(api, game_id).values()) for game_id in ids)
    assert not first & second


def test_the_etag_changes_when_the_seed_is_revealed(api: Api) -> None:
    """A repeated creation returns the deal of a finished game with its seed."""
    key = {"Idempotency-Key": str(uuid.uuid4())}
    new = {"ruleset": "original", "player": "Anna"}
    dealt = api.request("POST", "/v1/games", new, headers=key)
    state = dealt.json
    while state["actions"]:
        state = act(api, state["id"], state["version"], state["actions"][0]).json
    again = api.request("POST", "/v1/games", new, headers=key)
    assert (again.json["version"], again.json["seed"]) == (0, state["seed"])
    assert again.headers["ETag"] != dealt.headers["ETag"]


@pytest.mark.parametrize("accept", [{}, TEXT], ids=["JSON", "text"])
def test_the_response_to_a_move_has_the_etag_of_the_game(api: Api, accept: dict[str, str]) -> None:
    created = api.request("POST", "/v1/games", GAME.new_game, headers=accept)
    path = created.headers["Location"]
    known = {**accept, "If-None-Match": created.headers["ETag"]}
    assert api.get(path, **known).status == 304
    body = {"version": 0, "actions": [GAME.actions[0]]}
    moved = api.request("POST", f"{path}/actions", body, headers=accept)
    assert api.get(path, **known).status == 200
    assert api.get(path, **{**known, "If-None-Match": moved.headers["ETag"]}).status == 304


@pytest.mark.parametrize("path", ["/v1/games", "actions"])
def test_a_post_ignores_if_none_match(api: Api, game_id: str, path: str) -> None:
    anything = {"If-None-Match": "*"}
    if path == "actions":
        path = f"/v1/games/{game_id}/actions"
        body: dict[str, Any] = {"version": 1, "actions": [GAME.actions[1]]}
        assert api.request("POST", path, body, headers=anything).json["version"] == 2
    else:
        assert api.request("POST", path, {}, headers=anything).status == 201


@pytest.mark.parametrize("part", ["", "/actions", "/history"])
def test_an_unknown_game_is_not_found_despite_if_none_match(api: Api, part: str) -> None:
    reply = api.get(f"/v1/games/{UNKNOWN_ID}{part}", **{"If-None-Match": "*"})
    assert refused(reply) == (404, "game_not_found")


def test_a_score_and_the_ledger_have_no_etag(api: Api) -> None:
    """A rank may change without a move in the game."""
    game_id = play_through(api, GAME)
    for path in (f"/v1/games/{game_id}/score", f"/v1/ledger?seed={GAME.seed}"):
        reply = api.get(path, **{"If-None-Match": "*"})
        assert reply.status == 200
        assert "ETag" not in reply.headers


def test_head_of_the_text_returns_the_get_response_without_its_body(api: Api, game_id: str) -> None:
    path = f"/v1/games/{game_id}"
    get, head = api.get(path, **TEXT), api.request("HEAD", path, headers=TEXT)
    assert (head.status, head.body) == (200, b"")
    expected = {name: get.headers[name] for name in get.headers if name not in OF_THE_MOMENT}
    assert {name: head.headers.get(name) for name in expected} == expected
    assert set(head.headers) == set(get.headers)


# Content negotiation.

CHOSEN = {
    "no header": (None, "application/json"),
    "empty header": ("", "application/json"),
    "anything": ("*/*", "application/json"),
    "JSON": ("application/json", "application/json"),
    "JSON in capitals": ("Application/JSON", "application/json"),
    "JSON with a charset": ("application/json; charset=utf-8", "application/json"),
    "any application": ("application/*", "application/json"),
    "text": ("text/plain", "text/plain"),
    "text with its charset": ("text/plain; charset=utf-8", "text/plain"),
    "any text": ("text/*", "text/plain"),
    "text, else anything": ("text/plain, */*;q=0.1", "text/plain"),
    "anything, preferably text": ("*/*;q=0.8, text/plain;q=0.9", "text/plain"),
    "anything, text last": ("*/*, text/plain;q=0.1", "application/json"),
    "both equally": ("text/plain, application/json", "application/json"),
    "both, preferably text": ("application/json;q=0.5, text/plain;q=0.6", "text/plain"),
    "both, preferably JSON": ("text/plain;q=0.5,application/json;q=0.501", "application/json"),
    "anything but JSON": ("application/json;q=0, */*", "text/plain"),
    "anything but text": ("text/plain;q=0, */*", "application/json"),
    "HTML, else text": ("text/html, text/*;q=0.3", "text/plain"),
    "browser": (
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8",
        "application/json",
    ),
}
NEITHER = {
    "a problem": "application/problem+json",
    "HTML": "text/html",
    "images": "image/*",
    "not JSON": "application/json;q=0",
    "neither": "application/json;q=0, text/plain;q=0.0",
    "nothing": "*/*;q=0",
    "other JSON": "application/json5, application/vnd.api+json",
}


def _accept(value: str | None) -> dict[str, str]:
    return {} if value is None else {"Accept": value}


def media_type(reply: Reply) -> str:
    return reply.headers["Content-Type"].partition(";")[0]


@pytest.mark.parametrize(("accept", "chosen"), CHOSEN.values(), ids=CHOSEN)
def test_a_game_is_returned_in_the_accepted_media_type(
    api: Api, game_id: str, accept: str | None, chosen: str
) -> None:
    reply = api.get(f"/v1/games/{game_id}", **_accept(accept))
    assert (reply.status, media_type(reply)) == (200, chosen)
    assert reply.headers["Vary"] == "Accept"


@pytest.mark.parametrize("accept", NEITHER.values(), ids=NEITHER)
def test_an_unavailable_media_type_is_refused(api: Api, game_id: str, accept: str) -> None:
    reply = api.get(f"/v1/games/{game_id}", Accept=accept)
    assert refused(reply) == (406, "not_acceptable")


@pytest.mark.parametrize(("accept", "chosen"), [(None, "application/json"), *[("text/plain",) * 2]])
def test_a_post_response_has_the_accepted_media_type(
    api: Api, accept: str | None, chosen: str
) -> None:
    headers = _accept(accept)
    created = api.request("POST", "/v1/games", GAME.new_game, headers=headers)
    path = created.headers["Location"] + "/actions"
    body = {"version": 0, "actions": [GAME.actions[0]]}
    replies = [created, *(api.request("POST", path, body, headers=headers) for _ in range(2))]
    assert [reply.status for reply in replies] == [201, 200, 200]
    assert {media_type(reply) for reply in replies} == {chosen}
    assert {reply.headers["Vary"] for reply in replies} == {"Accept"}


def test_a_request_that_is_not_acceptable_changes_nothing(
    api: Api, game_id: str, stored: Redis
) -> None:
    path, images = f"/v1/games/{game_id}", {"Accept": "image/*"}
    games, before = set(stored.scan_iter("game:*")), api.get(path).body
    assert refused(api.request("POST", "/v1/games", {}, headers=images))[0] == 406
    assert set(stored.scan_iter("game:*")) == games
    body = {"version": 1, "actions": [GAME.actions[1]]}
    reply = api.request("POST", f"{path}/actions", body, headers=images)
    assert refused(reply) == (406, "not_acceptable")
    assert api.get(path).body == before


def test_json_only_operations_refuse_text(api: Api, document: Document) -> None:
    game_id = play_through(api, GAME)
    names = {"game_id": game_id, "ruleset": "original", "date": "today"}
    notation = api.get(f"/v1/games/{game_id}/history").json["notation"]
    bodies = {"verifyReplay": {"notation": notation}}
    operations = [op for op in document.operations if _success_types(op) == {"application/json"}]
    assert {"listActions", "getScore", "getHistory", "listLedger"} < {op.id for op in operations}
    for operation in operations:
        path = operation.template.format_map(names)
        body = bodies.get(operation.id)
        assert api.request(operation.method, path, body).status == 200, operation.id
        reply = api.request(operation.method, path, body, headers=TEXT)
        assert refused(reply) == (406, "not_acceptable"), operation.id


def _success_types(operation: Operation) -> set[str]:
    """Return the media types of an operation's successful responses."""
    responses = operation.definition["responses"]
    good = [responses[status].get("content", {}) for status in responses if status < "300"]
    return {media_type for content in good for media_type in content}


# Text table.


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_matches_its_file(api: Api, name: str) -> None:
    """``python -m tests.api.tables`` rewrites the files."""
    assert SCENES[name].draw(api) == file_of(name).read_text(encoding="utf-8")


def test_every_file_belongs_to_a_scene() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(SCENES)


def test_the_text_is_declared_as_utf_8(api: Api) -> None:
    game = api.new_game(player="Zo\u00eb \u5893\u5b88")
    reply = api.get(f"/v1/games/{game['id']}", **TEXT)
    assert reply.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "Zo\u00eb \u5893\u5b88" in reply.body.decode()


URL = "http://127.0.0.1:65535/v1/games/an-id-of-22-characters/actions"
TOKEN = "token" * 8 + "tok"
LONG_TIME = 1_800_000_000_000


def stored_game(rules: Rules, seed: str, player: str | None = None) -> Game:
    """Return a stored locked game, complete as far as the table shows it."""
    return Game(
        id="an-id-of-22-characters",
        rules=rules,
        seed=seed,
        mode=Mode.SEEDED,
        player=player,
        locked=True,
        created_at=LONG_TIME,
        updated_at=LONG_TIME,
        expires_at=None,
        log="",
    )


def drawn(step: Step, rules: Rules, player: str | None = None) -> str:
    game = stored_game(rules, step.state.seed, player)
    return draw_table(game, step.state, step.events, URL, TOKEN)


def width(line: str) -> int:
    """Return the width of a line in terminal columns."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in line
    )


def widest(table: str) -> int:
    return max(map(width, table.splitlines()))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_table_of_a_published_ruleset_is_wider_than_80_columns(ruleset: str) -> None:
    rules = rules_for(ruleset)

    @settings(max_examples=20)
    @given(games(st.just(rules.options)))
    def draw(game: Played) -> None:
        assert max(widest(drawn(step, rules)) for step in game.steps[::3]) <= 80

    draw()


@settings(max_examples=40)
@given(games(), st.sampled_from(list(RULESETS)))
def test_no_table_of_custom_rules_is_wider_than_80_columns(game: Played, ruleset: str) -> None:
    rules = Rules(ruleset, game.options)
    assert max(widest(drawn(step, rules)) for step in game.steps[::3]) <= 80


def test_the_table_with_all_options_changed_is_at_most_80_columns_wide() -> None:
    """These rules have the longest possible name."""
    usual = RULESETS["gravekeeper"].options._asdict()
    longest = {
        name: max((text for text in option.values if text != str(usual[name])), key=len)
        for name, option in OPTIONS.items()
    }
    rules = parse_rules("gravekeeper+" + ",".join(f"{k}={v}" for k, v in longest.items()))
    assert len(str(rules)) > 150
    assert widest(drawn(begin("a", rules.options), rules)) <= 80


any_name = st.text(
    st.sampled_from("aZ \u00e9\u5893\uff21\U0001f480\u0301"), min_size=1, max_size=24
)


@given(any_name.map(str.strip).filter(bool))
def test_no_player_name_makes_the_table_wider_than_80_columns(player: str) -> None:
    rules = rules_for()
    table = drawn(begin("a"), rules, player)
    assert widest(table) <= 80
    assert f"Player   {player}\n" in table


def test_a_long_list_of_slain_monsters_wraps_below_the_weapon() -> None:
    monsters = tuple(each for each in reversed(PACK) if each.kind is Kind.MONSTER)
    state = begin("a").state._replace(weapon=Weapon(card("TD"), monsters))
    table = drawn(Step(state, ()), rules_for())
    assert widest(table) <= 80
    rows = re.search(r"^Weapon   (.+(?:\n         .+)+)\n", table, re.MULTILINE)
    assert rows is not None
    assert rows[1].split() == ["TD,", "on", "it", *(each.code for each in monsters)]


# Actions listed in the table.

BODY = re.compile(r"\{.*\}")
CURL = re.compile(r"^  curl .*(?:\\\n.*)*''$", re.MULTILINE)


def listed(table: str) -> list[str]:
    """Return the request bodies that a table lists."""
    return BODY.findall(table)


@pytest.fixture(scope="module")
def store(store_server: StoreServer) -> Iterator[Store]:
    """The store behind the API, to create games at any version."""
    store = Store(store_server.url)
    yield store
    store.forget_connections()


@pytest.mark.parametrize("game", vectors()[::6], ids=lambda game: f"{game.rules}/{game.seed}")
def test_every_action_listed_in_the_table_is_accepted(api: Api, store: Store, game: Record) -> None:
    for version in Random(game.seed).sample(range(len(game.actions)), 4):
        table = _table(api, _at(store, game, version))
        bodies = listed(table)
        assert bodies
        for body in bodies:
            reply = api.send(f"/v1/games/{_at(store, game, version)}/actions", body.encode())
            assert (reply.status, reply.json["version"]) == (200, version + 1)


@pytest.mark.parametrize("game", vectors()[::6], ids=lambda game: f"{game.rules}/{game.seed}")
def test_the_table_lists_each_legal_action_once_and_in_order(
    api: Api, store: Store, game: Record
) -> None:
    for version in Random(game.seed).sample(range(len(game.actions) + 1), 4):
        game_id = _at(store, game, version)
        state = api.get(f"/v1/games/{game_id}").json
        assert [json.loads(body) for body in listed(_table(api, game_id))] == [
            {"version": version, "actions": [action]} for action in state["actions"]
        ]


def _at(store: Store, game: Record, version: int) -> str:
    """Return a new game that has been played up to a version."""
    return move(store, create(store, game, mode=Mode.SEEDED), game.actions[:version]).id


def _table(api: Api, game_id: str) -> str:
    return api.get(f"/v1/games/{game_id}", **TEXT).body.decode()


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
@pytest.mark.parametrize("locked", [False, True], ids=["open", "locked"])
def test_a_pasted_command_makes_one_move(api: Api, locked: bool) -> None:
    new = {**GAME.new_game, "locked": locked}
    created = api.request("POST", "/v1/games", new, headers=TEXT)
    table, path = created.body.decode(), created.headers["Location"]
    command = CURL.search(table)
    assert command is not None
    body = next(body for body in listed(table) if GAME.actions[0] in body)
    pasted = command[0].removesuffix("''") + f"'{body}'"
    ran = subprocess.run(
        ["sh", "-c", pasted], capture_output=True, text=True, timeout=10, check=True
    )
    assert api.get(path).json["version"] == 1
    assert listed(ran.stdout) == listed(api.get(path, **TEXT).body.decode())


# Hidden information.


@settings(max_examples=40)
@given(games(), st.randoms(use_true_random=False), any_seed)
def test_games_that_differ_only_in_hidden_cards_have_equal_tables(
    game: Played, random: Random, seed: str
) -> None:
    rules = Rules("original", game.options)
    for step in game.steps[::4]:
        if step.state.status is Status.PLAYING:
            hidden = step._replace(state=_reshuffled(step.state, random)._replace(seed=seed))
            assert drawn(hidden, rules) == drawn(step, rules)


def test_reshuffling_changes_the_hidden_cards() -> None:
    """Without this the test above would prove nothing."""
    state = begin("a").state
    assert _reshuffled(state, Random(1)).dungeon != state.dungeon


def _reshuffled(state: State, random: Random) -> State:
    """Return the state with all cards reordered whose position the player cannot know."""
    deck = [*state.deck[: state.drawn]]
    rooms = range(len(PACK), len(state.deck), 4)
    parts = [state.deck[state.drawn : len(PACK)]]
    parts += [state.deck[max(start, state.drawn) : start + 4] for start in rooms]
    shuffled = state.options.avoid_order is AvoidOrder.SHUFFLED
    for number, part in enumerate(parts):
        deck += random.sample(part, len(part)) if shuffled or not number else part
    return state._replace(deck=tuple(deck))


def test_the_table_shows_the_seed_only_at_the_end(api: Api) -> None:
    game = api.new_game()
    path, state = f"/v1/games/{game['id']}", game
    tables = [_table(api, game["id"])]
    while state["actions"]:
        state = act(api, game["id"], state["version"], state["actions"][0]).json
        tables.append(_table(api, game["id"]))
    assert state["seed"] in tables.pop()
    assert api.get(path).json["seed"] == state["seed"]
    assert not any(state["seed"] in table for table in tables)
