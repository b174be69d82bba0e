#!/usr/bin/env python3
"""A bot that plays Scoundrel over its HTTP API, with only the standard library.

    python bot.py                        100 games at http://127.0.0.1:8000
    python bot.py -n 20 --url http://…   20 games on another server
    python bot.py --ruleset strict --player Robin

At the end it prints a histogram of the scores, and the notation of the best game, which
``POST /v1/replays`` verifies.

The code is an example of a client that relies only on the published contract:

* ``Api`` keeps one connection alive, and after a fault (a broken connection, a busy server) sends
  *the same request again*. That is safe: an ``Idempotency-Key`` creates one game, and an action is
  applied once to a ``version``.
* ``play`` plays one game. It sends the actions of a turn in one request, up to the draw of new
  cards, which it has to see before it goes on.
* ``choose`` tries every way through the room and takes the best. It counts cards: ``unseen`` lists
  the cards of the dungeon that were never seen, ``bottom`` the avoided ones, which come back.
"""

# ruff: noqa: T201  # a command-line program prints its results

from __future__ import annotations

import argparse
import json
import time
import uuid
from collections import Counter
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    State = Mapping[str, Any]

VALUE = dict(zip("23456789TJQKA", range(2, 15), strict=True))
NO_LIMIT = 15  # above the strongest monster


class Api:
    """One connection to the server, kept alive."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._http = kind(parts.netloc, timeout=10)
        self.games = parts.path.rstrip("/") + "/v1/games"

    def request(self, method: str, path: str, body: object = None, **headers: str) -> Any:  # noqa: ANN401  # JSON
        """Send a request, repeat it on faults, and return the body of the response."""
        data = None if body is None else json.dumps(body)
        sent = {"Content-Type": "application/json", **headers}
        for attempt in range(8):
            wait = 0.1 * 2**attempt
            try:
                self._http.request(method, path, data, sent)
                response = self._http.getresponse()
                text = response.read()
            except (OSError, HTTPException):
                self._http.close()  # the next request reconnects
            else:
                if response.status not in {429, 502, 503, 504}:
                    break
                wait = float(response.headers.get("Retry-After", wait))
            time.sleep(wait)
        else:
            raise SystemExit("The server does not respond.")
        if response.status >= 400:  # noqa: PLR2004  # HTTP errors
            raise SystemExit(f"The server refused the request: {text.decode()}")
        return json.loads(text)


def play(api: Api, new_game: dict[str, str]) -> tuple[int, str]:
    """Play a game to its end; return its score and its notation."""
    state = api.request("POST", api.games, new_game, **{"Idempotency-Key": str(uuid.uuid4())})
    while state["status"] == "playing":
        move = {"version": state["version"], "actions": choose(state)}
        state = api.request("POST", state["links"]["actions"], move)
    return state["score"], api.request("GET", state["links"]["history"])["notation"]


class Plan(NamedTuple):
    """Actions, and the state of the player after them."""

    actions: tuple[str, ...]
    room: list[str]
    health: int
    potions: int
    weapon: int = 0
    limit: int = NO_LIMIT  # the strongest monster the weapon works on


def choose(state: State) -> list[str]:
    """Return the actions to send: draw, avoid, or a whole way through the room."""
    if state["phase"] == "draw":
        return ["draw"]
    now = Plan((), state["room"], state["health"], state["potions"])
    if weapon := state["weapon"]:
        limit = limit_after(weapon["monsters"][-1], state) if weapon["monsters"] else NO_LIMIT
        now = now._replace(weapon=weapon["value"], limit=limit)
    best = max(plans(now, state), key=lambda plan: rating(plan, state))
    # Avoided cards come back, so only a rather bad room is avoided.
    if state["can_avoid"] and rating(best, state) < rating(now._replace(room=[]), state) - 4:
        return ["avoid"]
    return list(best.actions)


def plans(plan: Plan, state: State) -> Iterator[Plan]:
    """Yield every way through the room, until the cards to leave remain or the player is dead."""
    left = 1 if state["dungeon_size"] else state["options"]["leave"]
    if len(plan.room) <= left or plan.health <= 0:
        yield plan
        return
    for card in plan.room:
        room = [other for other in plan.room if other != card]
        for action, after in ways_to_face(card, plan, state):
            actions = (*plan.actions, action)
            yield from plans(after._replace(actions=actions, room=room), state)


def ways_to_face(card: str, plan: Plan, state: State) -> Iterator[tuple[str, Plan]]:
    """Yield the actions that face a card, each with the state of the player after it."""
    value = VALUE[card[0]]
    if card[1] == "D":
        yield f"equip:{card}", plan._replace(weapon=value, limit=NO_LIMIT)
    elif card[1] == "H":
        heals = value if plan.potions < state["options"]["potions_per_turn"] else 0
        health = min(state["max_health"], plan.health + heals)
        yield f"drink:{card}", plan._replace(health=health, potions=plan.potions + 1)
    else:
        yield f"fight:{card}:barehanded", plan._replace(health=plan.health - value)
        if plan.weapon and value <= plan.limit:
            health = plan.health - max(0, value - plan.weapon)
            limit = limit_after(card, state)
            yield f"fight:{card}:weapon", plan._replace(health=health, limit=limit)


def limit_after(monster: str, state: State) -> int:
    """Return the strongest monster a weapon works on after it has slain this one."""
    lower = state["options"]["degradation"] == "lower"
    return VALUE[monster[0]] - 1 if lower else VALUE[monster[0]]


def rating(plan: Plan, state: State) -> float:
    """Rate a plan by its health and by the damage its weapon saves on the monsters ahead."""
    if plan.health <= 0:
        return plan.health - 1000
    avoided = [card for room in state["bottom"] for card in room]
    ahead = [VALUE[card[0]] for card in state["unseen"] + avoided + plan.room if card[1] in "CS"]
    saved = sum(min(value, plan.weapon) for value in ahead if value <= plan.limit)
    carried = sum(VALUE[card[0]] * {"D": 1, "H": 0.5}.get(card[1], -0.5) for card in plan.room)
    return plan.health + carried + saved / max(1, len(ahead))


def main() -> None:
    """Play the games and print the results."""
    parser = argparse.ArgumentParser(description="Plays Scoundrel.")
    parser.add_argument("-n", "--games", type=int, default=100)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    for field in ("ruleset", "player", "seed"):
        parser.add_argument(f"--{field}")
    arguments = vars(parser.parse_args())
    api, games = Api(arguments.pop("url")), arguments.pop("games")
    new_game = {name: value for name, value in arguments.items() if value}
    results = [play(api, new_game) for _ in range(games)]
    won = sum(score > 0 for score, _ in results)
    print(f"{games} games, {won} won. Scores:")
    tens = Counter(score // 10 * 10 for score, _ in results)
    for low in sorted(tens):
        print(f"{low:5} to {low + 9:4}  {tens[low]:4}  {'#' * round(60 * tens[low] / games)}")
    score, notation = max(results, default=(0, ""))
    print(f"Best score {score}: {notation}")


if __name__ == "__main__":
    main()
