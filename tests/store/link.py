"""A proxy in front of a store that drops connections at chosen commands."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from enum import Enum, auto
from socketserver import StreamRequestHandler, ThreadingMixIn, UnixStreamServer
from threading import Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedIOBase

    from tests.servers import StoreServer


class Fate(Enum):
    """How the proxy handles a command."""

    ANSWERED = auto()
    CARRIED_OUT = auto()  # executed, then the connection is closed without a reply
    LOST = auto()  # not forwarded, and the connection is closed


class Link:
    """A socket in front of a store; ``fate`` maps a command's number, from 0, to its fate.

    Commands that set up a connection are always answered and not counted.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.commands: list[str] = []
        self.fate: Callable[[int], Fate] = lambda _number: Fate.ANSWERED
        self.withheld: Callable[[], None] = lambda: None
        """Called after a command is carried out, before the connection is closed."""
        self._lock = Lock()

    def judge(self, command: str) -> Fate:
        """Count a command and return its fate."""
        if command in {"CLIENT", "HELLO", "SELECT"}:
            return Fate.ANSWERED
        with self._lock:
            self.commands.append(command)
            return self.fate(len(self.commands) - 1)

    def begin_again(self, fate: Callable[[int], Fate]) -> None:
        """Count from 0 again, and use ``fate`` from now on."""
        self.commands.clear()
        self.fate = fate


@contextmanager
def linked(server: StoreServer) -> Iterator[Link]:
    """Run a proxy in front of a store."""
    path = server.directory / "link.sock"
    link = Link(f"unix://{path}")

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            with socket.socket(socket.AF_UNIX) as upstream:
                upstream.connect(str(server.directory / "store.sock"))
                with upstream.makefile("rb") as replies:
                    while command := _value(self.rfile):
                        fate = link.judge(command.split(b"\r\n")[2].decode().upper())
                        if fate is Fate.LOST:
                            return
                        upstream.sendall(command)
                        reply = _value(replies)
                        if fate is Fate.CARRIED_OUT:
                            link.withheld()
                            return
                        self.wfile.write(reply)

    class Listener(ThreadingMixIn, UnixStreamServer):
        daemon_threads = True

    with Listener(str(path), Handler) as listener:
        thread = Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield link
        finally:
            listener.shutdown()
            thread.join()
            path.unlink()


def _value(stream: BufferedIOBase) -> bytes:
    """Return the bytes of one RESP value, empty at the end of the stream."""
    line = stream.readline()
    kind, rest = line[:1], line[1:].strip()
    if kind == b"$" and rest != b"-1":
        return line + stream.read(int(rest) + 2)
    if kind == b"*" and rest != b"-1":
        return line + b"".join(_value(stream) for _ in range(int(rest)))
    return line
