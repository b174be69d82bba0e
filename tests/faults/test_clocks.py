"""Clocks that are wrong by a month: all times are the store's, and so are all expiries."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.clock import faketime_library, wrong_clock
from tests.faults import invariants
from tests.faults.driver import Driver
from tests.faults.stage import staged
from tests.faults.table import Fault, Meanwhile, suffer
from tests.servers import valkey_binary, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.clock import Clock
    from tests.faults.stage import Stage

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        faketime_library() is None,
        reason="no libfaketime: scripts/apt-packages.sh installs it on Debian as root",
    ),
]

MONTH = 31
DAY = 24 * 60 * 60


@pytest.mark.parametrize("days", [MONTH, -MONTH])
def test_the_clock_of_the_api_does_not_matter(days: int) -> None:
    with wrong_clock() as wrong:
        wrong.set(days * DAY)
        with staged(valkey_binary(), api_environment=wrong.environment) as stage:
            with Driver(stage.port) as driver:
                driver.play()
            driver.check(stage)
        for exchange in driver.exchanges:
            if exchange.acknowledged and (exchange.creates or exchange.moves):
                assert exchange.reply
                says = parsedate_to_datetime(exchange.reply.headers["Date"])
                updated = datetime.fromisoformat(exchange.json["updated_at"])
                assert abs(says - updated - timedelta(days)) < timedelta(minutes=5)
                assert exchange.json["expires_at"] is None or (
                    datetime.fromisoformat(exchange.json["expires_at"]) > updated
                )


@pytest.mark.parametrize("days", [MONTH, -MONTH])
def test_games_and_boards_agree_when_the_clock_of_the_store_jumps_and_jumps_back(
    days: int,
) -> None:
    with wrong_clock() as wrong:

        @contextmanager
        def jumped(stage: Stage, _random: Random) -> Iterator[None]:
            jump(stage, wrong, days)
            yield
            jump(stage, wrong, 0)

        fault = Fault("clock", jumped, Meanwhile.PARTS, seconds=3, loses=True)
        with staged(valkey_binary(), store_environment=wrong.jumping_environment) as stage:
            with Driver(stage.port) as driver:
                driver.play()
                with stage.client as redis:
                    before = invariants.stored_games(redis)
                suffered = suffer(fault, stage, driver, Random(driver.seed))
            figures = driver.check(stage)
            with stage.client as redis:
                after = invariants.stored_games(redis)
    print(f"{days} days: {suffered}, {figures}")  # noqa: T201  # the figures of docs/RELIABILITY.md
    ranked = {game.id for game in before.values() if game.total is not None and game.for_all}
    assert ranked
    assert ranked <= after.keys(), "a ranked game is gone"
    assert figures.lost, "no game expired that was played"


def jump(stage: Stage, wrong: Clock, days: int) -> None:
    """Set the store's clock, and wait until it has seen it."""
    wrong.set(days * DAY)

    def has_seen() -> bool:
        with stage.client as redis:
            return bool(abs(redis.time()[0] - time.time() - days * DAY) < DAY / 2)

    wait_until(has_seen)
