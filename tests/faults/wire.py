"""A wire that can be cut: a TCP port in front of a server, which resets connections on demand."""

from __future__ import annotations

import socket
import struct
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""SO_LINGER for no time: what is not sent yet is thrown away, and the peer is sent a reset."""


class Wire:
    """Carries bytes both ways; while it is being cut, connections break in the midst of some."""

    def __init__(self, connect: Callable[[], socket.socket]) -> None:
        self.cuts = 0
        self._connect = connect
        self._random: Random | None = None
        self._share = 0.0
        self._answers_left: int | None = None
        self._lock = Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    @contextmanager
    def cutting(self, random: Random, share: float = 0.1) -> Iterator[None]:
        """Cut a share of what passes after some bytes of it, in either direction."""
        self._random, self._share = random, share
        try:
            yield
        finally:
            self._random = None

    def cut_answers_after(self, count: int) -> None:
        """Let so many more bytes come from the server, and cut once at the next."""
        with self._lock:
            self._answers_left = count

    def serve(self) -> None:
        """Carry until it is closed."""
        with suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                self._carry(client)

    def close(self) -> None:
        """Listen no more."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _carry(self, client: socket.socket) -> None:
        try:
            server = self._connect()
        except OSError:
            _reset(client)
            return
        for end in (client, server):
            if end.family == socket.AF_INET:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        cut = Event()
        for source, target, allow in (
            (client, server, self._allowed),
            (server, client, self._allowed_of_answers),
        ):
            Thread(target=self._pump, args=(source, target, allow, cut), daemon=True).start()

    @staticmethod
    def _pump(
        source: socket.socket,
        target: socket.socket,
        allow: Callable[[int], int],
        cut: Event,
    ) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                allowed = allow(len(data))
                target.sendall(data[:allowed])
                if allowed < len(data):
                    cut.set()
                    _reset(source)
                    _reset(target)
        if cut.is_set():
            return
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _allowed(self, count: int) -> int:
        """Return how many of so many bytes may pass."""
        with self._lock:
            random = self._random
            if random is None or random.random() >= self._share:
                return count
            self.cuts += 1
            return random.randrange(count)

    def _allowed_of_answers(self, count: int) -> int:
        with self._lock:
            left = self._answers_left
            if left is not None and count > left:
                self._answers_left = None
                self.cuts += 1
                return left
            if left is not None:
                self._answers_left = left - count
        return self._allowed(count)


def _reset(end: socket.socket) -> None:
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
    # A thread that waits for data would keep the socket open.
    with suppress(OSError):
        end.shutdown(socket.SHUT_RD)
    end.close()


@contextmanager
def wired(connect: Callable[[], socket.socket]) -> Iterator[Wire]:
    """Serve a wire to whatever ``connect`` leads to."""
    wire = Wire(connect)
    thread = Thread(target=wire.serve)
    thread.start()
    try:
        yield wire
    finally:
        wire.close()
        thread.join()


def to_path(path: str) -> socket.socket:
    """Connect to a unix socket."""
    end = socket.socket(socket.AF_UNIX)
    try:
        end.connect(path)
    except OSError:
        end.close()
        raise
    return end
