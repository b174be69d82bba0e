"""Invalid input is refused with the right 4xx and stores nothing."""

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
    """A store with few keys, because all of them are read before and after each test."""
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="module")
def stored(own_store: StoreServer) -> Iterator[Redis]:
    """A direct client of the store."""
    with own_store.client as client:
        yield client


@pytest.fixture(scope="module")
def api(own_store: StoreServer, document: Document) -> Api:
    """The API in this process: hundreds of requests are faster without sockets."""
    return InProcess(create_app({"REDIS_URL": own_store.url}), document)


@pytest.fixture
def _store_unchanged(stored: Redis) -> Iterator[None]:
    """Check that the test does not change the store."""
    before = _dump(stored)
    yield
    assert _dump(stored) == before


def _dump(stored: Redis) -> dict[str, object]:
    keys = [str(key) for key in stored.scan_iter()]
    pipeline = stored.pipeline(transaction=False)
    for key in keys:
        pipeline.dump(key)
    return dict(zip(keys, pipeline.execute(), strict=True))


stores_nothing = pytest.mark.usefixtures("_store_unchanged")


def pointers(reply: Reply) -> set[str]:
    assert refused(reply) == (422, "invalid_request"), reply.body
    return {error["pointer"] for error in reply.json["errors"]}


# Bodies that are not JSON objects.

BODIES = {
    "empty": b"",
    "a space": b" ",
    "half an object": b'{"version": 0',
    "two objects": b"{}{}",
    "a trailing comma": b'{"version": 0,}',
    "single quotes": b"{'version': 0}",
    "a comment": b"{} // hm",
    "NaN": b'{"version": NaN}',
    "Infinity": b'{"version": Infinity}',
    "a leading zero": b'{"version": 00}',
    "underscores in a number": b'{"version": 5_0}',
    "a plus sign": b'{"version": +5}',
    "a number out of range": b'{"version": 1e400}',
    "5,000 digits": b'{"version": ' + b"1" * 5000 + b"}",
    "5,000 digits, negative": b'{"version": -' + b"1" * 5000 + b"}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": "{}".encode("utf-16"),
    "invalid UTF-8": b'{"player": "\xff\xfe"}',
    "an overlong UTF-8 form": b'{"player": "\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"player": "\xed\xa0\x80"}',
    "a lone surrogate": b'{"player": "\\ud800"}',
    "surrogates in the wrong order": b'{"player": "\\udc00\\ud800"}',
    "a NUL byte": b"\0",
    "a NUL byte in a string": b'{"player": "a\0b"}',
    "a line feed in a string": b'{"player": "a\nb"}',
    "a URL-encoded form": b"version=0&actions=avoid",
    "nested arrays": b"[" * 8000 + b"]" * 8000,
    "unclosed arrays": b"[" * 16000,
    "nested objects": b'{"a":' * 2500 + b"1" + b"}" * 2500,
    "compressed": b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0C\xbf\xa6\xa3\x02\0\0\0",
}
PATHS = ("/v1/games", f"/v1/games/{UNKNOWN_ID}/actions", "/v1/replays")


@stores_nothing
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_malformed_json_is_refused(api: Api, path: str, body: bytes) -> None:
    assert refused(api.send(path, body)) == (400, "malformed_json")


@stores_nothing
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [b"[]", b"null", b"1", b'"{}"', b"true", b"[{}]"])
def test_json_that_is_not_an_object_is_refused(api: Api, path: str, body: bytes) -> None:
    assert pointers(api.send(path, body)) == {""}


@stores_nothing
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a":' * 100_000])
def test_nesting_beyond_the_size_limit_is_refused(api: Api, path: str, body: bytes) -> None:
    assert refused(api.send(path, body)) == (413, "too_large")


@stores_nothing
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
def test_a_media_type_other_than_json_is_refused(api: Api, path: str, media_type: str) -> None:
    headers = {"Content-Type": media_type}
    reply = api.request("POST", path, body=b"{}", headers=headers)
    assert refused(reply) == (415, "unsupported_media_type")


SERVER_HEADERS = {"Server", "Connection", "Transfer-Encoding"}


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
    named = {name: value for name, value in over_socket[1].items() if name not in SERVER_HEADERS}
    assert (status, with_headers, text) == (over_socket[0], named, over_socket[2])


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "APPLICATION/JSON"])
def test_json_may_be_declared_in_any_valid_form(api: Api, media_type: str) -> None:
    reply = api.request("POST", "/v1/games", body=b"{}", headers={"Content-Type": media_type})
    assert reply.status == 201


# Invalid objects.

