"""The clients against a server that limits new games: they wait as long as it says, and play."""

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
    """An API that lets one game be created in a while."""
    store = StoreServer(valkey_binary())
    try:
        with serving(store.start(), create_limit=f"1/{SECONDS} seconds") as running:
            yield running
    finally:
        store.close()


def refusals(server: ApiServer) -> int:
    """Return how many creations were refused."""
    line = r'^scoundrel_requests_total\{method="POST",route="/v1/games",status="429"\} (\d+)'
    return sum(map(int, re.findall(line, server.get("/metrics").body.decode(), re.MULTILINE)))


def test_the_bot_waits_as_long_as_it_is_told(server: ApiServer, url: str) -> None:
    done = test_bot.run(url, "-n", str(GAMES))
    assert test_bot.told(done)[0] == GAMES
    # Whoever came sooner than told was refused again.
    assert refusals(server) <= GAMES - 1


@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("jq")),
    reason="the shell client is made of curl and jq",
)
def test_the_shell_client_waits_as_long_as_it_is_told(server: ApiServer, url: str) -> None:
    for _ in range(2):
        done = test_shell.run(url, "--first", "--seed", test_shell.SEED, PLAY_RETRIES="1")
        assert test_shell.notation(done)
    assert refusals(server) <= 1


@pytest.fixture
def url(server: ApiServer) -> str:
    return f"http://127.0.0.1:{server.port}"
