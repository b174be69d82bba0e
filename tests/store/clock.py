"""A store whose clock a test sets with libfaketime."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.clock import wrong_clock
from tests.servers import StoreServer, valkey_binary, wait_until
from tests.store.play import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.clock import Clock


class FakeClockStore:
    """A Valkey server with a fake clock. Debian's Redis does not start under libfaketime."""

    def __init__(self, wrong: Clock) -> None:
        self._wrong = wrong
        self.server = StoreServer(valkey_binary(), environment=wrong.jumping_environment)

    def advance_to(self, seconds: int) -> None:
        """Set the clock to ``seconds`` after the start, and wait until the store sees it."""
        self._wrong.set(seconds)
        with self.server.client as client:
            wait_until(lambda: clock(client) / 1000 - time.time() > seconds - 1)


@contextmanager
def fake_clock_store() -> Iterator[FakeClockStore]:
    """Run a store with a fake clock."""
    with wrong_clock() as wrong:
        store = FakeClockStore(wrong)
        try:
            store.server.start()
            yield store
        finally:
            store.server.close()
