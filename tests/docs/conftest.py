"""A server with its own empty store, because the guides start with empty boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import ApiServer


@pytest.fixture(scope="module")
def server() -> Iterator[ApiServer]:
    """An API server with an empty store."""
    store = StoreServer(valkey_binary())
    try:
        with serving(store.start()) as running:
            yield running
    finally:
        store.close()
