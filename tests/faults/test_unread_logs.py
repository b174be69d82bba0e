"""A log that nobody reads, or whose reader has gone, holds nobody up."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import socket
import time
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from typing import IO, TYPE_CHECKING, Any

import pytest

from tests.api.raw import send_raw
from tests.playing import Connection, play_through, record
from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = pytest.mark.slow

PATIENCE = 5
GAMES = 8
MALFORMED = 100


@contextmanager
def small_pipe() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """A pipe that is full after some dozens of lines: where to read it and where to write."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 16 * 1024)
    with os.fdopen(reading, "rb") as reader, os.fdopen(writing, "wb") as writer:
        yield reader, writer


def play_games(port: int) -> int:
    """Play games; return how many requests that took. None may take longer than is patient."""
    connection = Connection(port, timeout=PATIENCE)
    games = [record(f"unread-{number}") for number in range(GAMES)]
    for game in games:
        play_through(connection, game)
    connection.close()
    return sum(1 + len(game.actions) for game in games)


def requests_in(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if line["logger"] == "api.http.requests" and "route" in line]


def test_games_go_on_while_nobody_reads_the_log_and_what_is_lost_of_it_is_told(
    store: StoreServer,
) -> None:
    with small_pipe() as (reader, writer):
        with serving(store, workers=1, log=writer, LOG="json") as api:
            asked = play_games(api.port)
            for _ in range(MALFORMED):  # gunicorn has a line to write for each
                assert send_raw(api.port, b"hello\r\n\r\n").status == 400
            os.set_blocking(reader.fileno(), False)
            early = reader.read() or b""
            api.get("/livez", **{"X-Request-ID": "read-again"})
            send_raw(api.port, b"hello\r\n\r\n")
        writer.close()
        late = reader.read() or b""
    lines = [json.loads(line) for line in (early + late).splitlines()]
    assert len(requests_in(lines)) < asked
    assert requests_in(lines)[-1]["request_id"] == "read-again"
    lost = {line["logger"]: line["lines"] for line in lines if "lines" in line}
    # Beside the games, the one request that is written at last, and those until it had started.
    assert len(requests_in(lines)) + lost["api.http.requests"] >= asked + 1
    refused = [line for line in lines if line["message"].startswith("Invalid request")]
    assert len(refused) + lost["gunicorn.error"] == MALFORMED + 1


@pytest.mark.parametrize("kind", ["plain", "json"])
def test_games_go_on_when_the_reader_of_the_log_has_gone(store: StoreServer, kind: str) -> None:
    with (
        small_pipe() as (reader, writer),
        serving(store, workers=1, log=writer, LOG=kind) as api,
    ):
        reader.close()
        play_games(api.port)
        for _ in range(MALFORMED):
            assert send_raw(api.port, b"hello\r\n\r\n").status == 400


def test_requests_are_answered_while_nobody_reads_of_the_trouble_that_they_make() -> None:
    store = StoreServer(valkey_binary())
    try:
        _make_trouble(store.start())
    finally:
        store.close()


def _make_trouble(store: StoreServer) -> None:
    with small_pipe() as (_, writer), serving(store, workers=1, log=writer) as api:
        for _ in range(10 * MALFORMED):
            assert send_raw(api.port, b"hello\r\n\r\n").status == 400
        play_games(api.port)
        store.kill()
        connection = Connection(api.port, timeout=PATIENCE)
        for _ in range(MALFORMED // 5):  # the app has a line for each, and no room either
            assert connection.request("GET", "/v1/games/none").status == 503
        connection.close()


def test_a_client_is_answered_while_nobody_reads_that_others_cannot_be_let_in(
    store: StoreServer,
) -> None:
    """What gevent has to say of that goes past the log."""
    with small_pipe() as (_, writer), serving(store, workers=1, log=writer) as api:
        for _ in range(5 * MALFORMED):  # the pipe is full
            assert send_raw(api.port, b"hello\r\n\r\n").status == 400
        for pid in api.workers_there:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, 64))
        with ExitStack() as stack:
            client = stack.enter_context(closing(Connection(api.port, timeout=PATIENCE)))
            for _ in range(100):
                asked = client.request("GET", "/livez")
                idle = socket.create_connection(("127.0.0.1", api.port), timeout=PATIENCE)
                stack.enter_context(closing(idle))
                assert asked.status == 200
            end = time.monotonic() + 4  # gevent tries again, less and less often
            for number in count():
                play_through(client, record(f"beside-those-outside-{number}"))
                if time.monotonic() > end:
                    return
