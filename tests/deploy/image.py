"""The image, built by Debian's buildah on a base from debootstrap, and its containers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tests.ports import free_port
from tests.servers import ROOT, START_SECONDS, ApiServer, wait_until

if TYPE_CHECKING:
    from collections.abc import Mapping

# A minimal container runtime: a read-only root with a tmpfs on /tmp, a few devices, a process
# namespace, another user, no capabilities.
_ENTER = """
set -eu
root=$1 user=$2 group=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec chroot "$root" /usr/bin/setpriv --reuid "$user" --regid "$group" --clear-groups \
    --no-new-privs --bounding-set=-all --inh-caps=-all /usr/bin/env -i "$@"
"""


class Image:
    """The image built from the Dockerfile."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="scoundrel-image-"))
        self.root = self.directory / "root"
        self.config: dict[str, Any] = {}

    def build(self) -> Self:
        """Build the image, which takes a minute or two, and mount its files."""
        base = self.directory / "base"
        _run("debootstrap", "--variant=minbase", "--include=python3,python3-venv", "bookworm", base)
        container = self._buildah("from", "scratch")
        self._buildah("add", "--quiet", container, base, "/")
        self._buildah("commit", "--quiet", container, "localhost/base")
        shutil.rmtree(base)
        self._buildah(
            "build",
            *("--format", "docker", "--network", "host", "--tag", "localhost/scoundrel"),
            *("--build-arg", "BASE=localhost/base"),
            # pip needs the certificates of this machine, because the base has none.
            *("--volume", "/etc/ssl/certs:/etc/ssl/certs:ro"),
            ROOT,
        )
        self.config = json.loads(
            self._buildah("inspect", "--type", "image", "localhost/scoundrel")
        )["Docker"]["config"]
        container = self._buildah("from", "--pull-never", "localhost/scoundrel")
        self.root.symlink_to(self._buildah("mount", container))
        return self

    @property
    def environment(self) -> dict[str, str]:
        """The environment set by the image."""
        return dict(variable.split("=", 1) for variable in self.config["Env"])

    def command(self, *command: str, **environment: str) -> list[str]:
        """Return a command line that runs a command, by default the image's, in a container."""
        user, _, group = self.config["User"].partition(":")
        variables = {**self.environment, **environment}
        return [
            *("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", _ENTER, "enter"),
            *(str(self.root.resolve()), user, group, "-C", self.config["WorkingDir"]),
            *(f"{name}={value}" for name, value in variables.items()),
            *(command or self.config["Cmd"]),
        ]

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a container and wait for it."""
        return subprocess.run(
            self.command(*command, **environment), check=False, capture_output=True, text=True
        )

    def close(self) -> None:
        """Delete the image."""
        with suppress(subprocess.CalledProcessError):
            self._buildah("umount", "--all")
        shutil.rmtree(self.directory, ignore_errors=True)

    def _buildah(self, command: str, *arguments: str | Path) -> str:
        at = ("--root", self.directory / "storage", "--runroot", self.directory / "run")
        return _run("buildah", "--storage-driver", "vfs", *at, command, *arguments)


class Container(ApiServer):
    """A container that runs the image's command."""

    def __init__(self, image: Image, environment: Mapping[str, str], output: Path) -> None:
        super().__init__(environment)
        self.output = output
        self._image = image

    def start(self) -> Self:
        """Start it and wait until it responds."""
        self.port = self.port or free_port()
        variables = {
            "SCOUNDREL_PORT": str(self.port),
            "WEB_CONCURRENCY": "2",
            **self.environment,
        }
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                self._image.command(**variables),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        wait_until(self._answers)
        return self

    @property
    def main(self) -> int:
        """The container's process 1, by its id outside."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        (child,) = children.read_text().split()
        return int(child)

    def stop(self) -> int:
        """Stop it like a container runtime; return its exit status."""
        assert self.process is not None
        os.kill(self.main, signal.SIGTERM)
        return self.process.wait(START_SECONDS)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.output.read_text()
        with suppress(OSError):
            return self.get("/livez").status > 0
        return False


def _run(*command: str | Path) -> str:
    environment = {**os.environ, "BUILDAH_ISOLATION": "chroot"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done.stdout.strip()
