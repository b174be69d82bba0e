"""Where a worker's time for a move goes: ``python -m bench.parts``.

While wrk plays moves, a signal comes at each few milliseconds of the worker's processor time, and
the part that was at work then is counted: the innermost one that is named below. What Python's own
library and gevent do is put down to whoever called them.
"""

from __future__ import annotations

import json
import signal
from collections import Counter
from typing import TYPE_CHECKING, Any

from api import create_app as create_api
from api.store import Store
from bench.forms import Form, form_asked
from bench.load import moves, processor_seconds, send
from bench.machine import described
from bench.rounds import CONNECTIONS, look_first, say
from bench.stock import begin_all, games_for
from tests.servers import ROOT, ApiServer, StoreServer, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

PARTS = {
    "/site-packages/gunicorn/": "gunicorn: HTTP and sockets",
    "/site-packages/flask/": "Flask and Werkzeug",
    "/site-packages/werkzeug/": "Flask and Werkzeug",
    "/site-packages/marshmallow/": "marshmallow",
    "/site-packages/prometheus_client/": "metrics",
    f"{ROOT}/api/metrics.py": "metrics",
    "/site-packages/redis/": "redis-py and its sockets",
    f"{ROOT}/api/store/": "the store's code",
    f"{ROOT}/api/": "the API's own code",
    f"{ROOT}/engine/": "the rules",
}
"""The parts by what is in the path of their files."""

LOOP = "gevent's loop"
TICK = 0.001
COUNTS = "/bench/parts"


SECONDS = {Form.BRIEF: 1, Form.USUAL: 5, Form.LONG: 10}


def main() -> None:
    """Measure and print."""
    seconds = SECONDS[form_asked("bench.parts")]
    say(*described("redis", "flask", "gunicorn", "gevent"))
    server = StoreServer(valkey_binary(), "--appendonly", "no").start()
    api = ApiServer({"SCOUNDREL_REDIS_URL": server.url}, 1, app="bench.parts:create_app()")
    try:
        api.start()
        assert api.process  # noqa: S101  # it runs
        requests = list(moves(begin_all(Store(server.url), games_for(seconds))))
        look_first(api, requests)
        api.get(COUNTS)
        before = processor_seconds(api.process.pid)
        load = send(api.port, requests, seconds)
        each = (processor_seconds(api.process.pid) - before) / load.requests * 1e6
        counts: dict[str, int] = api.get(COUNTS).json
    finally:
        api.close()
        server.close()
    say("", f"applyActions, 1 worker, {CONNECTIONS} connections, {load.requests} moves")
    say(f"{'':32}{'share':>8}{'µs a move':>12}")
    for part, count in sorted(counts.items(), key=lambda counted: -counted[1]):
        share = count / sum(counts.values())
        say(f"{part:32}{share:8.0%}{share * each:12.0f}")


def create_app() -> Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """Return the API, counting where its time goes; a path of its own tells, and counts anew."""
    app, counts = create_api(), Counter[str]()

    def tick(_signal: int, frame: FrameType | None) -> None:
        counts[_part(frame)] += 1

    def counted(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != COUNTS:
            return app(environ, start_response)
        told = json.dumps(counts).encode()
        counts.clear()
        start_response("200 OK", [("Content-Length", str(len(told)))])
        return [told]

    signal.signal(signal.SIGPROF, tick)
    signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
    return counted


def _part(frame: FrameType | None) -> str:
    """Return the innermost part at work."""
    while frame:
        path = frame.f_code.co_filename
        for place, part in PARTS.items():
            if place in path:
                return part
        frame = frame.f_back
    return LOOP


if __name__ == "__main__":
    main()
