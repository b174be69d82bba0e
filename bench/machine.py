"""What a benchmark ran on: figures mean nothing without it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def described(*packages: str) -> Iterator[str]:
    """Yield lines that tell of the machine, the Python, and the versions of packages."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.processor() or "unknown processor"
    yield f"{platform.machine()}, {os.cpu_count()} cores, {model}, {platform.system()}"
    named = [f"{package} {version(package)}" for package in packages]
    yield ", ".join([f"{platform.python_implementation()} {platform.python_version()}", *named])
