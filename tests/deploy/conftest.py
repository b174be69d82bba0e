"""Fixtures for the tests of deployment, and the reasons for skipping them."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.deploy.image import Image
from tests.deploy.nginx import nginx_binary, proxied
from tests.servers import ApiServer, StoreServer, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.deploy.nginx import Proxy


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test if one of its fixtures is not available."""
    names = set(item.fixturenames)  # type: ignore[attr-defined]  # of a function
    if {"proxy", "apis", "needs_nginx"} & names and nginx_binary() is None:
        pytest.skip("requires nginx: scripts/apt-packages.sh installs it on Debian as root")
    if "image" in names:
        if os.getuid():
            pytest.skip("requires root, to build an image and change its root")
        if not os.path.exists("/etc/debian_version"):  # noqa: PTH110  # simpler than a Path
            pytest.skip("requires Debian, for debootstrap")
        missing = [name for name in ("buildah", "debootstrap") if not shutil.which(name)]
        if missing:
            pytest.skip(f"requires {' and '.join(missing)}: scripts/apt-packages.sh installs them")


@pytest.fixture(scope="session")
def needs_nginx() -> None:
    """Mark a test that starts nginx itself."""


@pytest.fixture(scope="session")
def store_server() -> Iterator[StoreServer]:
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="session")
def apis(store_server: StoreServer) -> Iterator[list[ApiServer]]:
    """Two API servers that trust one proxy."""
    environment = {"SCOUNDREL_REDIS_URL": store_server.url, "SCOUNDREL_PROXY_HOPS": "1"}
    servers = [ApiServer(environment, workers=1) for _ in range(2)]
    try:
        yield [server.start() for server in servers]
    finally:
        for server in servers:
            server.close()


@pytest.fixture(scope="session")
def image() -> Iterator[Image]:
    """The image, built once."""
    image = Image()
    try:
        yield image.build()
    finally:
        image.close()


@pytest.fixture(scope="session")
def proxy(apis: list[ApiServer]) -> Iterator[Proxy]:
    """The shipped nginx in front of both API servers."""
    with proxied([api.port for api in apis]) as running:
        yield running
