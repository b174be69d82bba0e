"""The floor that the API is measured against: what a move costs without everything but its needs.

A bare WSGI callable, served by gunicorn with the API's own settings, that reads a game with
redis-py's client and appends to it by the API's own script: the two calls that any server of this
design makes, and an answer as large as the API's. It knows no rules, checks nothing and documents
nothing.
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

ANSWER = b"{" + b" " * (int(os.environ.get("BENCH_ANSWER_BYTES", "2")) - 2) + b"}"
"""As many bytes as the API answers to a move."""

_HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(ANSWER)))]
_APPEND = Script("append")
_MONTH = 30 * 24 * 60 * 60 * 1000


def create_app() -> Callable[..., Iterable[bytes]]:
    """Return the WSGI callable."""
    redis = Redis.from_url(os.environ["SCOUNDREL_REDIS_URL"], decode_responses=True, protocol=2)
    redis.script_load(_APPEND.text)

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
        start_response("200 OK", _HEADERS)
        return [ANSWER]

    return app
