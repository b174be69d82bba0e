"""CORS: pages of any origin may use the API, from preflights to readable responses."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from tests.api.client import UNKNOWN_ID, Api, refused
from tests.playing import begin, play_through, record
from tests.servers import ApiServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.api.documented import Document
    from tests.servers import Reply

GAME = record("cors-1")
ORIGINS = (
    "https://example.org",
    "http://localhost:5173",
    "null",
    "https://xn--4dbrk0ce.example:8443",
)
PAGE = {"Origin": ORIGINS[0]}

PAGE_MAY_SEND = {
    "authorization",
    "content-type",
    "idempotency-key",
    "if-none-match",
    "last-event-id",
}
PAGE_MAY_READ = {
    "etag",
    "location",
    "link",
    "retry-after",
    "ratelimit",
    "ratelimit-policy",
    "idempotent-replayed",
    "x-request-id",
}


def words(reply: Reply, header: str) -> set[str]:
    """Return the names that a header lists."""
    return {name.strip().lower() for name in reply.headers[header].split(",")}


def expect_open(reply: Reply) -> None:
    """Expect that any page may read the response, without credentials."""
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert words(reply, "Access-Control-Expose-Headers") == PAGE_MAY_READ
    assert "Access-Control-Allow-Credentials" not in reply.headers
    assert "Set-Cookie" not in reply.headers


@pytest.fixture(scope="module")
def orphan(document: Document) -> Iterator[Api]:
    """An API whose store does not exist."""
    server = ApiServer({"SCOUNDREL_REDIS_URL": "unix:///nowhere/store.sock"}, workers=1)
    try:
        yield Api(server.start(), document)
    finally:
        server.close()


def paths(document: Document, game_id: str) -> dict[str, set[str]]:
    """Return all paths with their methods."""
    found = {page: {"GET"} for page in ("/", "/docs", "/docs/problems")}
    names = {"game_id": game_id, "ruleset": "original", "date": "today"}
    for operation in document.operations:
        path = operation.template.format_map(names)
        found.setdefault(path, set()).add(operation.method)
    return found


# Preflight requests.


def preflight(api: Api, path: str, method: str, origin: str = ORIGINS[0]) -> Reply:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": ", ".join(sorted(PAGE_MAY_SEND)),
    }
    return api.request("OPTIONS", path, headers=headers)


def test_a_preflight_of_every_path_allows_its_methods_and_all_api_headers(
    api: Api, document: Document
) -> None:
    expected = paths(document, UNKNOWN_ID)
    assert len(expected) > 10
    for path, methods in expected.items():
        for method in methods:
            reply = preflight(api, path, method)
            assert (reply.status, reply.body) == (204, b""), path
            assert method.lower() in words(reply, "Access-Control-Allow-Methods")
            assert words(reply, "Access-Control-Allow-Headers") == PAGE_MAY_SEND
            expect_open(reply)


def test_a_preflight_allows_only_the_methods_of_the_path(api: Api) -> None:
    reply = preflight(api, "/v1/games", "DELETE")
    assert reply.status == 204
    assert words(reply, "Access-Control-Allow-Methods") == {"post", "options"}


def test_a_preflight_may_be_cached_for_two_hours(api: Api) -> None:
    max_age = preflight(api, "/v1/games", "POST").headers["Access-Control-Max-Age"]
    assert re.fullmatch("[0-9]+", max_age)
    # Firefox allows a day, Chromium two hours; the default is five seconds.
    assert int(max_age) >= 7200


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_preflight_allows_any_origin(api: Api, origin: str) -> None:
    expect_open(preflight(api, "/v1/games", "POST", origin))


def test_a_preflight_does_not_need_the_store(orphan: Api) -> None:
    for part in ("", "/actions", "/score", "/history"):
        assert preflight(orphan, f"/v1/games/{UNKNOWN_ID}{part}", "GET").status == 204


def test_a_plain_options_request_is_not_a_preflight(api: Api) -> None:
    reply = api.request("OPTIONS", "/v1/games", headers=PAGE)
    assert reply.status == 204
    expect_open(reply)
    assert "Access-Control-Allow-Headers" not in reply.headers
    assert "Access-Control-Max-Age" not in reply.headers


def test_a_page_may_read_that_a_preflighted_path_is_not_found(api: Api) -> None:
    reply = preflight(api, "/v1/nothing", "GET")
    assert refused(reply) == (404, "not_found")
    expect_open(reply)


# Responses that a page may read.


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_page_of_any_origin_may_read_a_response(api: Api, origin: str) -> None:
    expect_open(api.get("/v1/rulesets", Origin=origin))


def test_a_page_may_read_every_get_response(api: Api, document: Document) -> None:
    game_id = play_through(api, GAME)
    for path, methods in paths(document, game_id).items():
        if "GET" in methods:
            reply = api.get(path, **PAGE)
            assert reply.status == 200, path
            expect_open(reply)


def test_a_page_may_read_the_responses_to_its_posts(api: Api) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    created = api.request("POST", "/v1/games", GAME.new_game, headers={**PAGE, **key})
    body = {"version": 0, "actions": [GAME.actions[0]]}
    path = created.json["links"]["actions"]
    moved = api.request("POST", path, body, headers=PAGE)
    assert (created.status, moved.status) == (201, 200)
    expect_open(created)
    expect_open(moved)


def test_a_page_may_read_a_304_response(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    path = f"/v1/games/{game_id}"
    reply = api.get(path, **PAGE, **{"If-None-Match": api.get(path).headers["ETag"]})
    assert reply.status == 304
    expect_open(reply)


def test_a_page_may_read_the_text_table(api: Api) -> None:
    game_id, _ = begin(api, GAME)
    expect_open(api.get(f"/v1/games/{game_id}", Accept="text/plain", **PAGE))


REFUSED: dict[str, tuple[int, str, str, bytes | None, Mapping[str, str]]] = {
    "malformed": (400, "POST", "/v1/games", b"{", {"Content-Type": "application/json"}),
    "not found": (404, "GET", "/v1/nothing", None, {}),
    "game not found": (404, "GET", f"/v1/games/{UNKNOWN_ID}", None, {}),
    "ruleset not found": (404, "GET", "/v1/rulesets/poker", None, {}),
    "method": (405, "DELETE", "/v1/games", None, {}),
    "not acceptable": (406, "GET", "/v1/rulesets", None, {"Accept": "image/png"}),
    "too large": (
        413,
        "POST",
        "/v1/games",
        b"{}".ljust(20_000),
        {"Content-Type": "application/json"},
    ),
    "media type": (415, "POST", "/v1/games", b"{}", {"Content-Type": "text/plain"}),
    "invalid": (422, "GET", "/v1/ledger?limit=0", None, {}),
}


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED)
def test_a_page_may_read_a_refusal(
    api: Api, request_: tuple[int, str, str, bytes | None, Mapping[str, str]]
) -> None:
    status, method, path, body, headers = request_
    reply = api.request(method, path, body=body, headers={**headers, **PAGE})
    assert reply.status == status
    expect_open(reply)


def test_a_page_may_read_that_a_token_is_required(api: Api) -> None:
    game = api.new_game(locked=True)
    body = {"version": 0, "actions": ["avoid"]}
    reply = api.request("POST", game["links"]["actions"], body, headers=PAGE)
    assert reply.status == 401
    expect_open(reply)


@pytest.mark.parametrize(("version", "code"), [(7, "version_mismatch"), (0, "illegal_action")])
def test_a_page_may_read_a_conflict(api: Api, version: int, code: str) -> None:
    game_id, _ = begin(api, GAME)
    body: dict[str, Any] = {"version": version, "actions": ["draw"]}
    reply = api.request("POST", f"/v1/games/{game_id}/actions", body, headers=PAGE)
    assert refused(reply) == (409, code)
    expect_open(reply)


def test_a_page_may_read_that_the_store_is_unavailable(orphan: Api) -> None:
    reply = orphan.get(f"/v1/games/{UNKNOWN_ID}", **PAGE)
    assert refused(reply) == (503, "store_unavailable")
    expect_open(reply)


# Request IDs.


def requests_of_all_kinds(api: Api, headers: Mapping[str, str]) -> list[Reply]:
    """Send many kinds of requests with these headers and return the responses."""
    game_id, _ = begin(api, GAME)
    path = f"/v1/games/{game_id}"
    known = {"If-None-Match": "*"}
    return [
        api.request("POST", "/v1/games", {}, headers=headers),
        api.request("GET", path, headers=headers),
        api.request("GET", path, headers={**headers, **known}),
        api.request("HEAD", path, headers=headers),
        api.request("GET", path, headers={**headers, "Accept": "text/plain"}),
        api.request("OPTIONS", path, headers=headers),
        api.request("DELETE", path, headers=headers),
        api.request("GET", "/v1/nothing", headers=headers),
    ]


STATUSES = [201, 200, 304, 200, 200, 204, 405, 404]


@pytest.mark.parametrize("given", ["a", "Trace-7.of_mine", "0" * 64])
def test_a_request_id_is_returned_in_every_response(api: Api, given: str) -> None:
    replies = requests_of_all_kinds(api, {"X-Request-ID": given})
    assert [reply.status for reply in replies] == STATUSES
    assert {reply.headers["X-Request-ID"] for reply in replies} == {given}


@pytest.mark.parametrize("given", [None, "", "0" * 65, "two words", "a,b", "a;b", "\xe4", "a\tb"])
def test_a_request_without_a_valid_id_gets_a_new_one(api: Api, given: str | None) -> None:
    replies = requests_of_all_kinds(api, {} if given is None else {"X-Request-ID": given})
    assert [reply.status for reply in replies] == STATUSES
    generated = {reply.headers["X-Request-ID"] for reply in replies}
    assert len(generated) == len(replies)
    assert given not in generated
    assert all(re.fullmatch("[A-Za-z0-9._-]{1,64}", request_id) for request_id in generated)
