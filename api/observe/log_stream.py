"""A stream for log lines that never blocks.

A full pipe would stop a worker, and with it every client that it serves. Lines that do not fit are
dropped, and counted in the next line that does.
"""

import os
import select
from collections.abc import Callable

from gevent.monkey import get_original

# A pipe that is ready for writing takes at least this much, all at once.
_PIECE = select.PIPE_BUF


class LogStream:
    """Writes lines to a file descriptor, which may be shared, so it stays in blocking mode."""

    def __init__(
        self, descriptor: int, notice: Callable[[int], str] = "{} lines were dropped".format
    ) -> None:
        """Write to ``descriptor``; ``notice`` returns the line about dropped lines."""
        self._descriptor = descriptor
        self._notice = notice
        self._dropped = 0
        self._incomplete = False
        # gevent's poll would switch to other greenlets, which write here too.
        self._poll = get_original("select", "poll")()
        self._poll.register(descriptor, select.POLLOUT)

    def write(self, lines: str) -> None:
        """Write whole lines, or drop them."""
        if self._dropped and self._sent(self._notice(self._dropped) + "\n"):
            self._dropped = 0
        if self._dropped or not self._sent(lines):
            self._dropped += 1

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def _sent(self, lines: str) -> bool:
        data = ("\n" + lines if self._incomplete else lines).encode()
        for start in range(0, len(data), _PIECE):
            try:
                if not self._poll.poll(0):
                    return False
                os.write(self._descriptor, data[start : start + _PIECE])
            except OSError:  # the reader is gone
                return False
            self._incomplete = start + _PIECE < len(data)
        return True
