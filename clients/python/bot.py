#!/usr/bin/env python3
"""A bot that plays Scoundrel over its HTTP API, with the standard library alone.

    python bot.py                        100 games at http://127.0.0.1:8000
    python bot.py -n 20 --url http://…   fewer of them, somewhere else
    python bot.py --ruleset strict --player Robin

Afterwards it prints how the scores are spread, and the best game in one line, which anyone can
check with ``POST /v1/replays``.

It is meant to be read, and it knows nothing of the server but the published contract:

* ``Api`` keeps one connection alive, and answers every doubt (a connection that breaks, a busy
  server) by sending *the same request again*. That is safe: an ``Idempotency-Key`` creates one
  game, and an action is applied once to a ``version``.
* ``play`` is the life of a game. It sends the actions of a turn in one request; the last of them
  turns up the next cards, so nothing could follow it.
* ``choose`` tries every way through the room and takes the best. It counts cards: ``unseen`` says
  which lie in the dungeon and were never seen, ``bottom`` which were avoided and will be back.
"""

# ruff: noqa: T201  # what it finds out is printed

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
ANY = 15  # more than any monster has


class Api:
    """One connection to the server, kept alive."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._http = kind(parts.netloc, timeout=10)
        self.games = parts.path.rstrip("/") + "/v1/games"

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Any:  # noqa: ANN401  # whatever JSON has
        """Send a request, and the same again until it is answered; return the answer."""
        data = None if body is None else json.dumps(body)
        sent = {"Content-Type": "application/json", **headers}
        for attempt in range(8):
            wait = 0.1 * 2**attempt
            try:
                self._http.request(method, path, data, sent)
                response = self._http.getresponse()
                text = response.read()
            except (OSError, HTTPException):
                self._http.close()  # the next request opens it again
            else:
                if response.status not in {429, 502, 503, 504}:
                    break
                wait = float(response.headers.get("Retry-After", wait))
            time.sleep(wait)
        else:
            raise SystemExit("The server does not answer.")
        if response.status >= 400:  # noqa: PLR2004  # as HTTP has it
            raise SystemExit(f"The server refuses: {text.decode()}")
        return json.loads(text)


def play(api: Api, wish: dict[str, str]) -> tuple[int, str]:
    """Play a game to its end; return its score and its notation."""
    state = api.ask("POST", api.games, wish, **{"Idempotency-Key": str(uuid.uuid4())})
    while state["status"] == "playing":
        move = {"version": state["version"], "actions": choose(state)}
        state = api.ask("POST", state["links"]["actions"], move)
    return state["score"], api.ask("GET", state["links"]["history"])["notation"]


class Plan(NamedTuple):
    """Actions, and how the player stands after them."""

    actions: tuple[str, ...]
    room: list[str]
    health: int
    potions: int
    weapon: int = 0
    limit: int = ANY  # the strongest monster that the weapon works on


def choose(state: State) -> list[str]:
    """Return the actions to send: a draw, to avoid the room, or a way through all of it."""
    if state["phase"] == "draw":
        return ["draw"]
    now = Plan((), state["room"], state["health"], state["potions"])
    if weapon := state["weapon"]:
        limit = limit_after(weapon["monsters"][-1], state) if weapon["monsters"] else ANY
        now = now._replace(weapon=weapon["value"], limit=limit)
    best = max(plans(now, state), key=lambda plan: worth(plan, state))
    # What is avoided comes back, so a room must be rather bad to be avoided.
    if state["can_avoid"] and worth(best, state) < worth(now._replace(room=[]), state) - 4:
        return ["avoid"]
    return list(best.actions)


def plans(plan: Plan, state: State) -> Iterator[Plan]:
    """Yield every way through the room: to the card that is carried over, or to death."""
    stays = 1 if state["dungeon_size"] else state["options"]["leave"]
    if len(plan.room) <= stays or plan.health <= 0:
        yield plan
        return
    for card in plan.room:
        room = [other for other in plan.room if other != card]
        for action, then in ways_to_face(card, plan, state):
            actions = (*plan.actions, action)
            yield from plans(then._replace(actions=actions, room=room), state)


def ways_to_face(card: str, plan: Plan, state: State) -> Iterator[tuple[str, Plan]]:
    """Yield the actions that face a card, and how the player stands then."""
    value = VALUE[card[0]]
    if card[1] == "D":
        yield f"equip:{card}", plan._replace(weapon=value, limit=ANY)
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
    """Return the strongest monster that a weapon still works on once it has slain this one."""
    lower = state["options"]["degradation"] == "lower"
    return VALUE[monster[0]] - 1 if lower else VALUE[monster[0]]


def worth(plan: Plan, state: State) -> float:
    """Tell what a plan is worth: the health, and what the weapon saves on the monsters ahead."""
    if plan.health <= 0:
        return plan.health - 1000
    avoided = [card for room in state["bottom"] for card in room]
    ahead = [VALUE[card[0]] for card in state["unseen"] + avoided + plan.room if card[1] in "CS"]
    saved = sum(min(value, plan.weapon) for value in ahead if value <= plan.limit)
    carried = sum(VALUE[card[0]] * {"D": 1, "H": 0.5}.get(card[1], -0.5) for card in plan.room)
    return plan.health + carried + saved / max(1, len(ahead))


def main() -> None:
    """Play the games that are asked for, and tell how they went."""
    parser = argparse.ArgumentParser(description="Plays Scoundrel.")
    parser.add_argument("-n", "--games", type=int, default=100)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    for field in ("ruleset", "player", "seed"):
        parser.add_argument(f"--{field}")
    asked = vars(parser.parse_args())
    api, games = Api(asked.pop("url")), asked.pop("games")
    wish = {name: given for name, given in asked.items() if given}
    results = [play(api, wish) for _ in range(games)]
    won = sum(score > 0 for score, _ in results)
    print(f"{games} games, {won} won. The scores:")
    tens = Counter(score // 10 * 10 for score, _ in results)
    for low in sorted(tens):
        print(f"{low:5} to {low + 9:4}  {tens[low]:4}  {'#' * round(60 * tens[low] / games)}")
    score, notation = max(results, default=(0, ""))
    print(f"The best one, {score}: {notation}")


if __name__ == "__main__":
    main()
