"""The embedded store's two directories, each with a lock that its owner holds.

The store inherits the locks, so they are held until both launcher and store have ended.
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
_NEWBORN = 60.0  # seconds until a new runtime directory must have its lock
_HANDOVER = 5.0  # seconds for the store of a killed launcher to write its file and end


class DirectoryError(Exception):
    """A directory cannot be used; the message says which, why, and what would help."""


@contextmanager
def data_directory(path: Path) -> Iterator[int]:
    """Create ``path`` if it is missing, and lock it; yield the lock's file descriptor.

    Raises DirectoryError if another server has locked it, or if it cannot be written.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise DirectoryError(
            f"Games cannot be stored in {path}: {error.strerror}. "
            "Use another directory: make run SCOUNDREL_DATA=/some/directory"
        ) from error
    try:
        _own(path, lock)
        yield lock
    finally:
        os.close(lock)


@contextmanager
def runtime_directory() -> Iterator[tuple[Path, int]]:
    """Create a private directory for a socket; yield it and its lock's file descriptor.

    It is removed when the context ends. Directories left over from dead servers are removed too.
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
                f"Another server (process {owner or 'unknown'}) uses {path}. "
                "Stop it, or use another port and directory: "
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
    raise DirectoryError("No directory is available for a socket: set XDG_RUNTIME_DIR.")


def _make(base: Path) -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
        # Another server's sweep may remove the directory before it is locked.
        with suppress(FileNotFoundError):
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            if _locked(lock) and os.fstat(lock).st_nlink:
                return path, lock
            os.close(lock)


def _sweep(base: Path) -> None:
    for path in base.glob(f"{_PREFIX}*"):
        # A directory that cannot be read is another user's.
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
