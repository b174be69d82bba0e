"""The floor: what a bare WSGI callable serves that does the same work in the store, and no more.

It reads the game and runs the very script that appends, as an ordinary client of Redis does, and
answers as many bytes as the API. It knows no rules, checks nothing and documents nothing, so nothing
real can be expected to be faster by much.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from redis import BlockingConnectionPool, Redis

from api.store.client import Script

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

_APPEND = Script("append")
_MONTH = 30 * 24 * 60 * 60 * 1000
_BODY = b"." * int(os.environ.get("BENCH_BODY", "1300"))
_HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(_BODY)))]

_redis = Redis.from_pool(
    BlockingConnectionPool.from_url(os.environ["SCOUNDREL_REDIS_URL"], decode_responses=True)
)


def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Serve a move, or anything else as if it were a look at a game."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length) if length else b""
    _, _, _, game_id, *_ = environ["PATH_INFO"].split("/") + [""]
    key = f"game:{game_id}"
    game = _redis.hgetall(key)
    if body and game:
        _redis.evalsha(_APPEND.sha, 1, key, game["s"], game.get("a", ""), "0", _MONTH)
    start_response("200 OK", _HEADERS)
    return [_BODY]
