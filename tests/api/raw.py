"""Requests that no HTTP library would send: bytes to a socket, and what comes back."""

from __future__ import annotations

import http.client
import io
import socket
from contextlib import suppress

from tests.servers import Reply

PROBE = "probe"
"""The X-Request-ID of a request that follows a hostile one on its connection."""


def send_raw(port: int, request: bytes) -> Reply:
    """Send bytes as they are, and read the answer to them."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        response = http.client.HTTPResponse(connection, method=request.partition(b" ")[0].decode())
        response.begin()
        return Reply(response.status, dict(response.headers), response.read())


def send_before_probe(port: int, request: bytes, *, then_end: bool) -> list[Reply]:
    """Send bytes and behind them, on the same connection, a sound request; read all answers.

    ``then_end`` says at once that nothing more will come.
    """
    probe = raw_request("GET", "/livez", X_Request_ID=PROBE)
    received = b""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=20) as connection,
        suppress(ConnectionError),  # closed before all was taken
    ):
        connection.sendall(request + probe)
        if then_end:
            connection.shutdown(socket.SHUT_WR)
        while chunk := connection.recv(65536):
            received += chunk
    stream = _Received(received)
    replies = []
    while stream.tell() < len(received):
        response = http.client.HTTPResponse(stream)  # type: ignore[arg-type]  # as much as it needs
        response.begin()
        replies.append(Reply(response.status, dict(response.headers), response.read()))
    return replies


class _Received(io.BytesIO):
    """Several answers, read one after the other."""

    def makefile(self, _mode: str) -> _Received:
        return self

    def close(self) -> None:
        """Stay open when an answer has ended."""


def raw_request(method: str, target: str, body: bytes = b"", **headers: str) -> bytes:
    """Write a request; the names of headers have ``_`` for ``-``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {target} HTTP/1.1", "Host: test", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in named.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body
