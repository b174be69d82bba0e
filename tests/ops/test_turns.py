"""A worker serves its connections in turn."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

from tests.servers import serving

if TYPE_CHECKING:
    from tests.servers import StoreServer

REQUESTS = 1000
ONE = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
FIGURES = ONE.replace(b"/livez", b"/metrics")
COUNTED = rb'requests_total\{method="GET",route="/livez",status="200"\} (\d+)'


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
        modest.settimeout(10)
        modest.sendall(FIGURES)
        figures = b""
        while (counted := re.search(COUNTED, figures)) is None:
            figures += modest.recv(1 << 16)
        while responses(received) < REQUESTS:
            received += greedy.recv(1 << 16)
        # So many had been served, by the server's own count, when the other one was.
        assert int(counted[1]) < REQUESTS / 2
