"""A proxy to the API that loses requests and responses on demand."""

from __future__ import annotations

import http.client
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

DELIVERED = "delivered"
REQUEST_LOST = "request lost"
RESPONSE_LOST = "response lost"
"""The API carries out the request, but its response is lost."""
BUSY = "busy"
"""The API carries out the request, but the proxy responds with a 503 of its own."""

ROUGH = (RESPONSE_LOST, REQUEST_LOST, BUSY, *[DELIVERED] * 9)

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


@dataclass
class SeenRequest:
    """A request of a client."""

    method: str
    path: str
    body: bytes
    key: str | None
    connection: int


class Network:
    """A proxy on a port of its own that gives each request the next outcome."""

    def __init__(self, port: int) -> None:
        self.seen: list[SeenRequest] = []
        self._outcomes: Iterator[str] = repeat(DELIVERED)
        self._api = port
        self._lock = threading.Lock()
        network = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                network.forward(self)

            def do_POST(self) -> None:
                network.forward(self)

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

    def fail(self, *outcomes: str, forever: bool = False) -> None:
        """Set the outcomes of the next requests; later ones repeat them or are delivered."""
        later = chain.from_iterable(repeat(outcomes)) if forever else repeat(DELIVERED)
        self._outcomes = chain(outcomes, later)

    def forward(self, client: BaseHTTPRequestHandler) -> None:
        """Forward one request, or fail as its outcome says."""
        body = client.rfile.read(int(client.headers.get("Content-Length", "0")))
        key = client.headers.get("Idempotency-Key")
        with self._lock:
            connection = client.client_address[1]
            self.seen.append(SeenRequest(client.command, client.path, body, key, connection))
            outcome = next(self._outcomes)
        client.close_connection = outcome != DELIVERED
        if outcome == REQUEST_LOST:
            return
        upstream = http.client.HTTPConnection("127.0.0.1", self._api, timeout=10)
        upstream.request(client.command, client.path, body, dict(client.headers))
        response = upstream.getresponse()
        status, headers, content = response.status, response.headers, response.read()
        upstream.close()
        if outcome == RESPONSE_LOST:
            return
        if outcome == BUSY:
            status, content = 503, b"<p>Come back later.</p>"
            headers = http.client.HTTPMessage()
            headers["Retry-After"] = "0"
            headers["Content-Type"] = "text/html"
        client.send_response(status)
        for name, value in headers.items():
            if name.lower() not in HOP_BY_HOP:
                client.send_header(name, value)
        if client.close_connection:
            client.send_header("Connection", "close")
        client.send_header("Content-Length", str(len(content)))
        client.end_headers()
        client.wfile.write(content)
