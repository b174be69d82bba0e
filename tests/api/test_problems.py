"""Errors: every kind can be provoked, and all have the same form."""

from __future__ import annotations

import logging
import re
import signal
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from flask import Response, request

from api import create_app
from api.http.problem_types import PROBLEM_TYPES
from tests.api.client import OF_THE_MOMENT, UNKNOWN_ID, Api, refused
from tests.api.raw import raw_request, send_raw
from tests.playing import act, begin, play_through, record
from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from werkzeug.test import TestResponse

    from tests.api.documented import Document
    from tests.servers import Reply

GAME = record("problems-1")

MEMBERS = {"type", "title", "status", "detail", "code", "request_id"}


@pytest.fixture(scope="module")
def killed_store() -> Iterator[StoreServer]:
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="module")
def orphan(killed_store: StoreServer, document: Document) -> Iterator[Api]:
    """An API whose store was killed after startup."""
    with serving(killed_store, workers=1) as running:
        assert running.get("/readyz").status == 200
        killed_store.kill()
        yield Api(running, document)


def _malformed_request(api: Api) -> Reply:
    chunked = raw_request(
        *("POST", "/v1/games", b"not a length\r\n{}\r\n0\r\n\r\n"),
        Content_Type="application/json",
        Transfer_Encoding="chunked",
    )
    reply = send_raw(api.server.port, chunked)
    api.document.check("POST", "/v1/games", reply)
    return reply


def _token_required(api: Api) -> Reply:
    return api.act(api.new_game(locked=True)["id"], 0, "avoid")


def _game_over(api: Api) -> Reply:
    return api.act(play_through(api, GAME), len(GAME.actions), "avoid")


def _version_mismatch(api: Api) -> Reply:
    return api.act(begin(api, GAME)[0], 1, "avoid")


def _illegal_action(api: Api) -> Reply:
    return api.act(begin(api, GAME)[0], 0, "draw")


def _reveals_cards(api: Api) -> Reply:
    return api.act(begin(api, GAME)[0], 0, "avoid", "avoid")


def _idempotency_key_reused(api: Api) -> Reply:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    api.request("POST", "/v1/games", {}, headers=key)
    return api.request("POST", "/v1/games", {"ruleset": "strict"}, headers=key)


PROVOKED: dict[str, Callable[[Api], Reply]] = {
    "malformed_json": lambda api: api.send("/v1/games", b"{"),
    "malformed_request": _malformed_request,
    "token_required": _token_required,
    "not_found": lambda api: api.get("/v1/nothing"),
    "game_not_found": lambda api: api.get(f"/v1/games/{UNKNOWN_ID}"),
    "ruleset_not_found": lambda api: api.get("/v1/rulesets/poker"),
    "method_not_allowed": lambda api: api.request("DELETE", "/v1/games"),
    "not_acceptable": lambda api: api.get("/v1/rulesets", Accept="image/png"),
    "version_mismatch": _version_mismatch,
    "game_over": _game_over,
    "illegal_action": _illegal_action,
    "reveals_cards": _reveals_cards,
    "too_large": lambda api: api.send("/v1/games", b" " * (16 * 1024) + b"{}"),
    "unsupported_media_type": lambda api: api.request("POST", "/v1/games", body=b"{}"),
    "invalid_request": lambda api: api.post("/v1/games", {"seed": ""}),
    "idempotency_key_reused": _idempotency_key_reused,
}
"""A request for each code that a server returns with a working store and without a limit."""

PROVOKED_ELSEWHERE = {"store_unavailable", "internal_error", "rate_limited"}

EXTRA = {
    "invalid_request": {"errors"},
    "version_mismatch": {"state"},
    "illegal_action": {"index", "actions"},
    "reveals_cards": {"index"},
}
"""The additional members of problems with these codes."""


def test_every_code_is_provoked() -> None:
    assert set(PROVOKED) | PROVOKED_ELSEWHERE == set(PROBLEM_TYPES)


