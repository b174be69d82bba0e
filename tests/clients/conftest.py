"""A server for the clients, and a network with faults between them."""

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
    """The URL of the API."""
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture
def network(server: ApiServer) -> Iterator[Network]:
    """A network to the API with the faults that a test sets."""
    with Network(server.port) as running:
        yield running
