"""A clock that is wrong, by as much as a test says, for the processes that live by it."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def faketime_library() -> Path | None:
    """Return libfaketime's path, None if it is not installed."""
    return next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


class Clock:
    """The time of day of processes that are started in its environment; others are not touched."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.set(0)

    def set(self, seconds: int) -> None:
        """Be wrong by so many seconds from now on."""
        # At once, for a process may read it at any moment.
        written = self._path.with_suffix(".new")
        written.write_text(f"{seconds:+}\n")
        written.replace(self._path)

    @property
    def environment(self) -> dict[str, str]:
        """What a process is to be started with whose clock is wrong from then on."""
        return {
            "LD_PRELOAD": str(faketime_library()),
            "FAKETIME_TIMESTAMP_FILE": str(self._path),
            "FAKETIME_NO_CACHE": "1",
            "NO_FAKE_STAT": "1",
        }

    @property
    def jumping_environment(self) -> dict[str, str]:
        """What a process is to be started with whose clock is set while it runs.

        The monotonic clock, by which it waits, does not jump. (Python cannot be told that: it
        would not sleep any more.)
        """
        return {**self.environment, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


@contextmanager
def wrong_clock() -> Iterator[Clock]:
    """Make a clock, which is right at first."""
    with tempfile.TemporaryDirectory(prefix="scoundrel-clock-") as directory:
        yield Clock(Path(directory) / "offset")