@pytest.mark.parametrize("code", PROVOKED)
def test_a_problem_has_its_status_and_its_members(api: Api, code: str) -> None:
    reply = PROVOKED[code](api)
    kind = PROBLEM_TYPES[code]
    assert refused(reply) == (kind.status, code)
    assert set(reply.json) == MEMBERS | EXTRA.get(code, set())
    assert reply.json["title"] == kind.title
    assert reply.json["detail"]


@pytest.mark.parametrize("code", PROVOKED)
def test_a_problem_has_its_media_type_and_is_not_cached(api: Api, code: str) -> None:
    headers = PROVOKED[code](api).headers
    assert headers["Content-Type"] == "application/problem+json"
    assert headers["Cache-Control"] == "no-store"


def test_a_missing_token_is_refused_with_www_authenticate(api: Api) -> None:
    assert _token_required(api).headers["WWW-Authenticate"] == "Bearer"


# HTTP.


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/"),
        ("GET", "/v1/games/"),
        ("GET", f"/v1/games/{UNKNOWN_ID}/"),
        ("GET", f"/v1/games/{UNKNOWN_ID}/moves"),
        ("GET", "//v1//rulesets"),
        ("GET", "/v1/rulesets/"),
        ("GET", "/v2/games"),
        ("POST", "/v1/game"),
        ("OPTIONS", "/v1/nothing"),
        ("FOO", "/v1/nothing"),
    ],
)
def test_an_unknown_path_is_not_found(api: Api, method: str, path: str) -> None:
    assert refused(api.request(method, path)) == (404, "not_found")


@pytest.mark.parametrize("headers", [{}, {"Access-Control-Request-Method": "POST"}])
def test_a_preflight_of_an_unknown_path_is_not_found(api: Api, headers: dict[str, str]) -> None:
    sent = {"Origin": "https://example.org", **headers}
    reply = api.request("OPTIONS", "/v1/nothing", headers=sent)
    assert refused(reply) == (404, "not_found")


PATHS = {
    "/v1/games": {"POST", "OPTIONS"},
    f"/v1/games/{UNKNOWN_ID}": {"GET", "HEAD", "OPTIONS"},
    f"/v1/games/{UNKNOWN_ID}/actions": {"GET", "HEAD", "POST", "OPTIONS"},
    f"/v1/games/{UNKNOWN_ID}/score": {"GET", "HEAD", "OPTIONS"},
    f"/v1/games/{UNKNOWN_ID}/history": {"GET", "HEAD", "OPTIONS"},
    "/v1/ledger": {"GET", "HEAD", "OPTIONS"},
    "/v1/rulesets": {"GET", "HEAD", "OPTIONS"},
    "/v1/rulesets/original": {"GET", "HEAD", "OPTIONS"},
    "/v1/replays": {"POST", "OPTIONS"},
    "/openapi.json": {"GET", "HEAD", "OPTIONS"},
    "/livez": {"GET", "HEAD", "OPTIONS"},
    "/readyz": {"GET", "HEAD", "OPTIONS"},
}


def allowed(reply: Reply) -> set[str]:
    return set(reply.headers["Allow"].split(", "))


@pytest.mark.parametrize("path", PATHS)
def test_an_unsupported_method_is_refused_with_the_allowed_ones(api: Api, path: str) -> None:
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "FOO"} - PATHS[path]:
        reply = api.request(method, path)
        assert refused(reply) == (405, "method_not_allowed")
        assert allowed(reply) == PATHS[path]


@pytest.mark.parametrize("path", PATHS)
def test_a_plain_options_request_returns_the_methods_without_a_body(api: Api, path: str) -> None:
    reply = api.request("OPTIONS", path)
    assert (reply.status, reply.body) == (204, b"")
    assert allowed(reply) == PATHS[path]
    assert "Content-Type" not in reply.headers


def test_the_methods_of_every_documented_path_are_tested(document: Document) -> None:
    tested = {(method, path) for path, methods in PATHS.items() for method in methods}
    for operation in document.operations:
        assert any(
            method == operation.method and operation.pattern.fullmatch(path)
            for method, path in tested
        ), operation.id


def test_connect_is_refused_like_other_methods(api: Api) -> None:
    reply = send_raw(api.server.port, raw_request("CONNECT", "/v1/games"))
    assert refused(reply) == (405, "method_not_allowed")


