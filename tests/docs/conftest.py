"""A server with a store of its own: the guides begin with empty boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import ApiServer


@pytest.fixture(scope="module")
def server() -> Iterator[ApiServer]:
    """The API over an empty store."""
    store = StoreServer(valkey_binary())
    try:
        with serving(store.start()) as running:
            yield running
    finally:
        store.close()
