"""Child processes that do not outlive this one."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

_PR_SET_PDEATHSIG = 1
# Loaded here, because only the call itself is safe between fork and exec.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def spawn(  # noqa: PLR0913  # they are the process's own properties, all by name
    command: Sequence[str | Path],
    *,
    dies_by: signal.Signals,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    descriptors: Collection[int] = (),
    output: IO[bytes] | None = None,
    umask: int = -1,
) -> subprocess.Popen[bytes]:
    """Start ``command`` in a session of its own, so that the terminal's Ctrl-C does not reach it.

    On Linux the kernel sends it the signal ``dies_by`` when this process ends for any reason.
    ``output`` receives stdout and stderr. Call this from the main thread: the kernel watches the
    thread that forked. Raises OSError if the command cannot be run.
    """
    return subprocess.Popen(  # noqa: S603  # the callers' own programs, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=None if output is None else subprocess.STDOUT,
        cwd=directory,
        env=environment,
        pass_fds=descriptors,
        umask=umask,
        start_new_session=True,
        preexec_fn=_tie(os.getpid(), dies_by),  # noqa: PLW1509  # this process has one thread
    )


def end_group(process: subprocess.Popen[bytes]) -> int:
    """Kill ``process`` and all others in its session; return its exit status."""
    with suppress(OSError):  # all have ended
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def _tie(parent: int, dies_by: signal.Signals) -> Callable[[], None] | None:
    if _libc is None:
        return None
    prctl = _libc.prctl

    def tie() -> None:
        prctl(_PR_SET_PDEATHSIG, dies_by.value, 0, 0, 0)
        if os.getppid() != parent:  # it ended before prctl was called
            os._exit(1)

    return tie
