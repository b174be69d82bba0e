"""What should not be sent is refused with the right 4xx, and leaves nothing behind."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING

import pytest

from api import create_app
from tests.api.client import JSON, UNKNOWN_ID, Api, InProcess, comparable, refused
from tests.playing import begin, record
from tests.servers import StoreServer, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from tests.api.documented import Document
    from tests.servers import ApiServer, Reply

GAME = record("hostile-1")


@pytest.fixture(scope="module")
def own_store() -> Iterator[StoreServer]:
    """A store with few keys: all of them are read before and after each test."""
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="module")
def stored(own_store: StoreServer) -> Iterator[Redis]:
    """A client to look behind the API."""
    with own_store.client as client:
        yield client


@pytest.fixture(scope="module")
def api(own_store: StoreServer, document: Document) -> Api:
    """The API in this process: hundreds of bodies need no socket."""
    return InProcess(create_app({"REDIS_URL": own_store.url}), document)


@pytest.fixture
def _nothing_is_stored(stored: Redis) -> Iterator[None]:
    """What lies in the store is the same after the test as before it."""
    before = _dump(stored)
    yield
    assert _dump(stored) == before


def _dump(stored: Redis) -> dict[str, object]:
    keys = [str(key) for key in stored.scan_iter()]
    pipeline = stored.pipeline(transaction=False)
    for key in keys:
        pipeline.dump(key)
    return dict(zip(keys, pipeline.execute(), strict=True))


leaves_nothing = pytest.mark.usefixtures("_nothing_is_stored")


def pointers(reply: Reply) -> set[str]:
    assert refused(reply) == (422, "invalid_request"), reply.body
    return {error["pointer"] for error in reply.json["errors"]}


# What is no JSON object at all, wherever a body is taken.

BODIES = {
    "nothing": b"",
    "a space": b" ",
    "half an object": b'{"version": 0',
    "two objects": b"{}{}",
    "a trailing comma": b'{"version": 0,}',
    "single quotes": b"{'version': 0}",
    "a comment": b"{} // hm",
    "NaN": b'{"version": NaN}',
    "Infinity": b'{"version": Infinity}',
    "a number that begins with 0": b'{"version": 00}',
    "underscores in a number": b'{"version": 5_0}',
    "a plus sign": b'{"version": +5}',
    "a number that no one can hold": b'{"version": 1e400}',
    "5,000 digits": b'{"version": ' + b"1" * 5000 + b"}",
    "5,000 digits below 0": b'{"version": -' + b"1" * 5000 + b"}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": "{}".encode("utf-16"),
    "invalid UTF-8": b'{"player": "\xff\xfe"}',
    "an overlong form": b'{"player": "\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"player": "\xed\xa0\x80"}',
    "a lone surrogate": b'{"player": "\\ud800"}',
    "surrogates in the wrong order": b'{"player": "\\udc00\\ud800"}',
    "a NUL byte": b"\0",
    "a NUL byte in a string": b'{"player": "a\0b"}',
    "a line feed in a string": b'{"player": "a\nb"}',
    "a form": b"version=0&actions=avoid",
    "arrays in arrays": b"[" * 8000 + b"]" * 8000,
    "arrays without end": b"[" * 16000,
    "objects in objects": b'{"a":' * 2500 + b"1" + b"}" * 2500,
    "compressed": b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0C\xbf\xa6\xa3\x02\0\0\0",
}
PATHS = ("/v1/games", f"/v1/games/{UNKNOWN_ID}/actions", "/v1/replays")


@leaves_nothing
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_is_no_json_is_refused(api: Api, path: str, body: bytes) -> None:
    assert refused(api.send(path, body)) == (400, "malformed_json")


@leaves_nothing
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [b"[]", b"null", b"1", b'"{}"', b"true", b"[{}]"])
def test_what_is_no_object_is_refused_as_a_whole(api: Api, path: str, body: bytes) -> None:
    assert pointers(api.send(path, body)) == {""}


@leaves_nothing
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a":' * 100_000])
def test_nesting_beyond_the_size_of_a_body_is_refused(api: Api, path: str, body: bytes) -> None:
    assert refused(api.send(path, body)) == (413, "too_large")


@leaves_nothing
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "media_type",
    [
        "",
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/problem+json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "json",
        ";",
    ],
)
def test_what_is_not_declared_as_json_is_refused(api: Api, path: str, media_type: str) -> None:
    headers = {"Content-Type": media_type}
    reply = api.request("POST", path, body=b"{}", headers=headers)
    assert refused(reply) == (415, "unsupported_media_type")


OF_THE_SERVER = {"Server", "Connection", "Transfer-Encoding"}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{}{}", JSON),
        (b'{"player": "\xff\xfe"}', JSON),
        (b"[" * 8000 + b"]" * 8000, JSON),
        (b"[" * 100_000, JSON),
        (b"[]", JSON),
        (b'{"version": true, "seed": 1, "\\u0000": 1}', JSON),
        (b"{}", {"Content-Type": "text/plain"}),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_refusal_is_the_same_over_a_socket(
    api: Api, server: ApiServer, path: str, body: bytes, headers: dict[str, str]
) -> None:
    replies = [each.request("POST", path, body=body, headers=headers) for each in (api, server)]
    assert replies[0].status >= 400
    (status, with_headers, text), over_socket = map(comparable, replies)
    named = {name: value for name, value in over_socket[1].items() if name not in OF_THE_SERVER}
    assert (status, with_headers, text) == (over_socket[0], named, over_socket[2])


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "APPLICATION/JSON"])
def test_json_may_be_declared_as_http_lets_one(api: Api, media_type: str) -> None:
    reply = api.request("POST", "/v1/games", body=b"{}", headers={"Content-Type": media_type})
    assert reply.status == 201


# Objects of the wrong form.

BEYOND = "1" * 300  # a number of 64 bits

NO_INTEGERS = ['"12"', "1.5", "1e300", "-1e300", "true", "null", "[]", "{}", '"\u0661"', BEYOND]
NO_STRINGS = ["0", "1.5", "true", "null", "[]", "{}", '["original"]', BEYOND]
NO_LISTS = ["0", "true", "null", "{}", '"avoid"', '{"avoid": 1}', BEYOND]
NO_OBJECTS = ["0", "true", "null", "[]", '"leave"', '[["leave", 1]]', BEYOND]
NO_BOOLEANS = ["0", "1", '"true"', '"yes"', "null", "[]", "{}", "1.0", BEYOND]

OPTIONS_NUMBERS = {
    "health": ["0", "100", "-1"],
    "potions_per_turn": ["-1", "5"],
    "leave": ["-1", "3"],
}
OPTIONS_WORDS = (
    "degradation",
    "avoid_order",
    "avoiding",
    "draw",
    "bonus",
    "loss_counts",
    "overkill",
)

NEW_GAME = [
    *[
        ("ruleset", value)
        for value in (*NO_STRINGS, '""', '"Original"', '"original "', '"x\\u0000"')
    ],
    *[("options", value) for value in NO_OBJECTS],
    *[
        (f"options/{name}", value)
        for name, beyond in OPTIONS_NUMBERS.items()
        for value in (*NO_INTEGERS, *beyond)
    ],
    *[
        (f"options/{name}", value)
        for name in OPTIONS_WORDS
        for value in (*NO_STRINGS, '""', '"Lower"', '"0"')
    ],
    *[("mode", value) for value in (*NO_STRINGS, '""', '"ranked"', '"Standard"')],
    *[
        ("seed", value)
        for value in (*NO_STRINGS, '""', f'"{65 * "a"}"', '"a b"', '"a/b"', '"\u00e4"', '"a\\n"')
    ],
    *[("seed", value) for value in ('"\\u0000"', '"a%41"', '"\u0661"', f'"{"a" * 5000}"')],
    *[("player", value) for value in (*NO_STRINGS, '""', f'"{"a" * 5000}"')],
    *[("locked", value) for value in NO_BOOLEANS],
    *[(name, "1") for name in ("Seed", "seed ", "id", "log", "__proto__", "", "a~1b", "\u0000")],
    *[("options/" + name, "1") for name in ("Leave", "leave ", "", "__class__")],
]
ACTIONS = [
    *[("version", value) for value in (*NO_INTEGERS, "-1", "-0.5")],
    *[("actions", value) for value in (*NO_LISTS, "[]", json.dumps(["avoid"] * 65))],
    *[
        ("actions/0", f"[{value}]")
        for value in (
            *NO_STRINGS,
            '""',
            '"Avoid"',
            '"avoid "',
            '"fight:KS"',
            '"fight:KS:sword"',
            '"fight:ks:weapon"',
            '"equip:KS"',
            '"drink:1H"',
            '"drink:\uff17H"',
            '"draw\\u0000"',
            '["avoid"]',
            '{"avoid": 1}',
            f'"{"a" * 5000}"',
        )
    ],
    *[(name, "1") for name in ("Version", "action", "seed", "__proto__", "", "~")],
]
REPLAY = [
    *[("ruleset", value) for value in (*NO_STRINGS, '"poker"')],
    *[("options", value) for value in NO_OBJECTS],
    ("options/leave", '"1"'),
    *[("seed", value) for value in (*NO_STRINGS, '""', '"a\\n"')],
    *[("actions", value) for value in (*NO_LISTS, "[]", json.dumps(["avoid"] * 289))],
    *[("actions/0", value) for value in ("[0]", '["hm"]', '[["avoid"]]', '[{"avoid": 1}]')],
    *[(name, "1") for name in ("player", "version", "")],
]
NOTATION = [
    *NO_STRINGS,
    '""',
    '"original"',
    '"original/s"',
    '"original/s/"',
    '"original/s/a/a"',
    '"poker/s/a"',
    '"original//a"',
    '"original/s s/a"',
    '"original/s/hm"',
    '"original/s/a  a"',
    '"original/s/a\\n"',
    '"original+leave/s/a"',
    '"original+leave=3/s/a"',
    '"original+leave=01/s/a"',
    '"original+leave=1,leave=2/s/a"',
    '"original+hm=1/s/a"',
    '"original+/s/a"',
    f'"original/s/{" ".join("a" * 289)}"',
]

SOUND = {
    "/v1/games": {},
    "/v1/games/{}/actions": {"version": "0", "actions": '["avoid"]'},
    "/v1/replays": {"seed": '"s"', "actions": '["avoid"]'},
}
"""For each path a body that is taken, its fields written in JSON."""


def spoilt(path: str, field: str, value: str) -> bytes:
    """Return the sound body of a path, but for one field."""
    fields: dict[str, str] = {**SOUND[path]}
    name, slash, inner = field.partition("/")
    nested = bool(slash) and name == "options"
    fields[name] = f"{{{json.dumps(inner)}: {value}}}" if nested else value
    if name == "mode":
        fields.setdefault("seed", '"s"')
    return ("{" + ", ".join(f"{json.dumps(n)}: {v}" for n, v in fields.items()) + "}").encode()


def pointer(field: str) -> str:
    """Return the JSON pointer to a field."""
    return "/" + "/".join(
        part.replace("~", "~0") if part != "a~1b" else "a~01b" for part in field.split("/")
    )


SPOILT = [
    *[("/v1/games", field, value) for field, value in NEW_GAME],
    *[("/v1/games/{}/actions", field, value) for field, value in ACTIONS],
    *[("/v1/replays", field, value) for field, value in REPLAY],
]


def short(value: object) -> str:
    return str(value)[:40]


@leaves_nothing
@pytest.mark.parametrize(("path", "field", "value"), SPOILT, ids=short)
def test_a_field_that_is_wrong_is_named(api: Api, path: str, field: str, value: str) -> None:
    reply = api.send(path.format(UNKNOWN_ID), spoilt(path, field, value))
    assert pointers(reply) == {pointer(field)}


@leaves_nothing
@pytest.mark.parametrize("value", NOTATION, ids=short)
def test_what_is_no_notation_is_named(api: Api, value: str) -> None:
    assert pointers(api.send("/v1/replays", f'{{"notation": {value}}}'.encode())) == {"/notation"}


OPERATIONS = {
    "/v1/games": "createGame",
    "/v1/games/{}/actions": "applyActions",
    "/v1/replays": "verifyReplay",
}


def test_what_is_refused_is_refused_by_the_published_schema_too(document: Document) -> None:
    # An action is documented in words: its 72 forms are not enumerated. To JSON Schema 1e300 is a
    # whole number like any other. And Python's "$" overlooks a line feed at the end, which a
    # schema's does not.
    readable = [
        (path, field, value)
        for path, field, value in SPOILT
        if not _is_a_word(field, value) and not _is_whole(value) and not value.endswith('\\n"')
    ]
    taken = [
        (path, field, value)
        for path, field, value in readable
        if document.takes(OPERATIONS[path], json.loads(spoilt(path, field, value)))
    ]
    assert taken == []


def _is_whole(value: str) -> bool:
    return value in {"1e300", "-1e300", "1.0", BEYOND}


def _is_a_word(field: str, value: str) -> bool:
    return field == "actions/0" and value.startswith('["')


@pytest.mark.parametrize("path", SOUND)
def test_the_bodies_that_are_spoilt_here_are_sound_without_that(api: Api, path: str) -> None:
    """Else the tests above would show less than they seem to."""
    game_id, _ = begin(api, GAME)
    body = "{" + ", ".join(f'"{name}": {value}' for name, value in SOUND[path].items()) + "}"
    assert api.send(path.format(game_id), body.encode()).status in {200, 201}


@leaves_nothing
@pytest.mark.parametrize("missing", ["version", "actions"])
def test_a_field_that_is_missing_is_named(api: Api, missing: str) -> None:
    body = {"version": 0, "actions": ["avoid"]}
    del body[missing]
    assert pointers(api.post(f"/v1/games/{UNKNOWN_ID}/actions", body)) == {f"/{missing}"}


@leaves_nothing
def test_all_that_is_wrong_is_named_at_once(api: Api) -> None:
    body = {"ruleset": "poker", "options": {"leave": 9, "hm": 1}, "seed": "", "hm": 1}
    wrong = {"/ruleset", "/options/leave", "/options/hm", "/seed", "/hm"}
    assert pointers(api.post("/v1/games", body)) == wrong


@leaves_nothing
@pytest.mark.parametrize("field", ["_schema", "_schema/x"])
def test_a_field_that_marshmallow_has_a_use_for_is_named_like_any_other(
    api: Api, field: str
) -> None:
    named = pointers(api.post("/v1/games", {field: 1}))
    assert named == {"/" + field.replace("/", "~1")}
    assert pointers(api.get(f"/livez?{field}=1")) == named


@leaves_nothing
@pytest.mark.parametrize("mode", ["standard"])
def test_a_seed_goes_with_no_other_mode(api: Api, mode: str) -> None:
    assert pointers(api.post("/v1/games", {"mode": mode, "seed": "s"})) == {"/mode"}


@leaves_nothing
def test_mode_seeded_wants_a_seed(api: Api) -> None:
    assert pointers(api.post("/v1/games", {"mode": "seeded"})) == {"/seed"}


@leaves_nothing
@pytest.mark.parametrize("field", ["ruleset", "options", "seed", "actions"])
def test_a_replay_takes_a_notation_or_the_other_fields(api: Api, field: str) -> None:
    other = {"ruleset": "original", "options": {}, "seed": "s", "actions": ["avoid"]}[field]
    body = {"notation": "original/s/a", field: other}
    assert pointers(api.post("/v1/replays", body)) == {f"/{field}"}


@leaves_nothing
def test_a_replay_is_not_stored(api: Api) -> None:
    body = {"seed": GAME.seed, "actions": GAME.actions}
    assert api.post("/v1/replays", body).status == 200


# Names.

NAMES = {
    "one letter": "a",
    "24 letters": "a" * 24,
    "24 beyond the first plane": "\U0001f0a1" * 24,
    "a space inside": "Anna B",
    "two spaces inside": "Anna  B",
    "other scripts": "\u0141ukasz \u05d0\u05d1 \u4e2d\u6587",
    "a family by joiners": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "Persian by non-joiners": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "what JSON escapes": '"\\/',
    "markup": "<b>&amp;</b>",
    "what stores escape": "%00 {a}\r".strip(),
}

NO_NAMES = {
    "25 letters": "a" * 25,
    "25 beyond the first plane": "\U0001f0a1" * 25,
    "a space": " ",
    **{
        f"{what} {where}": text
        for what, space in {
            "a space": " ",
            "a no-break space": "\u00a0",
            "an em space": "\u2003",
            "an ideographic space": "\u3000",
            "an Ogham space": "\u1680",
        }.items()
        for where, text in (("before", f"{space}a"), ("after", f"a{space}"))
    },
    **{
        f"U+{ord(char):04X} {where}": text
        for char in (
            *("\0", "\t", "\n", "\r", "\x1b", "\x1f", "\x7f", "\x85", "\x9f"),
            *("\u2028", "\u2029", "\u061c", "\u200e", "\u200f"),
            *("\u202a", "\u202b", "\u202c", "\u202d", "\u202e"),
            *("\u2066", "\u2067", "\u2068", "\u2069"),
            *("\u200b", "\u2060", "\ufeff", "\u180e"),
        )
        for where, text in (("inside", f"a{char}b"), ("at the end", f"a{char}"))
    },
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_is_kept(api: Api, name: str) -> None:
    game = api.new_game(player=name)
    assert game["player"] == name
    assert api.get(f"/v1/games/{game['id']}").json["player"] == name


@pytest.mark.parametrize(
    "name", ["Zoe\u0308", "A\u030angstro\u0308m", "\u1112\u1161\u11ab", "e\u0301" * 24]
)
def test_a_name_is_composed(api: Api, name: str) -> None:
    composed = unicodedata.normalize("NFC", name)
    assert len(composed) < len(name)
    assert api.new_game(player=name)["player"] == composed


@leaves_nothing
def test_a_name_that_is_too_long_when_composed_is_refused(api: Api) -> None:
    name = "\u0958" * 24
    assert len(unicodedata.normalize("NFC", name)) == 48
    assert pointers(api.post("/v1/games", {"player": name})) == {"/player"}


@leaves_nothing
@pytest.mark.parametrize("name", NO_NAMES.values(), ids=NO_NAMES)
def test_what_is_no_name_is_refused(api: Api, name: str) -> None:
    assert pointers(api.post("/v1/games", {"player": name})) == {"/player"}


def test_the_published_pattern_takes_names_and_nothing_else(document: Document) -> None:
    # Python's "$" overlooks a line feed at the end, which a schema's does not.
    names = [name for name in (*NAMES.values(), *NO_NAMES.values()) if not name.endswith("\n")]
    taken = {name for name in names if document.takes("createGame", {"player": name})}
    assert taken == set(NAMES.values())


# Queries.

GETS = (
    f"/v1/games/{UNKNOWN_ID}",
    f"/v1/games/{UNKNOWN_ID}/actions",
    f"/v1/games/{UNKNOWN_ID}/score",
    f"/v1/games/{UNKNOWN_ID}/history",
    "/v1/ledger",
    "/v1/rulesets",
    "/v1/rulesets/original",
    "/openapi.json",
    "/livez",
    "/readyz",
)


def test_every_get_is_asked_here(document: Document) -> None:
    for operation in document.operations:
        asked = any(operation.pattern.fullmatch(path) for path in GETS)
        assert asked or operation.method != "GET", operation.id


@pytest.mark.parametrize("path", GETS)
@pytest.mark.parametrize("name", ["x", "Limit", "limit%00", "%C3%A4"])
def test_an_unknown_query_argument_is_named(api: Api, path: str, name: str) -> None:
    decoded = {"limit%00": "limit\0", "%C3%A4": "\u00e4"}.get(name, name)
    assert pointers(api.get(f"{path}?{name}=1")) == {f"/{decoded}"}


@pytest.mark.parametrize("path", [*PATHS])
def test_a_post_takes_no_query_arguments(api: Api, path: str) -> None:
    body = {"version": 0, "actions": ["avoid"]} if path.endswith("actions") else {}
    body = {"notation": "original/s/a"} if path.endswith("replays") else body
    assert pointers(api.post(f"{path}?x=1", body)) == {"/x"}


LEDGER = {
    "ruleset": ["", "poker", "Original", "original%20", "original%00", "%FF"],
    "seed": ["", "a" * 65, "a%20b", "a%2Fb", "%C3%A4", "a%0A", "%00", "%ED%A0%80"],
    "limit": [
        *("", "0", "101", "-1", "+1", "1.0", "1e1", "5_0", "%205", "5%20", "0x10", "ten", "null"),
        *("%D9%A1", "%EF%BC%91", "1" * 3000, "5%0A", "%00", "NaN"),
    ],
    "cursor": ["", "x", "0" * 38, "a" * 38, "1" * 3000, "%00", "%FF"],
}


@leaves_nothing
@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in LEDGER.items() for value in values if value != "0" * 38],
    ids=short,
)
def test_a_query_argument_that_is_wrong_is_named(api: Api, name: str, value: str) -> None:
    assert pointers(api.get(f"/v1/ledger?{name}={value}")) == {f"/{name}"}


@pytest.mark.parametrize("name", ["ruleset", "limit", "seed"])
def test_a_query_argument_given_twice_is_named(api: Api, name: str) -> None:
    value = {"ruleset": "original", "limit": "5", "seed": "s"}[name]
    assert pointers(api.get(f"/v1/ledger?{name}={value}&{name}={value}")) == {f"/{name}"}


def test_unknown_fields_are_named_in_the_order_in_which_they_came(api: Api) -> None:
    names = ["zebra", "ant", "newt", "bee", "yak"]
    reply = api.request("POST", "/v1/games", {"locked": 1} | dict.fromkeys(names, 1))
    told = [error["pointer"] for error in reply.json["errors"]]
    assert told == ["/locked", *(f"/{name}" for name in names)]


# Ids.

IDS = {
    "one character": "a",
    "21 characters": "a" * 21,
    "23 characters": "a" * 23,
    "3,000 characters": "a" * 3000,
    "a dot": ".",
    "two dots": "..",
    "a space": "%20",
    "a NUL": "%00",
    "a line feed": f"{UNKNOWN_ID}%0A",
    "invalid UTF-8": "%FF",
    "a surrogate": "%ED%A0%80",
    "an emoji": "%F0%9F%98%80",
    "a percent sign": "%25",
    "a star": "*",
    "a key of the store": "game:x",
    "a hash tag": "{x}",
    "what a shell would run": "%24(id)",
}


@leaves_nothing
@pytest.mark.parametrize("game_id", IDS.values(), ids=IDS)
def test_what_is_no_id_is_an_unknown_game(api: Api, game_id: str) -> None:
    for path in ("", "/actions", "/score", "/history"):
        reply = api.get(f"/v1/games/{game_id}{path}")
        assert refused(reply) == (404, "game_not_found")
    assert refused(api.act(game_id, 0, "avoid")) == (404, "game_not_found")


@pytest.mark.parametrize("ruleset", ["Original", "original%20", "%00", "%FF", "original+leave=1"])
def test_what_is_no_ruleset_is_not_found(api: Api, ruleset: str) -> None:
    assert refused(api.get(f"/v1/rulesets/{ruleset}")) == (404, "ruleset_not_found")


@pytest.mark.parametrize("version", [2**53, 2**63, 2**64 - 1])
def test_a_version_that_not_every_client_can_write_is_refused(api: Api, version: int) -> None:
    game_id, _ = begin(api, GAME)
    assert pointers(api.act(game_id, version, "avoid")) == {"/version"}


@pytest.mark.parametrize("version", [2**31, 2**53 - 1])
def test_a_version_of_any_size_is_only_a_wrong_one(api: Api, version: int) -> None:
    game_id, _ = begin(api, GAME)
    assert refused(api.act(game_id, version, "avoid")) == (409, "version_mismatch")
