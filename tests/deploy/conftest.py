"""What the tests of deployment need, and why they are left out where it is missing."""

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
    """Leave a test out if it is marked with what is not here."""
    names = set(item.fixturenames)  # type: ignore[attr-defined]  # a function's
    if {"proxy", "apis", "wants_nginx"} & names and nginx_binary() is None:
        pytest.skip("no nginx: scripts/apt-packages.sh installs it on Debian as root")
    if "image" in names:
        if os.getuid():
            pytest.skip("building an image and changing root takes root")
        if not os.path.exists("/etc/debian_version"):  # noqa: PTH110  # one question
            pytest.skip("the image's base is made with debootstrap, on Debian")
        missing = [name for name in ("buildah", "debootstrap") if not shutil.which(name)]
        if missing:
            pytest.skip(f"no {', no '.join(missing)}: scripts/apt-packages.sh installs them")


@pytest.fixture(scope="session")
def wants_nginx() -> None:
    """Say that a test runs nginx itself."""


@pytest.fixture(scope="session")
def store_server() -> Iterator[StoreServer]:
    with StoreServer(valkey_binary()) as store:
        yield store


@pytest.fixture(scope="session")
def apis(store_server: StoreServer) -> Iterator[list[ApiServer]]:
    """Two API servers that know of one proxy in front of them."""
    environment = {"SCOUNDREL_REDIS_URL": store_server.url, "SCOUNDREL_PROXY_HOPS": "1"}
    servers = [ApiServer(environment, workers=1) for _ in range(2)]
    try:
        yield [server.start() for server in servers]
    finally:
        for server in servers:
            server.close()


@pytest.fixture(scope="session")
def image() -> Iterator[Image]:
    """The image, built once for all tests."""
    image = Image()
    try:
        yield image.build()
    finally:
        image.close()


@pytest.fixture(scope="session")
def proxy(apis: list[ApiServer]) -> Iterator[Proxy]:
    """The shipped nginx in front of both."""
    with proxied([api.port for api in apis]) as running:
        yield running
