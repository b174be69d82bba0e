"""The floor that the API is measured against: what a move costs without everything but its needs.

A bare WSGI callable, served by gunicorn with the API's own settings, that reads a game with
redis-py's client and appends to it by the API's own script: the two calls that any server of this
design makes. What it answers is always the same, an answer of the API's with its headers. It knows
no rules, checks nothing and documents nothing.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from redis import Redis

from api.store.client import Script
from engine import parse_action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ANSWER = "BENCH_ANSWER"
"""The variable that holds the answer: an object of ``headers`` and ``body``."""

_APPEND = Script("append")
_MONTH = 30 * 24 * 60 * 60 * 1000


def create_app() -> Callable[..., Iterable[bytes]]:
    """Return the WSGI callable."""
    redis = Redis.from_url(os.environ["SCOUNDREL_REDIS_URL"], decode_responses=True, protocol=2)
    redis.script_load(_APPEND.text)
    answer = json.loads(os.environ[ANSWER])
    headers, body = [*answer["headers"].items()], answer["body"].encode()

    def app(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "POST":
            game_id = environ["PATH_INFO"].split("/")[3]
            asked = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
            game: Any = redis.hgetall(f"game:{game_id}")
            log = game.get("a", "")
            if len(log) != asked["version"]:
                raise ValueError("the load is out of step")
            chars = "".join(parse_action(text).char for text in asked["actions"])
            key = f"game:{game_id}"
            redis.evalsha(_APPEND.sha, 1, key, game["s"], game["c"], log, chars, _MONTH)
        start_response("200 OK", headers)
        return [body]

    return app
