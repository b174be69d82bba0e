"""A clock that is wrong, by as much as a test says, for the processes that live by it."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def faketime_library() -> str | None:
    """Return what to preload, as ld.so names it; None if faketime is not installed."""
    try:
        told = subprocess.run(
            ["faketime", "-m", "-f", "+0", "printenv", "LD_PRELOAD"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return told.stdout.strip()


class Clock:
    """The time of day of processes that are started in its environment; others are not touched."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.set(0)

    def set(self, days: int) -> None:
        """Be wrong by so many days from now on."""
        new = self._path.with_suffix(".new")
        new.write_text(f"{days:+}d")
        new.replace(self._path)

    @property
    def environment(self) -> dict[str, str]:
        """What a process is to be started with whose clock is wrong from then on."""
        return {
            "LD_PRELOAD": faketime_library() or "",
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
def clock() -> Iterator[Clock]:
    """Make a clock, which is right at first."""
    with tempfile.TemporaryDirectory(prefix="scoundrel-clock-") as directory:
        yield Clock(Path(directory) / "offset")
