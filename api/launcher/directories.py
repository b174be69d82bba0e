"""The embedded store's two directories, each with a lock that says whether its owner lives.

A lock is an open file description: the store inherits it, so that it is held until the last of
launcher and store has ended.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOCK = "lock"
_PREFIX = "scoundrel-"
_LONGEST_RUNTIME_PATH = 80  # with the socket's name below 104 bytes, macOS's limit
_NEWBORN = 60.0  # seconds in which a runtime directory may still be without its lock
_HANDOVER = 5.0  # seconds in which a killed launcher's store writes its file and leaves


class DirectoryError(Exception):
    """A directory cannot be used; the message says which, why and what would help."""


@contextmanager
def data_directory(path: Path) -> Iterator[int]:
    """Make ``path`` if it is missing, and own it; gives the lock's descriptor.

    Raises DirectoryError if another server owns it or it cannot be written.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise DirectoryError(
            f"The games cannot be kept in {path}: {error.strerror}. "
            "Name another directory: make run SCOUNDREL_DATA=/some/directory"
        ) from error
    try:
        _own(path, lock)
        yield lock
    finally:
        os.close(lock)


@contextmanager
def runtime_directory() -> Iterator[tuple[Path, int]]:
    """Make a short-named directory for a socket; gives it and its lock's descriptor.

    It is private and goes when the context ends. Those that dead servers left are removed.
    """
    base = _runtime_base()
    _sweep(base)
    path, lock = _make(base)
    try:
        yield path, lock
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _own(path: Path, lock: int) -> None:
    patience = time.monotonic() + _HANDOVER
    while not _locked(lock):
        owner = os.pread(lock, 20, 0).decode(errors="replace").strip()
        if time.monotonic() > patience or (owner.isdecimal() and _lives(int(owner))):
            raise DirectoryError(
                f"Another server (process {owner or 'unknown'}) has its games in {path}. "
                "Stop that one, or give this one a port and a directory of its own: "
                "make run PORT=8001 SCOUNDREL_DATA=/some/directory"
            )
        time.sleep(0.05)
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _runtime_base() -> Path:
    for name in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):  # noqa: S108  # mkdtemp makes it safe
        if name and len(os.fsencode(name)) <= _LONGEST_RUNTIME_PATH and os.access(name, os.W_OK):
            return Path(name)
    raise DirectoryError("There is no directory for a socket: let XDG_RUNTIME_DIR name one.")


def _make(base: Path) -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
        # Another server's sweep may take the directory for a dead one's: then make another.
        with suppress(FileNotFoundError):
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            if _locked(lock) and os.fstat(lock).st_nlink:
                return path, lock
            os.close(lock)


def _sweep(base: Path) -> None:
    for path in base.glob(f"{_PREFIX}*"):
        # Whatever cannot be looked at belongs to somebody else.
        with suppress(OSError):
            if path.is_symlink() or path.stat().st_uid != os.geteuid():
                continue
            try:
                lock = os.open(path / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            except FileNotFoundError:
                if time.time() - path.stat().st_mtime > _NEWBORN:
                    path.rmdir()
                continue
            if _locked(lock):
                shutil.rmtree(path)
            os.close(lock)
