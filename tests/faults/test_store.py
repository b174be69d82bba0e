"""Whatever goes wrong with the store: nothing is lost, doubled or made up, and play goes on.

Each fault of the table comes and goes while games are played. What is checked meanwhile is said in
:mod:`tests.faults.table`, what is checked afterwards in :meth:`tests.faults.driver.Driver.check`.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.faults.driver import Driver
from tests.faults.stage import staged
from tests.faults.table import FAULTS, Fault, suffer
from tests.servers import redis_binary, valkey_binary

pytestmark = pytest.mark.slow

CASES = [
    *(pytest.param(valkey_binary(), fault, id=f"valkey-{fault}") for fault in FAULTS),
    *(
        pytest.param(redis_binary(), fault, id=f"redis-{fault}")
        for fault in FAULTS
        if fault.particular
    ),
]


@pytest.mark.parametrize(("binary", "fault"), CASES)
def test_games_survive_a_store_that_is(binary: str | None, fault: Fault) -> None:
    if binary is None:
        pytest.skip("no redis-server on the PATH")
    if fault.small_disk and os.getuid():
        pytest.skip("mounting a small disk takes root")
    with staged(binary, small_disk=fault.small_disk) as stage:
        with Driver(stage.port) as driver:
            suffered = suffer(fault, stage, driver, Random(driver.seed))
        figures = driver.check(stage)
    print(f"{fault}: {suffered}, {figures}")  # noqa: T201  # the figures of docs/RELIABILITY.md
