"""Real stores: every test that asks for one runs on Valkey and on Redis."""

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
    """The program that serves: the embedded Valkey, and the system's Redis if it has one."""
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
    """A store that is empty, and shared with other tests: leave it running as it is."""
    with shared_server.client as client:
        client.flushall()
    return shared_server


@pytest.fixture
def own_server(binary: str) -> Iterator[StoreServer]:
    """A store of the test's own, to be killed and ill-treated; it writes before it answers.

    While a sync is under way, one that syncs every second keeps what it has answered in memory.
    """
    with StoreServer(binary, "--appendfsync", "always") as server:
        yield server


@pytest.fixture
def redis(server: StoreServer) -> Iterator[Redis]:
    """A client to look behind the store."""
    with server.client as client:
        yield client


@pytest.fixture
def store(server: StoreServer) -> Iterator[Store]:
    store = Store(server.url)
    yield store
    store.forget_connections()
