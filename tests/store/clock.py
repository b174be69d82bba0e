"""A store whose clock a test sets: libfaketime tells it the time."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.servers import StoreServer, valkey_binary, wait_until
from tests.store.play import clock

if TYPE_CHECKING:
    from collections.abc import Iterator


def faketime_library() -> Path | None:
    """Return libfaketime's path, None if it is not installed."""
    return next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)


class Clocked:
    """A Valkey and its clock. Debian's Redis does not start under libfaketime."""

    def __init__(self, directory: Path) -> None:
        self._offset = directory / "offset"
        self._set(0)
        self.server = StoreServer(
            valkey_binary(),
            environment={
                "LD_PRELOAD": str(faketime_library()),
                "FAKETIME_TIMESTAMP_FILE": str(self._offset),
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            },
        )

    def pass_to(self, seconds: int) -> None:
        """Set the clock to so many seconds after it began, and wait until the store knows."""
        self._set(seconds)
        with self.server.client as client:
            wait_until(lambda: clock(client) / 1000 - time.time() > seconds - 1)

    def _set(self, seconds: int) -> None:
        # At once, for the store may read it at any moment.
        written = self._offset.with_suffix(".new")
        written.write_text(f"+{seconds}\n")
        written.replace(self._offset)


@contextmanager
def clocked() -> Iterator[Clocked]:
    """Run a store with a clock of its own."""
    with TemporaryDirectory(prefix="scoundrel-clock-") as directory:
        store = Clocked(Path(directory))
        try:
            store.server.start()
            yield store
        finally:
            store.server.close()
