"""Refusals by gunicorn, before the app and without a proxy."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from api.http.problem_types import MALFORMED_REQUEST
from tests.servers import ROOT

if TYPE_CHECKING:
    from tests.ops.logged import LoggedServer

REFUSED = {
    "no request line": (b"hello\r\n\r\n", 400),
    "a method in lower case": (b"get / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    "a path that is not ASCII": ("GET /é HTTP/1.1\r\nHost: a\r\n\r\n".encode(), 400),
    "an unknown version": (b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", 400),
    "a header without a name": (b"GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400),
    "a control character in a header": (b"GET / HTTP/1.1\r\nHost: a\r\nX-A: \x01\r\n\r\n", 400),
    "a length that is not a number": (
        b"POST /v1/games HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n",
        400,
    ),
    "two lengths": (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        400,
    ),
    "an unknown coding": (
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: secret\r\n\r\n",
        400,
    ),
    "an expectation": (b"POST / HTTP/1.1\r\nHost: a\r\nExpect: a cake\r\n\r\n", 400),
    "a path of 5 KB": (b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    "a header of 9 KB": (b"GET / HTTP/1.1\r\nCookie: " + b"a" * 9000 + b"\r\n\r\n", 431),
    "too many headers": (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n", 431),
}


def raw(port: int, request: bytes) -> tuple[int, dict[str, str], Any]:
    """Send bytes; return status, headers and JSON of the response."""
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        while chunk := connection.recv(65536):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *headers = head.decode().split("\r\n")
    named = dict(line.split(": ", 1) for line in headers)
    assert int(named["Content-Length"]) == len(body)
    return int(status.split()[1]), named, json.loads(body)


@pytest.mark.parametrize(("request_", "status"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_is_a_problem_with_the_usual_headers(
    server: LoggedServer, request_: bytes, status: int
) -> None:
    got, headers, problem = raw(server.port, request_)
    usual = server.get("/v1/nothing")
    assert set(problem) == set(usual.json)
    assert (got, problem["status"]) == (status, status)
    assert problem["code"] == MALFORMED_REQUEST.code
    assert problem["title"] == MALFORMED_REQUEST.title
    assert problem["type"] == f"/docs/problems#{problem['code']}"
    assert headers["X-Request-ID"] == problem["request_id"]
    for name in (
        "Content-Type",
        "Cache-Control",
        "X-Content-Type-Options",
        "Referrer-Policy",
        "Access-Control-Allow-Origin",
    ):
        assert headers[name] == usual.headers[name]
    assert "X-Request-ID" in headers["Access-Control-Expose-Headers"]


def test_a_worker_continues_after_refusals(server: LoggedServer) -> None:
    for request_, _status in REFUSED.values():
        raw(server.port, request_)
    assert server.get("/livez").status == 200


@pytest.mark.parametrize("workers", ["0", "1000"])
def test_an_invalid_number_of_workers_is_reported(workers: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gunicorn", "-c", "api/server/gunicorn.conf.py"],
        cwd=ROOT,
        env={**os.environ, "WEB_CONCURRENCY": workers},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode
    said = done.stderr.strip().splitlines()[-1]
    assert said == "ValueError: WEB_CONCURRENCY must be a whole number from 1 to 999"
