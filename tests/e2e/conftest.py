"""The page in a real browser, against the real server."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.browsing import Visitor
from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

    from tests.servers import ApiServer


@pytest.fixture(scope="session")
def server() -> Iterator[ApiServer]:
    """The API, with its own store."""
    store = StoreServer(valkey_binary())
    try:
        with serving(store.start(), workers=1) as running:
            yield running
    finally:
        store.close()


@pytest.fixture
def visitors(browser: Browser, server: ApiServer) -> Iterator[Callable[..., Visitor]]:
    """Create visitors, each with its own profile; unexpected errors fail the test at its end."""
    made: list[Visitor] = []

    def visitor(**profile: Any) -> Visitor:  # noqa: ANN401  # Playwright's options
        made.append(Visitor(browser, server, **profile))
        return made[-1]

    yield visitor
    for each in made:
        each.end()


@pytest.fixture
def visitor(visitors: Callable[..., Visitor]) -> Visitor:
    """A visitor with a mouse and a keyboard, on a large screen."""
    return visitors()


@pytest.fixture(scope="session")
def npm() -> str:
    """The npm command, which installs the tools that check the page."""
    path = shutil.which("npm")
    if path is None:
        pytest.skip("no npm on the PATH")
    return path
