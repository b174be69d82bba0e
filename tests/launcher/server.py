"""A launcher under test, and its processes."""

import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from redis import Redis

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0


def eventually(condition: Callable[[], object], within: float = PATIENCE) -> bool:
    """Whether ``condition`` becomes true in time."""
    end = time.monotonic() + within
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Server:
    """``python -m api.server`` on any free port, unless the environment says otherwise."""

    def __init__(self, directory: Path, runtime: Path, **environment: str) -> None:
        directory.mkdir(exist_ok=True)
        self.data = directory / "games"
        self._mark = f"LAUNCHED={uuid.uuid4().hex}"
        self._log = directory / f"{self._mark[-8:]}.log"
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SCOUNDREL_")}
        name, value = self._mark.split("=")
        settings = {
            "SCOUNDREL_DATA": str(self.data),
            "SCOUNDREL_PORT": "0",
            "WEB_CONCURRENCY": "1",
            "XDG_RUNTIME_DIR": str(runtime),
            name: value,
        }
        with self._log.open("wb") as log:
            self.launcher = subprocess.Popen(
                [sys.executable, "-m", "api.server"],
                cwd=ROOT,
                env=inherited | settings | environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        """The output so far."""
        return self._log.read_text()

    @property
    def port(self) -> int:
        """The port in the printed address."""
        assert eventually(lambda: self._address() or self.launcher.poll() is not None), self.output
        address = self._address()
        assert address, self.output
        return int(address[1])

    def ready(self) -> "Server":
        """Wait until the address is printed."""
        assert self.port
        return self

    def get(self, path: str) -> int:
        """Return the status of the response; 0 without a response."""
        client = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            client.request("GET", path, headers={"Connection": "close"})
            return client.getresponse().status
        except (OSError, HTTPException):
            return 0
        finally:
            client.close()

    @contextmanager
    def store(self) -> Iterator[Redis]:
        """A client of the embedded store."""
        with Redis(unix_socket_path=self._socket(), decode_responses=True) as client:
            yield client

    def store_process(self) -> int:
        """The process id of the embedded store."""
        with self.store() as client:
            return int(client.info("server")["process_id"])

    def web_process(self) -> int:
        """The process id of gunicorn's master."""
        (master,) = [process for process in self._children() if process != self.store_process()]
        return master

    def processes(self) -> list[int]:
        """Return the launcher and its living descendants."""
        return [
            int(path.name)
            for path in Path("/proc").glob("[0-9]*")
            if self._mark.encode() in _read(path / "environ").split(b"\0")
            # The store overwrites its environment by its title; find it by its directory.
            or _target(path / "cwd") == self.data
        ]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal to the launcher and return its exit status."""
        self.launcher.send_signal(number)
        return self.launcher.wait(PATIENCE)

    def status(self) -> int:
        """Wait until the launcher ends by itself; return its exit status."""
        return self.launcher.wait(PATIENCE)

    def clear(self) -> None:
        """Kill all remaining processes."""
        with suppress(ProcessLookupError):
            self.launcher.kill()
        self.launcher.wait()
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def _address(self) -> re.Match[str] | None:
        return re.search(r"ready: +http://127\.0\.0\.1:([0-9]+)\n", self.output)

    def _socket(self) -> str:
        name = b"SCOUNDREL_REDIS_URL=unix://"
        (path,) = {
            os.fsdecode(variable.removeprefix(name))
            for process in self._children()
            for variable in _read(Path(f"/proc/{process}/environ")).split(b"\0")
            if variable.startswith(name)
        }
        return path

    def _children(self) -> list[int]:
        path = Path(f"/proc/{self.launcher.pid}/task/{self.launcher.pid}/children")
        return [int(word) for word in path.read_text().split()]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended
        return b""


def _target(path: Path) -> Path | None:
    try:
        return path.readlink()
    except OSError:  # it has ended
        return None
