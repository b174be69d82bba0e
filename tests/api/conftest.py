"""One store and one API for all tests here: a real Valkey, and gunicorn with two workers."""

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
    """A store that all tests share: each looks at its own games."""
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="session")
def stored(store_server: StoreServer) -> Iterator[Redis]:
    """What lies in the store, seen from behind the API."""
    with store_server.client as client:
        yield client


@pytest.fixture(scope="session")
def server(store_server: StoreServer) -> Iterator[ApiServer]:
    """The API, unchecked: for raw connections and for many requests at once."""
    with serving(store_server) as running:
        yield running


@pytest.fixture(scope="session")
def document() -> Document:
    """The OpenAPI document, as the API serves it."""
    app = create_app({"REDIS_URL": "redis://nowhere:1"})  # it asks no store
    served: dict[str, Any] = app.test_client().get("/openapi.json").json or {}
    return Document(served)


@pytest.fixture(scope="session")
def api(server: ApiServer, document: Document) -> Api:
    """The API. A reply that is not documented fails the test."""
    return Api(server, document)
