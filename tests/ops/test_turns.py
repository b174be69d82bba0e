"""A worker serves its connections in turn."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from tests.servers import serving

if TYPE_CHECKING:
    from tests.servers import StoreServer

REQUESTS = 1000
ONE = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"


def responses(received: bytes) -> int:
    return received.count(b"HTTP/1.1 200 OK")


def test_a_client_with_many_requests_does_not_delay_others(store_server: StoreServer) -> None:
    with (
        serving(store_server, workers=1) as server,
        socket.create_connection(("127.0.0.1", server.port)) as greedy,
        socket.create_connection(("127.0.0.1", server.port)) as modest,
    ):
        greedy.settimeout(10)
        greedy.sendall(ONE * REQUESTS)
        received = greedy.recv(1 << 16)
        modest.sendall(ONE)
        assert responses(modest.recv(1 << 16)) == 1
        greedy.setblocking(False)
        while True:
            try:
                received += greedy.recv(1 << 16)
            except BlockingIOError:
                break
        before = responses(received)
        greedy.settimeout(10)
        while responses(received) < REQUESTS:
            received += greedy.recv(1 << 16)
        assert before < REQUESTS / 2