BEYOND = "1" * 300  # more than a number of 64 bits

NOT_INTEGERS = ['"12"', "1.5", "1e300", "-1e300", "true", "null", "[]", "{}", '"\u0661"', BEYOND]
NOT_STRINGS = ["0", "1.5", "true", "null", "[]", "{}", '["original"]', BEYOND]
NOT_ARRAYS = ["0", "true", "null", "{}", '"avoid"', '{"avoid": 1}', BEYOND]
NOT_OBJECTS = ["0", "true", "null", "[]", '"leave"', '[["leave", 1]]', BEYOND]
NOT_BOOLEANS = ["0", "1", '"true"', '"yes"', "null", "[]", "{}", "1.0", BEYOND]

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
        for value in (*NOT_STRINGS, '""', '"Original"', '"original "', '"x\\u0000"')
    ],
    *[("options", value) for value in NOT_OBJECTS],
    *[
        (f"options/{name}", value)
        for name, beyond in OPTIONS_NUMBERS.items()
        for value in (*NOT_INTEGERS, *beyond)
    ],
    *[
        (f"options/{name}", value)
        for name in OPTIONS_WORDS
        for value in (*NOT_STRINGS, '""', '"Lower"', '"0"')
    ],
    *[("mode", value) for value in (*NOT_STRINGS, '""', '"ranked"', '"Standard"')],
    *[
        ("seed", value)
        for value in (*NOT_STRINGS, '""', f'"{65 * "a"}"', '"a b"', '"a/b"', '"\u00e4"', '"a\\n"')
    ],
    *[("seed", value) for value in ('"\\u0000"', '"a%41"', '"\u0661"', f'"{"a" * 5000}"')],
    *[("player", value) for value in (*NOT_STRINGS, '""', f'"{"a" * 5000}"')],
    *[("locked", value) for value in NOT_BOOLEANS],
    *[(name, "1") for name in ("Seed", "seed ", "id", "log", "__proto__", "", "a~1b", "\u0000")],
    *[("options/" + name, "1") for name in ("Leave", "leave ", "", "__class__")],
]
ACTIONS = [
    *[("version", value) for value in (*NOT_INTEGERS, "-1", "-0.5")],
    *[("actions", value) for value in (*NOT_ARRAYS, "[]", json.dumps(["avoid"] * 65))],
    *[
        ("actions/0", f"[{value}]")
        for value in (
            *NOT_STRINGS,
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
    *[("ruleset", value) for value in (*NOT_STRINGS, '"poker"')],
    *[("options", value) for value in NOT_OBJECTS],
    ("options/leave", '"1"'),
    *[("seed", value) for value in (*NOT_STRINGS, '""', '"a\\n"')],
    *[("actions", value) for value in (*NOT_ARRAYS, "[]", json.dumps(["avoid"] * 289))],
    *[("actions/0", value) for value in ("[0]", '["hm"]', '[["avoid"]]', '[{"avoid": 1}]')],
    *[(name, "1") for name in ("player", "version", "")],
]
NOTATION = [
    *NOT_STRINGS,
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

VALID = {
    "/v1/games": {},
    "/v1/games/{}/actions": {"version": "0", "actions": '["avoid"]'},
    "/v1/replays": {"seed": '"s"', "actions": '["avoid"]'},
}
"""A valid body for each path, as the JSON of its fields."""


def with_field(path: str, field: str, value: str) -> bytes:
    """Return the valid body of a path with one field replaced."""
    fields: dict[str, str] = {**VALID[path]}
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


INVALID = [
    *[("/v1/games", field, value) for field, value in NEW_GAME],
    *[("/v1/games/{}/actions", field, value) for field, value in ACTIONS],
    *[("/v1/replays", field, value) for field, value in REPLAY],
]


def short(value: object) -> str:
    return str(value)[:40]


@stores_nothing
@pytest.mark.parametrize(("path", "field", "value"), INVALID, ids=short)
def test_an_invalid_field_is_reported(api: Api, path: str, field: str, value: str) -> None:
    reply = api.send(path.format(UNKNOWN_ID), with_field(path, field, value))
    assert pointers(reply) == {pointer(field)}


@stores_nothing
@pytest.mark.parametrize("value", NOTATION, ids=short)
def test_an_invalid_notation_is_reported(api: Api, value: str) -> None:
    assert pointers(api.send("/v1/replays", f'{{"notation": {value}}}'.encode())) == {"/notation"}


OPERATIONS = {
    "/v1/games": "createGame",
    "/v1/games/{}/actions": "applyActions",
    "/v1/replays": "verifyReplay",
}


def test_the_published_schema_also_refuses_invalid_fields(document: Document) -> None:
    # The schema does not enumerate the 72 actions, and JSON Schema accepts 1e300 as an integer.
    # Python's "$" matches before a final line feed, unlike that of a schema.
    checkable = [
        (path, field, value)
        for path, field, value in INVALID
        if not _is_action(field, value)
        and not _is_integer_in_schema(value)
        and not value.endswith('\\n"')
    ]
    accepted = [
        (path, field, value)
        for path, field, value in checkable
        if document.takes(OPERATIONS[path], json.loads(with_field(path, field, value)))
    ]
    assert accepted == []


def _is_integer_in_schema(value: str) -> bool:
    return value in {"1e300", "-1e300", "1.0", BEYOND}


def _is_action(field: str, value: str) -> bool:
    return field == "actions/0" and value.startswith('["')


@pytest.mark.parametrize("path", VALID)
def test_the_valid_bodies_are_accepted(api: Api, path: str) -> None:
    """Without this the tests above would prove little."""
    game_id, _ = begin(api, GAME)
    body = "{" + ", ".join(f'"{name}": {value}' for name, value in VALID[path].items()) + "}"
    assert api.send(path.format(game_id), body.encode()).status in {200, 201}


@stores_nothing
@pytest.mark.parametrize("missing", ["version", "actions"])
def test_a_missing_field_is_reported(api: Api, missing: str) -> None:
    body = {"version": 0, "actions": ["avoid"]}
    del body[missing]
    assert pointers(api.post(f"/v1/games/{UNKNOWN_ID}/actions", body)) == {f"/{missing}"}


@stores_nothing
def test_all_errors_are_reported_together(api: Api) -> None:
    body = {"ruleset": "poker", "options": {"leave": 9, "hm": 1}, "seed": "", "hm": 1}
    wrong = {"/ruleset", "/options/leave", "/options/hm", "/seed", "/hm"}
    assert pointers(api.post("/v1/games", body)) == wrong


@stores_nothing
@pytest.mark.parametrize("field", ["_schema", "_schema/x"])
def test_a_field_named_like_a_marshmallow_key_is_reported(api: Api, field: str) -> None:
    named = pointers(api.post("/v1/games", {field: 1}))
    assert named == {"/" + field.replace("/", "~1")}
    assert pointers(api.get(f"/livez?{field}=1")) == named


@stores_nothing
@pytest.mark.parametrize("mode", ["standard"])
def test_a_seed_requires_mode_seeded(api: Api, mode: str) -> None:
    assert pointers(api.post("/v1/games", {"mode": mode, "seed": "s"})) == {"/mode"}


@stores_nothing
def test_mode_seeded_requires_a_seed(api: Api) -> None:
    assert pointers(api.post("/v1/games", {"mode": "seeded"})) == {"/seed"}


@stores_nothing
@pytest.mark.parametrize("field", ["ruleset", "options", "seed", "actions"])
def test_a_notation_cannot_be_combined_with_another_field(api: Api, field: str) -> None:
    other = {"ruleset": "original", "options": {}, "seed": "s", "actions": ["avoid"]}[field]
    body = {"notation": "original/s/a", field: other}
    assert pointers(api.post("/v1/replays", body)) == {f"/{field}"}


@stores_nothing
def test_a_replay_is_not_stored(api: Api) -> None:
    body = {"seed": GAME.seed, "actions": GAME.actions}
    assert api.post("/v1/replays", body).status == 200


# Player names.

NAMES = {
    "one letter": "a",
    "24 letters": "a" * 24,
    "24 outside the BMP": "\U0001f0a1" * 24,
    "a space inside": "Anna B",
    "two spaces inside": "Anna  B",
    "other scripts": "\u0141ukasz \u05d0\u05d1 \u4e2d\u6587",
    "emoji with joiners": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "Persian with non-joiners": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "characters that JSON escapes": '"\\/',
    "markup": "<b>&amp;</b>",
    "percent sign and braces": "%00 {a}\r".strip(),
}

INVALID_NAMES = {
    "25 letters": "a" * 25,
    "25 outside the BMP": "\U0001f0a1" * 25,
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
def test_a_valid_name_is_kept(api: Api, name: str) -> None:
    game = api.new_game(player=name)
    assert game["player"] == name
    assert api.get(f"/v1/games/{game['id']}").json["player"] == name


@pytest.mark.parametrize(
    "name", ["Zoe\u0308", "A\u030angstro\u0308m", "\u1112\u1161\u11ab", "e\u0301" * 24]
)
def test_a_name_is_normalised_to_nfc(api: Api, name: str) -> None:
    composed = unicodedata.normalize("NFC", name)
    assert len(composed) < len(name)
    assert api.new_game(player=name)["player"] == composed


@stores_nothing
def test_a_name_that_is_too_long_in_nfc_is_refused(api: Api) -> None:
    name = "\u0958" * 24
    assert len(unicodedata.normalize("NFC", name)) == 48
    assert pointers(api.post("/v1/games", {"player": name})) == {"/player"}


@stores_nothing
@pytest.mark.parametrize("name", INVALID_NAMES.values(), ids=INVALID_NAMES)
def test_an_invalid_name_is_refused(api: Api, name: str) -> None:
    assert pointers(api.post("/v1/games", {"player": name})) == {"/player"}


def test_the_published_pattern_accepts_only_valid_names(document: Document) -> None:
    # Python's "$" matches before a final line feed, unlike that of a schema.
    names = [name for name in (*NAMES.values(), *INVALID_NAMES.values()) if not name.endswith("\n")]
    accepted = {name for name in names if document.takes("createGame", {"player": name})}
    assert accepted == set(NAMES.values())


# Query arguments.

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


def test_every_get_operation_is_tested(document: Document) -> None:
    for operation in document.operations:
        tested = any(operation.pattern.fullmatch(path) for path in GETS)
        assert tested or operation.method != "GET", operation.id


@pytest.mark.parametrize("path", GETS)
@pytest.mark.parametrize("name", ["x", "Limit", "limit%00", "%C3%A4"])
def test_an_unknown_query_argument_is_reported(api: Api, path: str, name: str) -> None:
    decoded = {"limit%00": "limit\0", "%C3%A4": "\u00e4"}.get(name, name)
    assert pointers(api.get(f"{path}?{name}=1")) == {f"/{decoded}"}


@pytest.mark.parametrize("path", [*PATHS])
def test_a_post_refuses_query_arguments(api: Api, path: str) -> None:
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


@stores_nothing
@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in LEDGER.items() for value in values if value != "0" * 38],
    ids=short,
)
def test_an_invalid_query_argument_is_reported(api: Api, name: str, value: str) -> None:
    assert pointers(api.get(f"/v1/ledger?{name}={value}")) == {f"/{name}"}


@pytest.mark.parametrize("name", ["ruleset", "limit", "seed"])
def test_a_repeated_query_argument_is_reported(api: Api, name: str) -> None:
    value = {"ruleset": "original", "limit": "5", "seed": "s"}[name]
    assert pointers(api.get(f"/v1/ledger?{name}={value}&{name}={value}")) == {f"/{name}"}


def test_unknown_fields_are_reported_in_the_order_of_the_request(api: Api) -> None:
    names = ["zebra", "ant", "newt", "bee", "yak"]
    reply = api.request("POST", "/v1/games", {"locked": 1} | dict.fromkeys(names, 1))
    reported = [error["pointer"] for error in reply.json["errors"]]
    assert reported == ["/locked", *(f"/{name}" for name in names)]


# IDs.

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
    "a store key": "game:x",
    "a hash tag": "{x}",
    "a shell substitution": "%24(id)",
}


@stores_nothing
@pytest.mark.parametrize("game_id", IDS.values(), ids=IDS)
def test_a_malformed_id_is_an_unknown_game(api: Api, game_id: str) -> None:
    for path in ("", "/actions", "/score", "/history"):
        reply = api.get(f"/v1/games/{game_id}{path}")
        assert refused(reply) == (404, "game_not_found")
    assert refused(api.act(game_id, 0, "avoid")) == (404, "game_not_found")


@pytest.mark.parametrize("ruleset", ["Original", "original%20", "%00", "%FF", "original+leave=1"])
def test_a_malformed_ruleset_is_not_found(api: Api, ruleset: str) -> None:
    assert refused(api.get(f"/v1/rulesets/{ruleset}")) == (404, "ruleset_not_found")


@pytest.mark.parametrize("version", [2**53, 2**63, 2**64 - 1])
def test_a_version_of_2_to_the_53_or_more_is_an_invalid_request(api: Api, version: int) -> None:
    game_id, _ = begin(api, GAME)
    assert pointers(api.act(game_id, version, "avoid")) == {"/version"}


@pytest.mark.parametrize("version", [2**31, 2**53 - 1])
def test_a_large_version_is_a_version_mismatch(api: Api, version: int) -> None:
    game_id, _ = begin(api, GAME)
    assert refused(api.act(game_id, version, "avoid")) == (409, "version_mismatch")
