"""What tests share that break one thing by hand: a store of their module's own, and its link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.servers import StoreServer, valkey_binary
from tests.store.link import linked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.store.link import Link


@pytest.fixture(scope="module")
def store() -> Iterator[StoreServer]:
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="module")
def link(store: StoreServer) -> Iterator[Link]:
    """A way to the store that breaks where a test wants it to."""
    with linked(store) as link:
        yield link
