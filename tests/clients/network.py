"""A network that carries requests to the API, loses some, and loses the answers of others."""

from __future__ import annotations

import http.client
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

CARRIED = "carried"
LOST = "lost"
"""The request never arrives."""
UNANSWERED = "unanswered"
"""The request arrives, and its answer does not."""
BUSY = "busy"
"""The request arrives, and the answer is a 503 of the network's own."""

ROUGH = (UNANSWERED, LOST, BUSY, *[CARRIED] * 9)

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


@dataclass
class Seen:
    """A request that a client sent."""

    method: str
    path: str
    body: bytes
    key: str | None
    connection: int


class Network:
    """Listens on a port of its own; what becomes of each request, ``fates`` say in turn."""

    def __init__(self, port: int) -> None:
        self.seen: list[Seen] = []
        self._fates: Iterator[str] = repeat(CARRIED)
        self._api = port
        self._lock = threading.Lock()
        network = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                network.carry(self)

            def do_POST(self) -> None:
                network.carry(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def fail(self, *fates: str, over_and_over: bool = False) -> None:
        """Say what becomes of the next requests; those behind them are carried."""
        over = chain.from_iterable(repeat(fates)) if over_and_over else repeat(CARRIED)
        self._fates = chain(fates, over)

    def carry(self, client: BaseHTTPRequestHandler) -> None:
        """Do to one request what its fate is."""
        body = client.rfile.read(int(client.headers.get("Content-Length", "0")))
        key = client.headers.get("Idempotency-Key")
        with self._lock:
            connection = client.client_address[1]
            self.seen.append(Seen(client.command, client.path, body, key, connection))
            fate = next(self._fates)
        client.close_connection = fate != CARRIED
        if fate == LOST:
            return
        upstream = http.client.HTTPConnection("127.0.0.1", self._api, timeout=10)
        upstream.request(client.command, client.path, body, dict(client.headers))
        response = upstream.getresponse()
        status, headers, answer = response.status, response.headers, response.read()
        upstream.close()
        if fate == UNANSWERED:
            return
        if fate == BUSY:
            status, answer = 503, b"<p>Come back later.</p>"
            headers = http.client.HTTPMessage()
            headers["Retry-After"] = "0"
            headers["Content-Type"] = "text/html"
        client.send_response(status)
        for name, value in headers.items():
            if name.lower() not in HOP_BY_HOP:
                client.send_header(name, value)
        if client.close_connection:
            client.send_header("Connection", "close")
        client.send_header("Content-Length", str(len(answer)))
        client.end_headers()
        client.wfile.write(answer)
