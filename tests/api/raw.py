"""Requests that no HTTP library would send: bytes to a socket, and what comes back."""

from __future__ import annotations

import http.client
import socket

from tests.servers import Reply


def send_raw(port: int, request: bytes) -> Reply:
    """Send bytes as they are, and read the answer to them."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        response = http.client.HTTPResponse(connection, method=request.partition(b" ")[0].decode())
        response.begin()
        return Reply(response.status, dict(response.headers), response.read())


def raw_request(method: str, target: str, body: bytes = b"", **headers: str) -> bytes:
    """Write a request; the names of headers have ``_`` for ``-``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {target} HTTP/1.1", "Host: test", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in named.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body
