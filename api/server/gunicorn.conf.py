"""gunicorn's configuration, for the launcher and for deployments alike.

Nothing that imports redis may be imported here at the top, and the app is not preloaded: gevent
patches the sockets in each worker, after this file has run.
"""

import fcntl
import gc
import json
import os
import re
import secrets
import shutil
import socket
import sys
import tempfile
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from logging import StreamHandler
from pathlib import Path

from gevent import get_hub, sleep
from gunicorn import util
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http.message import Request
from gunicorn.workers.base import Worker

from api.http.problem_types import INTERNAL_ERROR, MALFORMED_REQUEST, MEDIA_TYPE
from api.observe.json_lines import JsonFormatter, dropped, without_requests
from api.observe.log_stream import LogStream

# The master outlives the code that it was started with. Without our modules there, SIGHUP and every
# new worker import them as they are then.
for _name in [name for name in sys.modules if name.partition(".")[0] == "api"]:
    del sys.modules[_name]

_METRICS = "metrics-of-scoundrel-"
_host = os.environ.get("SCOUNDREL_HOST") or "127.0.0.1"
_port = os.environ.get("SCOUNDREL_PORT") or "8000"
_workers = os.environ.get("WEB_CONCURRENCY") or str(os.cpu_count() or 1)
if not re.fullmatch("[1-9][0-9]{0,2}", _workers):
    raise ValueError("WEB_CONCURRENCY must be a whole number from 1 to 999")

wsgi_app = "api:create_app()"
bind = f"[{_host}]:{_port}" if ":" in _host else f"{_host}:{_port}"
worker_class = "gevent"
workers = int(_workers)
worker_connections = 8000  # idle connections are cheap, and running out would starve everyone
keepalive = 75
graceful_timeout = 10
timeout = 30
control_socket_disable = True  # it requires a writable home directory, which a container lacks
forwarded_allow_ips = ""  # the app trusts as many proxies as SCOUNDREL_PROXY_HOPS says


class logger_class(Logger):  # type: ignore[misc]  # noqa: N801  # gunicorn is not typed; its name for it
    """gunicorn's log: without client input, in the form of the app's log, and never blocking."""

    def setup(self, cfg: Config) -> None:
        """Set up the log, at the start and after each reload."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.addFilter(without_requests)
            options = {}
            if os.environ.get("SCOUNDREL_LOG") == "json":
                handler.setFormatter(JsonFormatter())
                options["notice"] = partial(dropped, self.error_log.name)
            if type(handler) is StreamHandler:
                handler.setStream(LogStream(handler.stream.fileno(), **options))


_DETAILS = {
    414: "The path and query exceed 4 KiB.",
    431: "A header exceeds 8 KiB, or there are more than 100 headers.",
}


def write_error(sock: socket.socket, status: int, _reason: str, _message: str) -> None:
    """Return a problem for a request that gunicorn refuses before the app sees it."""
    kind = MALFORMED_REQUEST
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        kind = INTERNAL_ERROR
    elif status not in _DETAILS:
        status = kind.status
    request_id = secrets.token_hex(8)
    problem = {
        "type": f"/docs/problems#{kind.code}",
        "title": kind.title,
        "status": status,
        "detail": _DETAILS.get(status, kind.meaning),
        "code": kind.code,
        "request_id": request_id,
    }
    body = json.dumps(problem, separators=(",", ":"))
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Connection: close",
        f"Content-Type: {MEDIA_TYPE}",
        f"Content-Length: {len(body)}",
        f"X-Request-ID: {request_id}",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
        "Access-Control-Allow-Origin: *",
        "Access-Control-Expose-Headers: X-Request-ID",
        "",
        body,
    )
    util.write_nonblock(sock, "\r\n".join(head).encode())


# gunicorn has no setting for its error pages, which are HTML. pyproject.toml caps the version, and
# a test checks that gunicorn still calls this.
util.write_error = write_error


def post_worker_init(worker: Worker) -> None:  # noqa: ARG001  # gunicorn's signature
    """Keep gevent's error output from blocking, and run the garbage collector less often.

    Full collections took tens of milliseconds and found nothing: reference counting frees what a
    request leaves.
    """
    get_hub().exception_stream = LogStream(sys.stderr.fileno())  # type: ignore[assignment]  # gevent needs no more of a stream
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


def pre_request(worker: Worker, req: Request) -> None:  # noqa: ARG001  # gunicorn's signature
    """Yield to the other connections.

    A client that always has its next request ready would otherwise be served alone, and others
    would wait for hundreds of milliseconds.
    """
    sleep(0)


def on_starting(server: Arbiter) -> None:  # noqa: ARG001  # gunicorn's signature
    """Create the directory in which the workers share their metrics.

    Its lock is inherited by the workers, so it is held until the last of them has ended.
    Directories whose lock is free are left over from dead servers, and are removed.
    """
    for directory in Path(tempfile.gettempdir()).glob(f"{_METRICS}*"):
        with suppress(OSError):  # locked, or another user's
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
