"""Fixtures shared by all API tests: a real Valkey, and gunicorn with two workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from api import create_app
from tests.api.client import Api
from tests.api.documented import Document
from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redis import Redis

    from tests.servers import ApiServer


@pytest.fixture(scope="session")
def store_server() -> Iterator[StoreServer]:
    """A store shared by all tests; each test uses its own games."""
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="session")
def stored(store_server: StoreServer) -> Iterator[Redis]:
    """A direct client of the shared store."""
    with store_server.client as client:
        yield client


@pytest.fixture(scope="session")
def server(store_server: StoreServer) -> Iterator[ApiServer]:
    """The API without response checks, for raw connections and concurrent requests."""
    with serving(store_server) as running:
        yield running


@pytest.fixture(scope="session")
def document() -> Document:
    """The OpenAPI document that the API serves."""
    app = create_app({"REDIS_URL": "redis://nowhere:1"})  # never contacted
    served: dict[str, Any] = app.test_client().get("/openapi.json").json or {}
    return Document(served)


@pytest.fixture(scope="session")
def api(server: ApiServer, document: Document) -> Api:
    """The API. An undocumented response fails the test."""
    return Api(server, document)
