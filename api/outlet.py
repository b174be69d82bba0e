"""Where log lines go out: never waiting for whoever should read them.

A pipe that nobody reads would stop a worker, and with it all whom it serves. What finds no room is
dropped instead, and how much that was is told as soon as there is room again.

Loaded by its path for gunicorn's configuration, like :mod:`api.jsonlines`.
"""

import os
import select
from collections.abc import Callable

from gevent.monkey import get_original

# A pipe that is ready has a free page, and takes so much of it at once or not at all.
_PIECE = select.PIPE_BUF


class Outlet:
    """A stream for lines, on a descriptor of which others may have copies: its mode stays."""

    def __init__(
        self, descriptor: int, told: Callable[[int], str] = "{} lines were dropped".format
    ) -> None:
        """Write to ``descriptor``; ``told`` words that so many lines were dropped."""
        self._descriptor = descriptor
        self._told = told
        self._dropped = 0
        self._cut = False
        self._poll = get_original("select", "poll")()  # gevent's lets others run, who write too
        self._poll.register(descriptor, select.POLLOUT)

    def write(self, lines: str) -> None:
        """Write whole lines, or drop them."""
        if self._dropped and self._sent(self._told(self._dropped) + "\n"):
            self._dropped = 0
        if self._dropped or not self._sent(lines):
            self._dropped += 1

    def flush(self) -> None:
        """Do nothing: nothing is kept back."""

    def _sent(self, lines: str) -> bool:
        data = ("\n" + lines if self._cut else lines).encode()
        for start in range(0, len(data), _PIECE):
            try:
                if not self._poll.poll(0):
                    return False
                os.write(self._descriptor, data[start : start + _PIECE])
            except OSError:  # the reader has gone
                return False
            self._cut = start + _PIECE < len(data)
        return True
