"""Playing over HTTP: kept-alive connections, whole games to play, and what is to come of them."""

from __future__ import annotations

import http.client
import json
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from engine import parse_action, rules_for, steps
from tests.engine.play import play
from tests.public import public_event, public_state
from tests.servers import Reply, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from engine import Rules, Step


class Client(Protocol):
    """Sends requests to the API."""

    def request(
        self,
        method: str,
        path: str,
        json_body: Any = None,  # noqa: ANN401  # whatever JSON has
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a request and return the reply."""


class Connection:
    """One connection that is kept alive. Not for several threads."""

    def __init__(self, port: int, timeout: float = 30) -> None:
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def request(
        self,
        method: str,
        path: str,
        json_body: Any = None,  # noqa: ANN401  # whatever JSON has
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a request and return the reply."""
        sent = dict(headers or {})
        if json_body is not None:
            body = json.dumps(json_body).encode()
            sent.setdefault("Content-Type", "application/json")
        self._http.request(method, path, body, sent)
        response = self._http.getresponse()
        return Reply(response.status, dict(response.headers), response.read())

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


class Record(NamedTuple):
    """A game that was played by the engine: what is sent to the API to play it there."""

    ruleset: str
    options: Mapping[str, Any]
    seed: str
    actions: Sequence[str]

    @property
    def rules(self) -> Rules:
        """The rules that it is played by."""
        return rules_for(self.ruleset, self.options)

    @property
    def new_game(self) -> dict[str, Any]:
        """The request that begins it."""
        return {"ruleset": self.ruleset, "options": dict(self.options), "seed": self.seed}

    def steps(self) -> Iterator[Step]:
        """Yield its deal and then what each action leads to, by the engine."""
        return steps(self.seed, map(parse_action, self.actions), self.rules.options)


CAREFUL = (0.95, 0.1)
FOOLISH = (0.0, 0.5)


def record(
    seed: str,
    ruleset: str = "original",
    options: Mapping[str, Any] | None = None,
    *,
    player: tuple[float, float] = CAREFUL,
) -> Record:
    """Play the game of a seed to its end; the same arguments give the same game."""
    rules = rules_for(ruleset, options)
    luck = Random(seed).randrange(2**32)
    game = play(seed, rules.options, (*player, luck))
    return Record(ruleset, options or {}, seed, [str(action) for action in game.actions])


def answers(step: Step) -> dict[str, Any]:
    """Return what the API says of a step: the public state and the events that led to it."""
    return {
        **public_state(step.state),
        "events": [public_event(event) for event in step.events],
    }


def of_play(body: Mapping[str, Any], like: Iterable[str]) -> dict[str, Any]:
    """Return what the body of a game says of the play, without what lies around it."""
    return {name: body[name] for name in like}


def begin(client: Client, game: Record) -> tuple[str, dict[str, Any]]:
    """Create the game and return its id and the whole answer."""
    reply = client.request("POST", "/v1/games", game.new_game)
    assert reply.status == http.client.CREATED, reply.body
    return reply.json["id"], reply.json


def act(client: Client, game_id: str, version: int, *actions: str) -> Reply:
    """Send actions."""
    return client.request(
        "POST", f"/v1/games/{game_id}/actions", {"version": version, "actions": actions}
    )


def insist(client: Client, game_id: str, version: int, *actions: str) -> Reply:
    """Send actions until the store answers, as a client is told to."""
    reply = act(client, game_id, version, *actions)

    def answered() -> bool:
        nonlocal reply
        if reply.status == http.client.SERVICE_UNAVAILABLE:
            reply = act(client, game_id, version, *actions)
        return reply.status != http.client.SERVICE_UNAVAILABLE

    wait_until(answered)
    return reply


def play_through(client: Client, game: Record) -> str:
    """Play the whole game, action by action, and return its id.

    Every answer must be what the engine's replay says.
    """
    deal, *rest = game.steps()
    expected = answers(deal)
    game_id, body = begin(client, game)
    assert of_play(body, expected) == expected
    for action, step in zip(game.actions, rest, strict=True):
        reply = act(client, game_id, step.state.version - 1, action)
        assert reply.status == http.client.OK, reply.body
        expected = answers(step)
        assert of_play(reply.json, expected) == expected
    return game_id
