"""Costs of a request, counted and not timed: round trips to the store and function calls.

Round trips are exact. Calls vary with the versions of Python and the libraries, so they may differ
by a quarter. If a change has a reason to cost more or less, copy the counts of the failing test to
COSTS.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from werkzeug.test import EnvironBuilder

from api import create_app
from tests.playing import record
from tests.store.link import linked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.servers import StoreServer
    from tests.store.link import Link


class Cost(NamedTuple):
    """Round trips to the store and calls of Python functions, counted on CPython 3.11."""

    round_trips: int
    calls: int


COSTS = {
    "createGame": Cost(1, 532),
    "getGame": Cost(1, 300),
    "applyActions": Cost(1, 438),
}
TOLERANCE = 0.25
MOVES = 10
GAME = record("costs-33")


class CountingClient:
    """Calls the app as gunicorn does and counts the cost of each request."""

    def __init__(self, app: Flask, link: Link) -> None:
        self._app = app
        self._link = link

    def request(self, method: str, path: str, body: Any = None) -> tuple[Any, Cost]:  # noqa: ANN401  # any JSON value
        """Send a request; return the response body and the cost."""
        environ = EnvironBuilder(path, method=method, json=body).get_environ()
        self._link.commands.clear()
        with _calls() as calls:
            response = b"".join(self._app(environ, lambda *_: bytes))
        return json.loads(response), Cost(len(self._link.commands), calls.total())


@contextmanager
def _calls() -> Iterator[Counter[str]]:
    calls: Counter[str] = Counter()

    def count(_frame: object, event: str, _argument: object) -> None:
        if event == "call":
            calls[event] += 1

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)


@pytest.fixture(scope="module")
def counted(store_server: StoreServer) -> Iterator[CountingClient]:
    with linked(store_server) as link:
        client = CountingClient(create_app({"REDIS_URL": link.url}), link)
        play(client)  # creates everything that is created only once
        yield client


def play(client: CountingClient) -> dict[str, list[Cost]]:
    """Play the game to its end and read it once; return the costs of each operation."""
    game, created = client.request("POST", "/v1/games", GAME.new_game)
    _, read = client.request("GET", f"/v1/games/{game['id']}")
    moves = [
        client.request(
            "POST", f"/v1/games/{game['id']}/actions", {"version": version, "actions": [action]}
        )[1]
        for version, action in enumerate(GAME.actions)
    ]
    return {"createGame": [created], "getGame": [read], "applyActions": moves}


@pytest.mark.parametrize("operation", COSTS)
def test_an_operation_costs_as_much_as_recorded(counted: CountingClient, operation: str) -> None:
    costs = play(counted)[operation][:MOVES]
    calls = sum(cost.calls for cost in costs) / len(costs)
    expected = COSTS[operation]
    assert {cost.round_trips for cost in costs} == {expected.round_trips}
    most = expected.calls * (1 + TOLERANCE)
    # Later Pythons make fewer calls for the same code.
    least = expected.calls * (1 - TOLERANCE) if sys.version_info[:2] == (3, 11) else 0
    assert least <= calls <= most, f"{operation}: {calls:.0f} calls instead of {expected.calls}"


def test_the_last_move_of_a_ranked_game_needs_four_round_trips(counted: CountingClient) -> None:
    """They write the note, the move and the board, and delete the note."""
    assert play(counted)["applyActions"][-1].round_trips == 4


def test_a_move_in_an_unknown_game_needs_two_round_trips(
    counted: CountingClient, store_server: StoreServer
) -> None:
    other = CountingClient(create_app({"REDIS_URL": store_server.url}), counted._link)
    game, _ = other.request("POST", "/v1/games", GAME.new_game)
    body = {"version": 0, "actions": [GAME.actions[0]]}
    _, cost = counted.request("POST", f"/v1/games/{game['id']}/actions", body)
    assert cost.round_trips == 2
