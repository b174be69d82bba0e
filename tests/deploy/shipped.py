"""Debian's redis-server with the shipped configuration."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Self

from redis import Redis
from redis.exceptions import RedisError

from tests.ports import free_port
from tests.servers import ROOT, START_SECONDS, Server, redis_binary, wait_until

SHIPPED = ROOT / "deploy"


class RedisServer(Server):
    """A store with the shipped configuration, on its own port and directory."""

    def __init__(
        self,
        conf: Path = SHIPPED / "redis.conf",
        *options: str,
        user: int | None = None,
        bus: int = 0,
    ) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="scoundrel-redis-"))
        self._options = options
        self._user = user
        if user is not None:
            os.chown(self.directory, user, user)
        self.port = free_port(bus)
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._conf = conf
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start it with its existing data, and wait until it responds."""
        self.process = subprocess.Popen(
            [
                *(redis_binary() or "redis-server", str(self._conf)),
                *("--port", str(self.port), "--dir", str(self.directory), *self._options),
            ],
            cwd=self._conf.parent,
            stdout=subprocess.DEVNULL,
            user=self._user,
            group=self._user,
            extra_groups=None if self._user is None else [],
        )
        wait_until(self._answers)
        return self

    @property
    def client(self) -> Redis:
        """A Redis client."""
        return Redis.from_url(self.url, decode_responses=True)

    def stop(self, sig: signal.Signals = signal.SIGTERM) -> None:
        """Stop it and keep its data."""
        assert self.process is not None
        self.process.send_signal(sig)
        self.process.wait(START_SECONDS)

    def close(self) -> None:
        """Stop it and delete its data."""
        if self.process is not None and self.process.poll() is None:
            self.stop(signal.SIGKILL)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            with self.client as client:
                return bool(client.ping())
        except RedisError:
            return False
