"""Raw requests over a socket, for bytes that no HTTP library sends."""

from __future__ import annotations

import http.client
import io
import socket
from contextlib import suppress

from tests.servers import Reply

PROBE = "probe"
"""X-Request-ID of the request that follows a hostile one on the same connection."""


def send_raw(port: int, request: bytes) -> Reply:
    """Send bytes unchanged and read the response."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        response = http.client.HTTPResponse(connection, method=request.partition(b" ")[0].decode())
        response.begin()
        return Reply(response.status, dict(response.headers), response.read())


def send_before_probe(port: int, request: bytes, *, then_end: bool) -> list[Reply]:
    """Send bytes and a valid request on the same connection, and read all responses.

    ``then_end`` closes the sending side right after that.
    """
    probe = raw_request("GET", "/livez", X_Request_ID=PROBE)
    received = b""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=20) as connection,
        suppress(ConnectionError),  # closed before everything was sent
    ):
        connection.sendall(request + probe)
        if then_end:
            connection.shutdown(socket.SHUT_WR)
        while chunk := connection.recv(65536):
            received += chunk
    stream = _Received(received)
    replies = []
    while stream.tell() < len(received):
        response = http.client.HTTPResponse(stream)  # type: ignore[arg-type]  # only makefile() is used
        response.begin()
        replies.append(Reply(response.status, dict(response.headers), response.read()))
    return replies


class _Received(io.BytesIO):
    """Several responses to read one after another."""

    def makefile(self, _mode: str) -> _Received:
        return self

    def close(self) -> None:
        """Stay open after the end of a response."""


def raw_request(method: str, target: str, body: bytes = b"", **headers: str) -> bytes:
    """Build a request; ``_`` in the names of headers stands for ``-``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {target} HTTP/1.1", "Host: test", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in named.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body
