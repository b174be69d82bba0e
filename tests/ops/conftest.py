"""A store, and an API server on it that logs as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from api.store import Store
from tests.ops.logged import LoggedServer
from tests.servers import StoreServer, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis


@pytest.fixture(scope="session")
def store_server() -> Iterator[StoreServer]:
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="session")
def server(
    store_server: StoreServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LoggedServer]:
    """gunicorn with two workers and JSON logs, which trusts one proxy."""
    environment = {
        "SCOUNDREL_REDIS_URL": store_server.url,
        "SCOUNDREL_LOG": "json",
        "SCOUNDREL_PROXY_HOPS": "1",
    }
    with LoggedServer(environment, file=tmp_path_factory.mktemp("logs") / "log") as server:
        yield server


@pytest.fixture
def redis(store_server: StoreServer) -> Iterator[Redis]:
    """A Redis client of an empty store."""
    with store_server.client as client:
        client.flushall()
        yield client


@pytest.fixture
def store(store_server: StoreServer, redis: Redis) -> Iterator[Store]:
    """The API's store object on the empty store."""
    assert redis.dbsize() == 0
    store = Store(store_server.url)
    yield store
    store.forget_connections()
