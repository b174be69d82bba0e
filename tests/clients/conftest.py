"""A server for the clients, and a network between that loses what it should carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.clients.network import Network
from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import ApiServer


@pytest.fixture(scope="session")
def server() -> Iterator[ApiServer]:
    """The API."""
    store = StoreServer(valkey_binary())
    try:
        with serving(store.start()) as running:
            yield running
    finally:
        store.close()


@pytest.fixture(scope="session")
def url(server: ApiServer) -> str:
    """The API's address."""
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture
def network(server: ApiServer) -> Iterator[Network]:
    """A network to the API that does to each request what the test says."""
    with Network(server.port) as between:
        yield between
