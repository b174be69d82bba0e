"""How gunicorn serves the app, for the launcher and for deployments alike.

Redis is neither imported here nor preloaded: gevent patches the sockets in the worker, and what
was imported before that would keep the blocking ones. That is why a file of the package is run by
its path.
"""

import fcntl
import gc
import json
import os
import re
import runpy
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

_jsonlines = runpy.run_path(str(Path(__file__).with_name("jsonlines.py")))
_outlet = runpy.run_path(str(Path(__file__).with_name("outlet.py")))
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
worker_connections = 8000  # held streams and idle clients are cheap; running out starves everyone
keepalive = 75
graceful_timeout = 10
timeout = 30
control_socket_disable = True  # it wants a writable home directory, which a container has not
forwarded_allow_ips = ""  # the app believes proxies, as many as SCOUNDREL_PROXY_HOPS says


class logger_class(Logger):  # type: ignore[misc]  # noqa: N801  # gunicorn is not typed; its name for it
    """gunicorn's own log: without what clients sent, as JSON if the app's is, and never waiting."""

    def setup(self, cfg: Config) -> None:
        """Set the log up, and again when the configuration is read again."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.addFilter(_jsonlines["without_requests"])
            told = {}
            if os.environ.get("SCOUNDREL_LOG") == "json":
                handler.setFormatter(_jsonlines["JsonFormatter"]())
                told["told"] = partial(_jsonlines["dropped"], self.error_log.name)
            if type(handler) is StreamHandler:
                handler.setStream(_outlet["Outlet"](handler.stream.fileno(), **told))


_DETAILS = {
    414: "The path and query are longer than 4 KiB.",
    431: "A header is longer than 8 KiB, or there are more than 100.",
}


def write_error(sock: socket.socket, status: int, _reason: str, _message: str) -> None:
    """Answer what gunicorn refuses before the app sees it, as the app would."""
    # Not before gevent has patched the sockets: this runs in a worker, which has the app.
    from api import problems  # noqa: PLC0415

    kind = problems.MALFORMED_REQUEST
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        kind = problems.INTERNAL_ERROR
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
        f"Content-Type: {problems.MEDIA_TYPE}",
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


util.write_error = write_error  # gunicorn's own writes HTML, and has no setting for it


def post_worker_init(worker: Worker) -> None:  # noqa: ARG001  # gunicorn's signature
    """Have gevent hold nobody up for what it prints, and the garbage collector come less often.

    Its full passes took tens of milliseconds for nothing: what a request leaves is freed by
    counting references.
    """
    get_hub().exception_stream = _outlet["Outlet"](sys.stderr.fileno())
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


def pre_request(worker: Worker, req: Request) -> None:  # noqa: ARG001  # gunicorn's signature
    """Let the others have their turn first.

    A client whose next request is there before the answer to its last is done with would else be
    served alone, and the others wait for hundreds of milliseconds.
    """
    sleep(0)


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
