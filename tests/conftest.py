"""How the tests run: Hypothesis's examples, and how pytest-xdist shares out the tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from tests.e2e.browsing import CHROMIUM, launch

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from playwright.sync_api import Browser

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("here", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")

LONGEST = (
    "tests/deploy/test_image.py",
    "tests/e2e/test_access.py",
    "tests/deploy/test_proxy.py",
    "tests/bench/test_benchmarks.py",
    "tests/api/test_schemathesis.py",
    "tests/faults/test_store.py",
    "tests/clients/test_typescript.py",
    "tests/e2e/test_games.py",
    "tests/faults/test_cluster.py",
    "tests/e2e/test_sharing.py",
    "tests/faults/test_workers.py",
    "tests/e2e/test_keys.py",
    "tests/clients/test_shell.py",
    "tests/e2e/test_failures.py",
)
"""The modules that take longest, which start first."""

SPREAD = {
    "tests/bench/test_benchmarks.py",
    "tests/e2e/test_games.py",
    "tests/faults/test_store.py",
    "tests/faults/test_workers.py",
    "tests/launcher/test_launcher.py",
}
"""Modules that take long and whose fixtures do not: each of their tests may run in any worker."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's chromium, driven by Playwright, which a process can start only once."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not Path(CHROMIUM).exists():
        pytest.skip("no chromium on the PATH; scripts/apt-packages.sh installs it")
    with playwright.sync_playwright() as running, launch(running) as started:
        yield started


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Put first what takes longest, if several workers share the tests."""
    yield
    if hasattr(config, "workerinput"):
        items.sort(key=_turn)  # stable


def _turn(item: pytest.Item) -> int:
    module = _module(item.nodeid)
    if module in LONGEST:
        return LONGEST.index(module)
    return len(LONGEST) + (not item.get_closest_marker("slow"))


def _module(nodeid: str) -> str:
    return nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:  # noqa: ANN401  # xdist's own
    """Keep a module's tests in one worker, which starts their servers once, unless it is spread.

    xdist's own ``--dist loadgroup`` puts the groups into the tests' ids, which pytest 9.2 ignores.
    """
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling  # noqa: PLC0415  # only where it is used

    config.option.loadscopereorder = False  # the order is ours
    scheduler = LoadFileScheduling(config, log)
    scheduler._split_scope = _unit
    return scheduler


def _unit(nodeid: str) -> str:
    """Return what a test stays together with."""
    module = _module(nodeid)
    return nodeid if module in SPREAD else module
