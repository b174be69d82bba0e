"""Malformed HTTP gets a problem and does not affect the next request on the connection."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from tests.api.hostile import HOSTILE, Hostile, expect_refusals, length, post
from tests.api.raw import send_before_probe, send_raw

if TYPE_CHECKING:
    from redis import Redis

    from tests.servers import ApiServer


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_request_gets_its_listed_status_and_changes_nothing(
    server: ApiServer, stored: Redis, hostile: Hostile
) -> None:
    before = stored.dbsize()
    expect_refusals(send_before_probe(server.port, hostile.request, then_end=True), hostile.api)
    assert stored.dbsize() == before


def test_an_http_1_0_request_is_served_and_its_connection_closed(server: ApiServer) -> None:
    reply = send_raw(server.port, b"GET /livez HTTP/1.0\r\n\r\n")
    assert (reply.status, reply.headers["Connection"]) == (200, "close")


def test_an_incomplete_body_is_refused_even_if_it_is_valid_json(
    server: ApiServer, stored: Redis
) -> None:
    before = stored.dbsize()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(post(length(b"1000"), b"{}"))
        connection.shutdown(socket.SHUT_WR)
        response = connection.recv(65536)
    assert response.startswith(b"HTTP/1.1 400 ")
    assert stored.dbsize() == before
