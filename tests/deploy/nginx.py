"""Debian's nginx with the shipped configuration."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.ports import free_port
from tests.servers import ROOT, START_SECONDS, ApiServer, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHIPPED = ROOT / "deploy" / "nginx"
NOBODY = 65534


def nginx_binary() -> str | None:
    """Return the path of nginx, also in /usr/sbin, or None if it is not installed."""
    return shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")


class Proxy(ApiServer):
    """nginx in front of API servers."""

    def __init__(self, upstreams: Sequence[int], site: str = "") -> None:
        super().__init__({})
        self.directory = Path(tempfile.mkdtemp(prefix="scoundrel-nginx-"))
        self.port = free_port()
        shutil.copytree(SHIPPED, self.directory, dirs_exist_ok=True)
        # Adapt upstream.conf, site.conf and the directory that nginx writes to.
        upstream = self.directory / "upstream.conf"
        servers = iter(upstreams)
        upstream.write_text(
            "\n".join(
                line.replace(line.split()[1], f"127.0.0.1:{next(servers)}")
                if line.startswith("server ")
                else line
                for line in upstream.read_text().splitlines()
            )
        )
        listen = (self.directory / "site.conf").read_text()
        listen = listen.replace("listen 8080;", f"listen 127.0.0.1:{self.port};")
        (self.directory / "site.conf").write_text(listen + site)
        conf = self.directory / "nginx.conf"
        shipped = conf.read_text()
        conf.write_text(shipped.replace("/tmp", str(self.directory)))  # noqa: S108  # not used
        self.access = self.directory / "access.log"
        for path in (self.access, self.directory / "error.log"):
            path.touch()
            path.chmod(0o666)
        self.directory.chmod(0o777)

    def start(self, output: int | None = None) -> Proxy:
        """Start nginx, as an unprivileged user if possible.

        It writes its output to a file, or to the descriptor ``output``.
        """
        root = os.getuid() == 0
        with self.access.open("ab") as out, (self.directory / "error.log").open("ab") as errors:
            self.process = subprocess.Popen(
                [
                    *(nginx_binary() or "nginx", "-c", str(self.directory / "nginx.conf")),
                    *("-g", "daemon off;"),
                ],
                stdout=out if output is None else output,
                stderr=errors if output is None else output,
                start_new_session=True,
                user=NOBODY if root else None,
                group=NOBODY if root else None,
                extra_groups=[] if root else None,
            )
        wait_until(self._answers)
        return self

    def reload(self) -> None:
        """Make it reload its configuration."""
        assert self.process
        self.process.send_signal(signal.SIGHUP)

    def close(self) -> None:
        """Stop it."""
        super().close()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of the access log."""
        return [json.loads(line) for line in self.access.read_text().splitlines()]

    def of(self, request_id: str) -> dict[str, Any]:
        """Return the log line of a request."""
        wait_until(lambda: any(line["request_id"] == request_id for line in self.lines))
        return next(line for line in self.lines if line["request_id"] == request_id)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.directory / "error.log").read_text()
        with suppress(OSError):
            return self.get("/livez").status > 0
        return False


@contextmanager
def proxied(upstreams: Sequence[int], site: str = "") -> Iterator[Proxy]:
    """Run nginx in front of the servers on these ports; ``site`` is added to site.conf."""
    proxy = Proxy(upstreams, site)
    try:
        yield proxy.start()
    finally:
        proxy.close()


def stop_soon_after(server: ApiServer, seconds: float, sig: signal.Signals) -> None:
    """Send a signal to a server after some seconds, and start it again when it has ended."""
    assert server.process is not None
    time.sleep(seconds)
    if sig == signal.SIGKILL:
        os.killpg(server.process.pid, sig)
    else:
        server.process.send_signal(sig)
    server.process.wait(START_SECONDS)
    server.start()
