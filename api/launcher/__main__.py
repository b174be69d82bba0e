"""The launcher proper: it keeps a store and gunicorn running until a signal stops it.

This process serves nothing itself. It binds the port, runs the embedded store and gunicorn as
children that cannot outlive it, restarts the store when it dies, and stops both in order.
"""

import errno
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType

from api.launcher.children import end_group, spawn
from api.launcher.directories import DirectoryError
from api.launcher.embedded import EmbeddedStore, StoreError, embedded_store
from api.settings import Settings, SettingsError, from_environment

_CONFIGURATION = Path(__file__).parents[1] / "gunicorn.conf.py"
_BACKLOG = 2048
_PATIENCE = 15.0  # seconds for requests to end; more than gunicorn's own graceful_timeout
_HINT = 2.0  # seconds of waiting for them that are no surprise
_SOON, _LATER = 0.05, 5.0  # seconds between looks while something starts, and when all is up
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # what to open, not to bind

_READY = """
  Scoundrel is ready:  {url}

  The games are kept in {games}.
  Start one by hand:   curl -X POST {url}/v1/games -H 'Content-Type: application/json' -d '{{}}'
  Ctrl-C stops.
"""


class LaunchError(Exception):
    """The server cannot be started; the message says why and what would help."""


def main() -> int:
    """Run the server until a signal stops it; returns the exit status.

    0 after a signal, 2 for unusable settings, 1 if something could not be started, else what
    gunicorn ended with.
    """
    try:
        settings = from_environment()
        _check_workers()
    except SettingsError as error:
        _say(f"scoundrel: {error}")
        return 2
    signals = _Signals()
    try:
        with _listen(settings.host, settings.port) as listener, _store(settings) as store:
            return _run(settings, listener, store, signals)
    except (LaunchError, DirectoryError, StoreError) as error:
        _say(f"scoundrel: {error}")
        return 1


def _check_workers() -> None:
    """Check the one setting that is gunicorn's, which says little when it is wrong."""
    workers = os.environ.get("WEB_CONCURRENCY", "")
    if workers and not re.fullmatch("[1-9][0-9]{0,2}", workers):
        raise SettingsError("WEB_CONCURRENCY must be a whole number from 1 to 999")


class _Signals:
    """Those that stop the server, counted; all of them, and a child's end, cut a wait short."""

    def __init__(self) -> None:
        self.count = 0
        self._wake, write = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # nohup's wish counts; an ignored SIGINT is only what a shell does to "&".
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._stop)

    def wait(self, seconds: float) -> None:
        if select.select([self._wake], [], [], seconds)[0]:
            os.read(self._wake, 1024)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1


def _listen(host: str, port: int) -> socket.socket:
    # Bound here and handed on: a taken port is known before anything else is started, and a
    # free one that the system chose stays ours.
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise LaunchError(f"SCOUNDREL_HOST={host} names no address: {error.strerror}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            other = port + 1 if port < 65535 else 8000  # noqa: PLR2004  # the last port
            raise LaunchError(
                f"Port {port} is taken by another program. Take another: make run PORT={other}"
            ) from error
        raise LaunchError(
            f"Cannot listen on {host}, port {port}: {error.strerror}. "
            "SCOUNDREL_HOST and SCOUNDREL_PORT (make run PORT=8000) name another address."
        ) from error
    return listener


def _store(settings: Settings) -> AbstractContextManager[EmbeddedStore | None]:
    return nullcontext() if settings.redis_url else embedded_store(settings.data)


def _run(
    settings: Settings, listener: socket.socket, store: EmbeddedStore | None, signals: _Signals
) -> int:
    host = _WILDCARDS.get(settings.host, settings.host)
    port = listener.getsockname()[1]
    web: subprocess.Popen[bytes] | None = None
    ready = False
    try:
        while not signals.count:
            if store and (news := store.tend()):
                _say(f"scoundrel: {news}")
            if web is None:
                if store is None or store.answering:
                    web = _start_web(listener, store)
            elif (status := web.poll()) is not None:
                _say(f"scoundrel: gunicorn ended ({status}), so everything is stopped.")
                return status if status >= 0 else 128 - status
            elif not ready and _alive(host, port):
                ready = True
                _welcome(settings, host, port)
            signals.wait(_LATER if ready and (store is None or store.answering) else _SOON)
        return 0
    finally:
        if web is not None:
            _stop_web(web, signals)


def _start_web(listener: socket.socket, store: EmbeddedStore | None) -> subprocess.Popen[bytes]:
    environment = dict(os.environ)
    # gunicorn's own progress is noise beside ours; the user's arguments come later and win.
    arguments = f"--log-level warning {environment.get('GUNICORN_CMD_ARGS', '')}"
    environment["GUNICORN_CMD_ARGS"] = arguments
    if not environment.get("WEB_CONCURRENCY"):
        environment.pop("WEB_CONCURRENCY", None)  # gunicorn would read the empty one
    if store:
        environment["SCOUNDREL_REDIS_URL"] = store.url
    descriptor = listener.fileno()
    web = spawn(
        [sys.executable, "-m", "gunicorn", "-c", _CONFIGURATION, "--bind", f"fd://{descriptor}"],
        dies_by=signal.SIGKILL,  # the workers see it and leave within a second
        environment=environment,
        directory=_CONFIGURATION.parent.parent,
        descriptors=(descriptor,),
    )
    listener.close()  # so that nobody can connect when gunicorn has gone
    return web


def _stop_web(web: subprocess.Popen[bytes], signals: _Signals) -> None:
    web.terminate()
    stop_signals = signals.count
    began = time.monotonic()
    hinted = False
    while web.poll() is None and signals.count == stop_signals:
        waited = time.monotonic() - began
        if waited > _PATIENCE:
            break
        if waited > _HINT and not hinted:
            hinted = True
            _say("scoundrel: open requests are being finished; Ctrl-C again stops at once.")
        signals.wait(_SOON)
    end_group(web)


def _alive(host: str, port: int) -> bool:
    client = HTTPConnection(host, port, timeout=1)
    try:
        client.request("GET", "/livez", headers={"Connection": "close"})
        return client.getresponse().status == 200  # noqa: PLR2004  # OK
    except (OSError, HTTPException):
        return False
    finally:
        client.close()


def _welcome(settings: Settings, host: str, port: int) -> None:
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    games = "the store that SCOUNDREL_REDIS_URL names" if settings.redis_url else settings.data
    _say(_READY.format(url=url, games=games), descriptor=1)


def _say(text: str, descriptor: int = 2) -> None:
    with suppress(OSError):  # nobody listens any more; the server goes on
        os.write(descriptor, f"{text}\n".encode())


if __name__ == "__main__":
    sys.exit(main())
