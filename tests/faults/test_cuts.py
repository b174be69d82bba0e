"""An answer that is cut after any byte, and the same request again: carried out once."""

from __future__ import annotations

import http.client
import secrets
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import pytest

from engine import parse_action, to_log
from tests.faults.stage import staged
from tests.playing import Connection, record
from tests.servers import valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.stage import Stage
    from tests.faults.wire import Wire
    from tests.servers import Reply

GAME = record("cut")
STEP = 17
"""So many bytes lie between one place to cut and the next."""


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with staged(valkey_binary()) as stage:
        yield stage


@pytest.fixture
def client(stage: Stage) -> Iterator[Connection]:
    connection = Connection(stage.port)
    yield connection
    connection.close()


def ask(client: Connection, path: str, body: Any, **headers: str) -> Reply | None:  # noqa: ANN401  # whatever JSON has
    """Send a request; return None if its answer does not arrive whole."""
    with suppress(OSError, http.client.HTTPException):
        return client.request("POST", path, body, headers=headers)
    client.close()
    return None


def play_with_cuts(client: Connection, stage: Stage, wire: Wire, after: int) -> list[Reply | None]:
    """Create a game and play it, with one cut in the answers to each request.

    Every request that is not answered with success is sent again, and then must be. Returns the
    first answers.
    """
    firsts: list[Reply | None] = []

    def insist(path: str, body: Any, **headers: str) -> Reply:  # noqa: ANN401  # whatever JSON has
        wire.cut_answers_after(after)
        reply = ask(client, path, body, **headers)
        firsts.append(reply)
        if reply is None or reply.status == HTTPStatus.SERVICE_UNAVAILABLE:
            wire.cut_answers_after(1 << 30)
            reply = ask(client, path, body, **headers)
        assert reply is not None
        assert reply.status in {HTTPStatus.OK, HTTPStatus.CREATED}, reply.body
        return reply

    key = {"Idempotency-Key": secrets.token_hex(16)}
    game_id = insist("/v1/games", GAME.new_game, **key).json["id"]
    for version, action in enumerate(GAME.actions):
        body = {"version": version, "actions": [action]}
        reply = insist(f"/v1/games/{game_id}/actions", body)
        assert reply.json["version"] == version + 1
    with stage.client as redis:
        assert redis.hget(f"game:{game_id}", "a") == to_log(map(parse_action, GAME.actions))
        (member,) = [
            str(member)
            for member in redis.zrange(f"board:original/{GAME.seed}", 0, -1)
            if str(member).endswith(game_id)
        ]
        redis.zrem(f"board:original/{GAME.seed}", member)
    return firsts


def test_a_reply_of_the_store_that_is_cut_is_made_good_at_once(
    client: Connection, stage: Stage
) -> None:
    before = stage.store_wire.cuts
    for after in range(0, 150, STEP):
        firsts = play_with_cuts(client, stage, stage.store_wire, after)
        assert all(first and first.status < HTTPStatus.BAD_REQUEST for first in firsts)
    assert stage.store_wire.cuts > before + 150 // STEP


def test_a_request_whose_answer_was_cut_is_sent_again_and_carried_out_once(
    client: Connection, stage: Stage
) -> None:
    whole = cut = 0
    for after in range(0, 3_000, 10 * STEP):
        firsts = play_with_cuts(client, stage, stage.api_wire, after)
        cut += firsts.count(None)
        whole += len(firsts) - firsts.count(None)
    assert cut
    assert whole, "no cut fell behind the end of an answer"
