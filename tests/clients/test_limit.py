"""The clients honour `Retry-After` of a server that limits the creation of games."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.clients import test_bot, test_shell
from tests.servers import StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import ApiServer

pytestmark = pytest.mark.slow

SECONDS = 4
GAMES = 3


@pytest.fixture
def server() -> Iterator[ApiServer]:
    """An API that allows one new game per ``SECONDS``."""
    store = StoreServer(valkey_binary())
    try:
        with serving(store.start(), create_limit=f"1/{SECONDS} seconds") as running:
            yield running
    finally:
        store.close()


def refusals(server: ApiServer) -> int:
    """Return the number of refused creations."""
    line = r'^scoundrel_requests_total\{method="POST",route="/v1/games",status="429"\} (\d+)'
    return sum(map(int, re.findall(line, server.get("/metrics").body.decode(), re.MULTILINE)))


def test_the_bot_honours_retry_after(server: ApiServer, url: str) -> None:
    done = test_bot.run(url, "-n", str(GAMES))
    assert test_bot.summary(done)[0] == GAMES
    # Each early retry would be one more refusal.
    assert refusals(server) <= GAMES - 1


@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("jq")),
    reason="the shell client requires curl and jq",
)
def test_the_shell_client_honours_retry_after(server: ApiServer, url: str) -> None:
    for _ in range(2):
        done = test_shell.run(url, "--first", "--seed", test_shell.SEED, PLAY_RETRIES="1")
        assert test_shell.notation(done)
    assert refusals(server) <= 1


@pytest.fixture
def url(server: ApiServer) -> str:
    return f"http://127.0.0.1:{server.port}"
