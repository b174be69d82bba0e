"""Workers that run out of descriptors answer as documented or not at all, and recover."""

from __future__ import annotations

import http.client
import resource
import socket
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING

import pytest

from tests.faults.invariants import DOCUMENT
from tests.playing import Connection, play_through, record
from tests.servers import StoreServer, serving, valkey_binary, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import ApiServer

pytestmark = pytest.mark.slow

DESCRIPTORS = 64
CLIENTS = 20
IDLE = 150

ASKED = [
    ("POST", "/v1/games", {}),
    ("GET", "/v1/games/0123456789abcdefghijkl", None),
    ("GET", "/v1/ledger", None),
    ("POST", "/v1/games/0123456789abcdefghijkl/actions", {"version": 0, "actions": ["avoid"]}),
    ("POST", "/v1/replays", {"notation": "original/s/a"}),
    ("GET", "/v1/rulesets", None),
    ("GET", "/openapi.json", None),
    ("GET", "/livez", None),
    ("GET", "/readyz", None),
]


@pytest.fixture
def store() -> Iterator[StoreServer]:
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture
def api(store: StoreServer) -> Iterator[ApiServer]:
    """Two workers that may have 64 descriptors each."""
    with serving(store) as api:
        for pid in api.workers_there:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        yield api


def test_without_descriptors_answers_are_documented_and_afterwards_all_is_well(
    api: ApiServer, store: StoreServer
) -> None:
    seen = set()
    with ExitStack() as stack:
        clients = [
            stack.enter_context(closing(Connection(api.port, timeout=20))) for _ in range(CLIENTS)
        ]
        for client in clients:  # they are let in
            assert client.request("GET", "/livez").status == 200
        for _ in range(IDLE):  # and then nobody else
            idle = socket.create_connection(("127.0.0.1", api.port), timeout=5)
            stack.enter_context(closing(idle))
        late = Connection(api.port, timeout=2)
        with suppress(OSError, http.client.HTTPException), closing(late):
            late.request("GET", "/livez")
            raise AssertionError("there was room for one more: nothing is tried here")
        store.kill()
        store.start()  # the workers want new connections to it, and get none
        for client in clients:
            for method, path, body in ASKED:
                reply = client.request(method, path, body)
                DOCUMENT.check(method, path, reply)
                seen.add(reply.status)
    assert seen >= {200}
    assert 500 not in seen
    wait_until(lambda: recovered(api))
    play_through(api, record("with-descriptors-again"))


def recovered(api: ApiServer) -> bool:
    with suppress(OSError):
        return api.get("/readyz").status == 200
    return False
