"""JSON logs: one line per request, with its id and without secrets."""

from __future__ import annotations

import json
import logging
import re
import runpy
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.servers import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ops.logged import LoggedServer

UNKNOWN_ID = "0123456789abcdefghijkl"
KEY = "key-of-16-letters-or-more"
SECRETS = (UNKNOWN_ID, KEY, "Zaphod", "token-of-somebody", "seed-of-mine")

JSONLINES = runpy.run_path(str(ROOT / "api" / "observe" / "json_lines.py"))


def test_every_line_is_json_including_those_of_gunicorn(server: LoggedServer) -> None:
    loggers = {line["logger"] for line in server.lines}
    assert {"gunicorn.error", "api.http.requests"} <= loggers


def test_a_request_is_logged_in_one_line(server: LoggedServer) -> None:
    server.request("GET", "/v1/rulesets/original", headers={"X-Request-ID": "line-1"})
    line = server.of("line-1")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
    assert line["duration_ms"] > 0
    logged = {name: line[name] for name in ("level", "method", "route", "status")}
    assert logged == {
        "level": "info",
        "method": "GET",
        "route": "/v1/rulesets/{ruleset}",
        "status": 200,
    }


def test_the_line_of_a_problem_has_its_code(server: LoggedServer) -> None:
    server.request("GET", f"/v1/games/{UNKNOWN_ID}", headers={"X-Request-ID": "line-2"})
    line = server.of("line-2")
    assert (line["status"], line["code"]) == (404, "game_not_found")


def test_a_generated_request_id_is_logged(server: LoggedServer) -> None:
    reply = server.get("/livez")
    assert server.of(reply.headers["X-Request-ID"])["route"] == "/livez"


@pytest.mark.parametrize(
    ("method", "path", "named"),
    [
        ("GET", "/no/such/path", ("GET", "unmatched")),
        ("DELETE", "/v1/games", ("DELETE", "unmatched")),
        ("BREW", "/v1/games", ("OTHER", "unmatched")),
        ("HEAD", f"/v1/games/{UNKNOWN_ID}", ("HEAD", "/v1/games/{game_id}")),
    ],
)
def test_method_and_route_are_never_the_clients_text(
    server: LoggedServer, method: str, path: str, named: tuple[str, str]
) -> None:
    request_id = f"{method}-{len(path)}"
    server.request(method, path, headers={"X-Request-ID": request_id})
    line = server.of(request_id)
    assert (line["method"], line["route"]) == named


def test_no_line_has_data_from_the_client(server: LoggedServer) -> None:
    game = {"player": SECRETS[2], "seed": SECRETS[4], "locked": True}
    created = server.post("/v1/games", game, **{"Idempotency-Key": KEY}).json
    path = f"/v1/games/{created['id']}"
    server.get(f"{path}?around={UNKNOWN_ID}", Authorization=f"Bearer {SECRETS[3]}")
    server.post(f"{path}/actions", {"version": 7, "actions": ["avoid"]})
    server.post("/v1/games", {"seed": "\n" + SECRETS[4]})
    for secret in (*SECRETS, created["id"], created["token"]):
        assert secret not in server.text


@pytest.mark.parametrize(
    "broken",
    [
        f"GET /v1/games/{UNKNOWN_ID} HTTP/9.9\r\n\r\n",
        f"GET /v1/games/{UNKNOWN_ID}\r\n HTTP/1.1\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: a\r\nIdempotency Key: {KEY}\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: a\r\nIdempotency-Key: {KEY}\r\n {KEY}\r\n\r\n",
        f"G /v1/games/{UNKNOWN_ID} HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
def test_gunicorn_does_not_log_malformed_requests(server: LoggedServer, broken: str) -> None:
    before = len(server.lines)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(broken.encode())
        assert b" 400 " in connection.recv(1000)
    (line,) = server.lines[before:]
    assert line["message"] == "Invalid request from ip=127.0.0.1"
    assert UNKNOWN_ID not in server.text
    assert KEY not in server.text


@pytest.fixture
def written() -> Callable[..., dict[str, Any]]:
    """Format a record as JSON."""

    def write(message: str, *args: object, **extra: Any) -> dict[str, Any]:  # noqa: ANN401  # any attribute of a record
        record = logging.makeLogRecord(
            {"name": "api", "levelname": "ERROR", "msg": message, "args": args, **extra}
        )
        assert JSONLINES["without_requests"](record)
        line = JSONLINES["JsonFormatter"]().format(record)
        assert "\n" not in line
        loaded: dict[str, Any] = json.loads(line)
        return loaded

    return write


def test_a_record_of_several_lines_becomes_one_line(written: Callable[..., dict[str, Any]]) -> None:
    assert written("a\nb%s", '"\u2028')["message"] == 'a\nb"\u2028'


def test_extra_attributes_of_a_record_become_members(
    written: Callable[..., dict[str, Any]],
) -> None:
    line = written("hm", request_id="r1")
    assert set(line) == {"time", "level", "logger", "message", "request_id"}
    assert line["request_id"] == "r1"


def test_an_exception_is_in_the_same_line(written: Callable[..., dict[str, Any]]) -> None:
    try:
        _ = 1 // 0
    except ZeroDivisionError:
        line = written("hm", exc_info=sys.exc_info())
    assert "ZeroDivisionError" in line["exception"]


def test_gunicorns_line_about_an_error_has_no_path(
    written: Callable[..., dict[str, Any]],
) -> None:
    line = written("Error handling request %s %s", "GET", f"/v1/games/{UNKNOWN_ID}")
    assert line["message"] == "Error handling request"


def test_other_lines_are_not_changed(written: Callable[..., dict[str, Any]]) -> None:
    assert written("Booting worker with pid: %s", 7)["message"] == "Booting worker with pid: 7"