@pytest.mark.parametrize("path", [path for path, methods in PATHS.items() if "GET" in methods])
def test_head_returns_the_get_response_without_its_body(api: Api, path: str) -> None:
    game_id = play_through(api, GAME)
    path = path.replace(UNKNOWN_ID, game_id)
    get, head = api.get(path), api.request("HEAD", path)
    assert (head.status, head.body) == (get.status, b"") == (200, b"")
    assert _repeatable_headers(head) == _repeatable_headers(get)


def _repeatable_headers(reply: Reply) -> dict[str, str]:
    return {name: value for name, value in reply.headers.items() if name not in OF_THE_MOMENT}


@pytest.mark.parametrize("path", [path for path, methods in PATHS.items() if "GET" not in methods])
def test_head_is_not_allowed_where_get_is_not(api: Api, path: str) -> None:
    reply = api.request("HEAD", path)
    assert (reply.status, reply.body) == (405, b"")
    assert allowed(reply) == PATHS[path]


def test_head_of_an_unknown_game_is_404_without_a_body(api: Api) -> None:
    reply = api.request("HEAD", f"/v1/games/{UNKNOWN_ID}")
    assert (reply.status, reply.body) == (404, b"")


@pytest.mark.parametrize("size", [16 * 1024, 16 * 1024 + 1])
def test_a_body_may_have_at_most_16_kib(api: Api, size: int) -> None:
    reply = api.send("/v1/games", b"{}".ljust(size))
    assert reply.status == (201 if size <= 16 * 1024 else 413)


def test_a_chunked_body_that_is_too_large_is_refused(api: Api) -> None:
    chunk = b" " * 1024
    body = b"400\r\n" + chunk + b"\r\n"
    request = raw_request(
        *("POST", "/v1/games", body * 17 + b"2\r\n{}\r\n0\r\n\r\n"),
        Content_Type="application/json",
        Transfer_Encoding="chunked",
    )
    assert refused(send_raw(api.server.port, request)) == (413, "too_large")


def test_a_chunked_body_is_accepted(api: Api) -> None:
    request = raw_request(
        *("POST", "/v1/games", b"2\r\n{}\r\n0\r\n\r\n"),
        Content_Type="application/json",
        Transfer_Encoding="chunked",
    )
    assert send_raw(api.server.port, request).status == 201


@pytest.mark.parametrize("given", ["a", "client-7.Trace_1", "x" * 64])
def test_a_request_id_is_returned(api: Api, given: str) -> None:
    reply = api.get("/v1/nothing", **{"X-Request-ID": given})
    assert reply.headers["X-Request-ID"] == reply.json["request_id"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "a/b", "ä", "<script>"])
def test_an_invalid_request_id_is_replaced(api: Api, given: str) -> None:
    reply = api.get("/v1/nothing", **{"X-Request-ID": given})
    assert re.fullmatch("[0-9a-f]{16}", reply.headers["X-Request-ID"])


def test_requests_have_different_ids(api: Api) -> None:
    ids = {api.get("/livez").headers["X-Request-ID"] for _ in range(2)}
    assert len(ids) == 2


# Outages of the store.

WITH_STORE: dict[str, Callable[[Api], Reply]] = {
    "createGame": lambda api: api.post("/v1/games", {}),
    "getGame": lambda api: api.get(f"/v1/games/{UNKNOWN_ID}"),
    "listActions": lambda api: api.get(f"/v1/games/{UNKNOWN_ID}/actions"),
    "applyActions": lambda api: act(api, UNKNOWN_ID, 0, "avoid"),
    "getScore": lambda api: api.get(f"/v1/games/{UNKNOWN_ID}/score"),
    "getHistory": lambda api: api.get(f"/v1/games/{UNKNOWN_ID}/history"),
    "listLedger": lambda api: api.get("/v1/ledger"),
    "getReadiness": lambda api: api.get("/readyz"),
}

