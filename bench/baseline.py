"""The floor that the API is compared with: the least that a move costs in a server of this design.

A bare WSGI callable, served by gunicorn with the API's own settings. It reads the game with
redis-py and appends to it with the API's own Lua script. It has no rules, no validation and no
documentation, and always sends the same response: one of the API's, with its headers.
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

RESPONSE = "BENCH_RESPONSE"
"""The environment variable with the response: a JSON object with ``headers`` and ``body``."""

_APPEND = Script("append")
_MONTH = 30 * 24 * 60 * 60 * 1000


def create_app() -> Callable[..., Iterable[bytes]]:
    """Return the WSGI callable."""
    redis = Redis.from_url(os.environ["SCOUNDREL_REDIS_URL"], decode_responses=True, protocol=2)
    redis.script_load(_APPEND.text)
    response = json.loads(os.environ[RESPONSE])
    headers, body = [*response["headers"].items()], response["body"].encode()

    def app(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "POST":
            key = f"game:{environ['PATH_INFO'].split('/')[3]}"
            move = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
            game: Any = redis.hgetall(key)
            log = game.get("a", "")
            if len(log) != move["version"]:
                raise ValueError("the move has the wrong version")
            chars = "".join(parse_action(text).char for text in move["actions"])
            redis.evalsha(_APPEND.sha, 1, key, game["s"], game["c"], log, chars, _MONTH)
        start_response("200 OK", headers)
        return [body]

    return app
