"""What a request costs, counted and not timed: round trips to the store, and calls of functions.

Round trips are exact. Calls vary with the versions of Python and of the libraries, so they are only
kept from growing by a quarter. If a change costs more or less for a reason, write what the failing
test has counted into COSTS.
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
    """Round trips to the store, and calls of Python functions, counted on CPython 3.11."""

    round_trips: int
    calls: int


COSTS = {
    "createGame": Cost(1, 388),
    "getGame": Cost(1, 251),
    "applyActions": Cost(1, 317),
}
TOLERANCE = 0.25
MOVES = 10
GAME = record("costs-33")


class Counted:
    """The app, called as gunicorn would, with what each call costs."""

    def __init__(self, app: Flask, link: Link) -> None:
        self._app = app
        self._link = link

    def request(self, method: str, path: str, body: Any = None) -> tuple[Any, Cost]:  # noqa: ANN401  # whatever JSON has
        """Send a request; return the answer and its cost."""
        environ = EnvironBuilder(path, method=method, json=body).get_environ()
        self._link.commands.clear()
        with _calls() as calls:
            answer = b"".join(self._app(environ, lambda *_: bytes))
        return json.loads(answer), Cost(len(self._link.commands), calls.total())


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
def counted(store_server: StoreServer) -> Iterator[Counted]:
    with linked(store_server) as link:
        made = Counted(create_app({"REDIS_URL": link.url}), link)
        play(made)  # so that all that is made once is there
        yield made


def play(counted: Counted) -> dict[str, list[Cost]]:
    """Play the game to its end and look at it once; return what each operation cost."""
    game, created = counted.request("POST", "/v1/games", GAME.new_game)
    _, looked = counted.request("GET", f"/v1/games/{game['id']}")
    moves = [
        counted.request(
            "POST", f"/v1/games/{game['id']}/actions", {"version": version, "actions": [action]}
        )[1]
        for version, action in enumerate(GAME.actions)
    ]
    return {"createGame": [created], "getGame": [looked], "applyActions": moves}


@pytest.mark.parametrize("operation", COSTS)
def test_an_operation_costs_no_more_and_no_less_than_it_did(
    counted: Counted, operation: str
) -> None:
    costs = play(counted)[operation][:MOVES]
    calls = sum(cost.calls for cost in costs) / len(costs)
    expected = COSTS[operation]
    assert {cost.round_trips for cost in costs} == {expected.round_trips}
    most = expected.calls * (1 + TOLERANCE)
    # Later Pythons make fewer calls for the same code.
    least = expected.calls * (1 - TOLERANCE) if sys.version_info[:2] == (3, 11) else 0
    assert least <= calls <= most, f"{operation}: {calls:.0f} calls instead of {expected.calls}"


def test_the_last_move_of_a_ranked_game_takes_four_round_trips(counted: Counted) -> None:
    """The note, the move, the board, and the note dropped."""
    assert play(counted)["applyActions"][-1].round_trips == 4


def test_a_game_that_the_process_has_not_seen_is_read_first(
    counted: Counted, store_server: StoreServer
) -> None:
    other = Counted(create_app({"REDIS_URL": store_server.url}), counted._link)
    game, _ = other.request("POST", "/v1/games", GAME.new_game)
    body = {"version": 0, "actions": [GAME.actions[0]]}
    _, cost = counted.request("POST", f"/v1/games/{game['id']}/actions", body)
    assert cost.round_trips == 2
