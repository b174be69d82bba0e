"""How the tests run: Hypothesis's examples, and how pytest-xdist shares out the tests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Generator

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("here", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")

LONGEST = (
    "tests/deploy/test_image.py",
    "tests/e2e/test_access.py",
    "tests/deploy/test_proxy.py",
    "tests/bench/test_benchmarks.py",
    "tests/faults/test_workers.py",
    "tests/e2e/test_games.py",
    "tests/api/test_schemathesis.py",
    "tests/clients/test_shell.py",
    "tests/faults/test_cluster.py",
    "tests/e2e/test_keys.py",
    "tests/clients/test_typescript.py",
    "tests/e2e/test_sharing.py",
    "tests/e2e/test_failures.py",
)
"""The modules that take longest as a whole, which start first."""


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Group the tests for ``--dist loadgroup``, and put first what takes longest.

    The tests of a module stay together, in one worker, so its servers are started once. Slow tests
    that share no fixture with others are on their own, and fill the gaps.
    """
    if not hasattr(config, "workerinput"):
        return (yield)
    for item in items:
        if _shares_fixtures(item) or not item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.xdist_group(_module(item)))
    yield
    items.sort(key=_turn)  # stable
    return None


def _module(item: pytest.Item) -> str:
    return item.path.relative_to(item.config.rootpath).as_posix()


def _shares_fixtures(item: pytest.Item) -> bool:
    """Whether a test uses a fixture of these tests that outlives it."""
    info = getattr(item, "_fixtureinfo", None)  # a doctest may have none
    return info is None or any(
        definitions[-1].scope != "function"
        for definitions in info.name2fixturedefs.values()
        if definitions[-1].baseid  # pytest's own and those of plugins have none
    )


def _turn(item: pytest.Item) -> int:
    if (module := _module(item)) in LONGEST:
        return LONGEST.index(module)
    return len(LONGEST) + (not item.get_closest_marker("slow"))
