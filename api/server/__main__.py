"""The launcher: runs a store and gunicorn until a signal stops it.

This process serves no requests itself. It binds the port, runs the embedded store and gunicorn as
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

from api.server.children import end_group, spawn
from api.server.directories import DirectoryError
from api.server.embedded import EmbeddedStore, StoreError, embedded_store
from api.settings import Settings, SettingsError, from_environment

_CONFIGURATION = Path(__file__).with_name("gunicorn.conf.py")
_ROOT = Path(__file__).parents[2]
_BACKLOG = 2048
_STOP_TIMEOUT = 15.0  # seconds; more than gunicorn's graceful_timeout
_HINT_AFTER = 2.0  # seconds until a message says what is waited for
_SOON, _LATER = 0.05, 5.0  # seconds between checks, while something starts and afterwards
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # to connect to, not to bind

_READY = """
  Scoundrel is ready:  {url}

  Games are stored in: {games}
  Create one:          curl -X POST {url}/v1/games -H 'Content-Type: application/json' -d '{{}}'
  Ctrl-C stops.
"""


class LaunchError(Exception):
    """The server cannot be started; the message says why, and what would help."""


def main() -> int:
    """Run the server until a signal stops it; return the exit status.

    0 after a signal, 1 if something could not be started, 2 for invalid settings, else gunicorn's.
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
    """Check gunicorn's setting, whose own error message says little."""
    workers = os.environ.get("WEB_CONCURRENCY", "")
    if workers and not re.fullmatch("[1-9][0-9]{0,2}", workers):
        raise SettingsError("WEB_CONCURRENCY must be a whole number from 1 to 999")


class _Signals:
    """Counts the signals that stop the server. They, and the end of a child, interrupt a wait."""

    def __init__(self) -> None:
        self.count = 0
        self._wake, write = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # An ignored SIGHUP is nohup's doing; an ignored SIGINT only a shell's with "&".
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._stop)

    def wait(self, seconds: float) -> None:
        if select.select([self._wake], [], [], seconds)[0]:
            os.read(self._wake, 1024)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1


def _listen(host: str, port: int) -> socket.socket:
    # Bound here and inherited by gunicorn: a taken port is found before anything is started, and a
    # free port that the system chose stays ours.
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise LaunchError(f"SCOUNDREL_HOST={host} is not an address: {error.strerror}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            other = port + 1 if port < 65535 else 8000  # noqa: PLR2004  # the last port
            raise LaunchError(
                f"Port {port} is in use by another program. Use another: make run PORT={other}"
            ) from error
        raise LaunchError(
            f"Cannot listen on {host}, port {port}: {error.strerror}. "
            "Set SCOUNDREL_HOST or SCOUNDREL_PORT (make run PORT=8000) to another address."
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
            if store and (message := store.supervise()):
                _say(f"scoundrel: {message}")
            if web is None:
                if store is None or store.answering:
                    web = _start_web(listener, store)
            elif (status := web.poll()) is not None:
                _say(f"scoundrel: gunicorn ended ({status}); stopping.")
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
    # gunicorn's progress messages are noise; the user's arguments come later and win.
    arguments = f"--log-level warning {environment.get('GUNICORN_CMD_ARGS', '')}"
    environment["GUNICORN_CMD_ARGS"] = arguments
    if not environment.get("WEB_CONCURRENCY"):
        environment.pop("WEB_CONCURRENCY", None)  # gunicorn would not accept an empty one
    if store:
        environment["SCOUNDREL_REDIS_URL"] = store.url
    descriptor = listener.fileno()
    web = spawn(
        [sys.executable, "-m", "gunicorn", "-c", _CONFIGURATION, "--bind", f"fd://{descriptor}"],
        dies_by=signal.SIGKILL,  # the workers notice, and end within a second
        environment=environment,
        directory=_ROOT,
        descriptors=(descriptor,),
    )
    listener.close()  # so that nobody can connect once gunicorn has ended
    return web


def _stop_web(web: subprocess.Popen[bytes], signals: _Signals) -> None:
    web.terminate()
    stop_signals = signals.count
    began = time.monotonic()
    hinted = False
    while web.poll() is None and signals.count == stop_signals:
        waited = time.monotonic() - began
        if waited > _STOP_TIMEOUT:
            break
        if waited > _HINT_AFTER and not hinted:
            hinted = True
            _say("scoundrel: waiting for open requests; Ctrl-C again stops at once.")
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
    games = "the store of SCOUNDREL_REDIS_URL" if settings.redis_url else settings.data
    _say(_READY.format(url=url, games=games), descriptor=1)


def _say(text: str, descriptor: int = 2) -> None:
    with suppress(OSError):  # the terminal is gone; the server continues
        os.write(descriptor, f"{text}\n".encode())


if __name__ == "__main__":
    sys.exit(main())
