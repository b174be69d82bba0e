"""Requests that violate HTTP, sent through the shipped proxy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.api.hostile import HOSTILE, expect_refusals
from tests.api.raw import send_before_probe

if TYPE_CHECKING:
    from tests.deploy.nginx import Proxy
    from tests.servers import StoreServer

pytestmark = pytest.mark.slow

EXPECTED = {
    name: (hostile.request, hostile.proxy)
    for name, hostile in HOSTILE.items()
    if hostile.proxy is not None
}


@pytest.mark.parametrize(("request_", "status"), EXPECTED.values(), ids=EXPECTED)
def test_the_response_is_that_of_the_table_and_nothing_changes(
    proxy: Proxy, store_server: StoreServer, request_: bytes, status: int
) -> None:
    with store_server.client as stored:
        before = stored.dbsize()
        expect_refusals(send_before_probe(proxy.port, request_, then_end=False), status)
        assert stored.dbsize() == before
