"""TCP ports for servers under test.

They lie below the kernel's ephemeral range, so no outgoing connection takes one, and each is locked
until the process ends, so tests that run side by side never choose the same one.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import tempfile
import time
from functools import cache
from itertools import chain
from pathlib import Path
from random import SystemRandom

LOWEST = 10_000
EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
FALLBACK = 32_000
"""The highest port where the system does not tell its ephemeral range."""

ATTEMPTS = 40
PAUSE = 0.25

_chosen: set[int] = set()


def free_port(bus: int = 0) -> int:
    """Return a port that nothing listens on, and that no other test gets.

    With ``bus``, the port that lies this many above is reserved too.
    """
    ports = range(LOWEST, _highest() + 1 - bus)
    first = SystemRandom().choice(ports)
    for port in chain(range(first, ports.stop), range(LOWEST, first)):
        if all(map(_reserve, {port, port + bus})):
            return port
    raise AssertionError(f"no port from {LOWEST} to {_highest()} is free")


def listening(port: int = 0) -> socket.socket:
    """Return a socket that listens on ``port``, on a free one if it is 0, for a server to inherit.

    So the port cannot be lost between being chosen and being served. A given one may still be held
    for a moment by a server that was just killed.
    """
    for _ in range(ATTEMPTS):
        try:
            return socket.create_server(("127.0.0.1", port or free_port()), backlog=2048)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            time.sleep(PAUSE)
    raise AssertionError(
        f"port {port} stays taken" if port else "every free port was taken at once"
    )


def _reserve(port: int) -> bool:
    """Lock a port for this process; false if it is taken."""
    if port in _chosen:
        return False
    try:
        # One byte of the file for each port. The kernel unlocks it when the process ends.
        fcntl.lockf(_locks(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    _chosen.add(port)
    with socket.socket() as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def _highest() -> int:
    try:
        first = int(EPHEMERAL.read_text().split()[0])
    except OSError:
        return FALLBACK
    return first - 1 if first > LOWEST + 10_000 else FALLBACK


@cache
def _locks() -> int:
    path = Path(tempfile.gettempdir()) / f"scoundrel-test-ports-{os.getuid()}"
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