WITHOUT_STORE: dict[str, Callable[[Api], Reply]] = {
    "getLiveness": lambda api: api.get("/livez"),
    "listRulesets": lambda api: api.get("/v1/rulesets"),
    "getRuleset": lambda api: api.get("/v1/rulesets/original"),
    "getOpenApi": lambda api: api.get("/openapi.json"),
    "verifyReplay": lambda api: api.post("/v1/replays", {"seed": "s", "actions": ["avoid"]}),
}


@pytest.mark.parametrize("operation", WITH_STORE)
def test_operations_return_retry_after_during_an_outage(orphan: Api, operation: str) -> None:
    reply = WITH_STORE[operation](orphan)
    assert refused(reply) == (503, "store_unavailable")
    assert int(reply.headers["Retry-After"]) > 0


@pytest.mark.parametrize("operation", WITHOUT_STORE)
def test_operations_that_need_no_store_work_during_an_outage(orphan: Api, operation: str) -> None:
    assert WITHOUT_STORE[operation](orphan).status == 200


def test_every_operation_is_tested_during_an_outage(document: Document) -> None:
    assert {op.id for op in document.operations} == set(WITH_STORE) | set(WITHOUT_STORE)


def test_malformed_requests_are_refused_as_such_during_an_outage(orphan: Api) -> None:
    assert refused(orphan.send("/v1/games", b"{")) == (400, "malformed_json")


def test_a_hanging_store_is_unavailable(document: Document) -> None:
    store = StoreServer(valkey_binary())
    try:
        with serving(store.start(), workers=1) as running:
            api = Api(running, document)
            assert api.get("/readyz").status == 200
            store.kill(signal.SIGSTOP)
            for operation in ("createGame", "getGame"):
                assert refused(WITH_STORE[operation](api)) == (503, "store_unavailable")
            store.kill(signal.SIGCONT)
            assert api.get("/readyz").status == 200
    finally:
        store.kill(signal.SIGCONT)
        store.close()


# Internal errors.


class Broken(Exception):
    """An unexpected exception."""


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], TestResponse]:
    """Send GET requests to an app in which reading a game fails."""
    app = create_app({"REDIS_URL": "redis://nowhere:1"})

    def fail(_self: object, game_id: str) -> None:
        raise Broken(game_id)

    monkeypatch.setattr("api.store.games.Games.read", fail)
    return app.test_client().get


def test_an_internal_error_is_a_problem_without_details(
    broken: Callable[[str], TestResponse],
) -> None:
    reply = broken(f"/v1/games/{UNKNOWN_ID}")
    assert reply.status_code == 500
    assert reply.content_type == "application/problem+json"
    body: dict[str, Any] = reply.json or {}
    assert set(body) == MEMBERS
    assert body["code"] == "internal_error"
    assert body["request_id"] == reply.headers["X-Request-ID"]
    assert "Broken" not in reply.text


def test_an_internal_error_is_logged_with_request_id_and_route(
    broken: Callable[[str], TestResponse], caplog: pytest.LogCaptureFixture
) -> None:
    reply = broken(f"/v1/games/{UNKNOWN_ID}/score")
    (logged,) = [line for line in caplog.records if line.levelno >= logging.ERROR]
    assert reply.headers["X-Request-ID"] in logged.getMessage()
    assert "GET /v1/games/{game_id}/score" in logged.getMessage()
    assert "Broken" in caplog.text


def test_an_internal_error_is_logged_without_the_game_id(
    broken: Callable[[str], TestResponse], caplog: pytest.LogCaptureFixture
) -> None:
    broken(f"/v1/games/{UNKNOWN_ID}")
    assert caplog.text
    assert UNKNOWN_ID not in caplog.text


def test_an_exception_in_an_error_handler_is_an_internal_error_seen_by_after_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_self: object) -> None:
        raise Broken

    monkeypatch.setattr("api.store.Store.forget_connections", fail)
    app = create_app({"REDIS_URL": "redis://127.0.0.1:1"})
    seen: list[tuple[str, int]] = []

    @app.after_request
    def record_status(response: Response) -> Response:
        seen.append((request.path, response.status_code))
        return response

    path = f"/v1/games/{UNKNOWN_ID}"
    reply = app.test_client().get(path)
    assert (reply.json or {})["code"] == "internal_error"
    assert seen == [(path, 500)]
