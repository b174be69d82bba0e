"""Fixtures for real stores; every test that uses one runs on Valkey and on Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from api.store import Store
from tests.servers import StoreServer, redis_binary, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis


@pytest.fixture(scope="session", params=["valkey", "redis"])
def binary(request: pytest.FixtureRequest) -> str:
    """The server binary: the embedded Valkey, or the system's Redis if installed."""
    if request.param == "valkey":
        return valkey_binary()
    path = redis_binary()
    if path is None:
        pytest.skip("no redis-server on the PATH")
    return path


@pytest.fixture(scope="session")
def shared_server(binary: str) -> Iterator[StoreServer]:
    with StoreServer(binary) as server:
        yield server


@pytest.fixture
def server(shared_server: StoreServer) -> StoreServer:
    """An empty store, shared with other tests; do not stop or configure it."""
    with shared_server.client as client:
        client.flushall()
    return shared_server


@pytest.fixture
def own_server(binary: str) -> Iterator[StoreServer]:
    """A store for one test, which may kill or reconfigure it; it syncs before it replies.

    With a sync every second, acknowledged writes may still be in memory when the store is killed.
    """
    with StoreServer(binary, "--appendfsync", "always") as server:
        yield server


@pytest.fixture
def redis(server: StoreServer) -> Iterator[Redis]:
    """A client that reads the store directly."""
    with server.client as client:
        yield client


@pytest.fixture
def store(server: StoreServer) -> Iterator[Store]:
    store = Store(server.url)
    yield store
    store.forget_connections()
