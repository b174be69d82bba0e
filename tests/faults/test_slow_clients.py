"""Clients that send slowly or nothing at all hold connections, and nobody else's answers."""

from __future__ import annotations

import http.client
import resource
import socket
import time
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from statistics import quantiles
from typing import TYPE_CHECKING

import pytest

from tests.api.hostile import length, post
from tests.deploy.nginx import nginx_binary, proxied
from tests.playing import Connection, act, begin, record
from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

IDLE, HALF_HEADERS, HALF_BODIES = 1000, 100, 100
SECONDS = 4
"""So long others are timed."""

LIMIT = 8
"""Seconds. Nobody waits for a slow client, for whom the proxy waits 10 s."""

BODY = b'{"seed": "slowly"}'
WHOLE = post(b"Connection: close\r\n" + length(b"%d" % len(BODY)), BODY)


@pytest.fixture(autouse=True)
def _many_descriptors() -> Iterator[None]:
    """Allow the clients as many connections as they hold, and the servers theirs."""
    wanted = 2 * (IDLE + HALF_HEADERS + HALF_BODIES) + 500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"a process may have {hard} descriptors, and this takes {wanted}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(params=["the API alone", "the API behind nginx"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    """Where to ask, with workers as `make run` has them, or one on each of two servers."""
    behind = request.param.endswith("nginx")
    if behind and nginx_binary() is None:
        pytest.skip("no nginx: scripts/apt-packages.sh installs it on Debian as root")
    with ExitStack() as stack:
        store = StoreServer(valkey_binary())
        stack.callback(store.close)
        store.start()
        if behind:
            apis = [
                stack.enter_context(serving(store, workers=1, proxy_hops="1")) for _ in range(2)
            ]
            yield stack.enter_context(proxied([api.port for api in apis])).port
        else:
            yield stack.enter_context(serving(store, workers=2)).port


@contextmanager
def slow_clients(port: int) -> Iterator[list[socket.socket]]:
    """Hold all connections at once; the last of them have sent half of a body."""
    beginnings = [b""] * IDLE + [WHOLE[:20]] * HALF_HEADERS + [WHOLE[:-5]] * HALF_BODIES
    with ExitStack() as stack:
        held = []
        for beginning in beginnings:
            client = socket.create_connection(("127.0.0.1", port), timeout=10)
            held.append(stack.enter_context(closing(client)))
            client.sendall(beginning)
        yield held


def timed(port: int, seconds: float = SECONDS) -> list[float]:
    """Play for some seconds; return how long each request took."""
    connection = Connection(port)
    taken = []
    end = time.monotonic() + seconds

    def clock(status: int, began: float) -> None:
        taken.append(time.monotonic() - began)
        assert status == http.client.OK

    try:
        for number in count():
            game = record(f"beside-slow-clients-{number}")
            game_id, _ = begin(connection, game)
            for version, action in enumerate(game.actions):
                began = time.monotonic()
                clock(act(connection, game_id, version, action).status, began)
                began = time.monotonic()
                clock(connection.request("GET", f"/v1/games/{game_id}").status, began)
                if time.monotonic() > end:
                    return taken
    finally:
        connection.close()
    raise AssertionError


def p99(taken: list[float]) -> float:
    return quantiles(taken, n=100)[-1]


def still_open(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True
    finally:
        client.settimeout(10)


def finished(client: socket.socket, rest: bytes) -> bytes:
    """Send the rest of a request; return the first line of the answer."""
    client.sendall(rest)
    with client.makefile("rb") as answer:
        return answer.readline()


def test_slow_clients_slow_nobody_down_and_are_answered_in_the_end(
    port: int, request: pytest.FixtureRequest
) -> None:
    timed(port, seconds=1)  # everything is warm
    quiet = timed(port)
    with slow_clients(port) as held:
        beside = timed(port)
        assert sum(map(still_open, held)) == len(held)
        assert b" 201 " in finished(held[IDLE], WHOLE[20:])
        assert b" 201 " in finished(held[-1], WHOLE[-5:])
        assert b" 201 " in finished(held[0], WHOLE)
    print(  # noqa: T201  # the figures that are asked for
        f"{request.node.callspec.id}: p99 {p99(quiet) * 1000:.1f} ms of {len(quiet)} requests, "
        f"beside {len(held)} slow clients {p99(beside) * 1000:.1f} ms of {len(beside)}"
    )
    assert max(beside) < LIMIT
