"""How gunicorn serves the app, for the launcher and for deployments alike.

Redis is neither imported here nor preloaded: gevent patches the sockets in the worker, and what
was imported before that would keep the blocking ones. That is why a file of the package is run by
its path.
"""

import fcntl
import os
import runpy
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.glogging import Logger

_jsonlines = runpy.run_path(str(Path(__file__).with_name("jsonlines.py")))
_METRICS = "metrics-of-scoundrel-"
_host = os.environ.get("SCOUNDREL_HOST") or "127.0.0.1"
_port = os.environ.get("SCOUNDREL_PORT") or "8000"
_behind_proxy = os.environ.get("SCOUNDREL_PROXY_HOPS", "0") not in {"", "0"}

wsgi_app = "api:create_app()"
bind = f"[{_host}]:{_port}" if ":" in _host else f"{_host}:{_port}"
worker_class = "gevent"
workers = int(os.environ.get("WEB_CONCURRENCY") or os.cpu_count() or 1)
worker_connections = 8000  # held streams and idle clients are cheap; running out starves everyone
keepalive = 75
graceful_timeout = 10
timeout = 30
control_socket_disable = True  # it wants a writable home directory, which a container has not
forwarded_allow_ips = ""  # the app believes proxies, as many as SCOUNDREL_PROXY_HOPS says
if _behind_proxy:
    limit_request_fields = 2500  # more than a proxy lets pass: it refuses in JSON, gunicorn in HTML


class logger_class(Logger):  # type: ignore[misc]  # noqa: N801  # gunicorn is not typed; its name for it
    """gunicorn's own log: without what clients sent, and as JSON if the app's is."""

    def setup(self, cfg: Config) -> None:
        """Set the log up, and again when the configuration is read again."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.addFilter(_jsonlines["without_requests"])
            if os.environ.get("SCOUNDREL_LOG") == "json":
                handler.setFormatter(_jsonlines["JsonFormatter"]())


def on_starting(server: Arbiter) -> None:  # noqa: ARG001  # gunicorn's signature
    """Make the directory in which the workers share their metrics.

    Its lock is held until the last of them has ended; directories without an owner are removed.
    """
    for directory in Path(tempfile.gettempdir()).glob(f"{_METRICS}*"):
        with suppress(OSError):  # locked, or somebody else's
            old = os.open(directory / "lock", os.O_RDWR | os.O_NOFOLLOW)
            with suppress(BlockingIOError):
                fcntl.flock(old, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(directory)
            os.close(old)
    made = Path(tempfile.mkdtemp(prefix=_METRICS))
    fcntl.flock(os.open(made / "lock", os.O_RDWR | os.O_CREAT, 0o600), fcntl.LOCK_EX)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(made)


def on_exit(server: Arbiter) -> None:  # noqa: ARG001  # gunicorn's signature
    """Remove that directory."""
    shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)
