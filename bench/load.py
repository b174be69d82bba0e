"""Load by wrk: requests made beforehand and sent over kept-alive connections."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from api.store import Game

_SCRIPTS = Path(__file__).parent
_TICKS = os.sysconf("SC_CLK_TCK")


class Request(NamedTuple):
    """A request to send."""

    method: str
    path: str
    body: str = ""


class Load(NamedTuple):
    """What came of a load. Latencies are milliseconds."""

    requests: int
    seconds: float
    p50: float
    p99: float

    @property
    def rate(self) -> float:
        """Requests answered a second."""
        return self.requests / self.seconds


class LoadError(RuntimeError):
    """Some requests failed, so that the figures would say nothing."""


def send(port: int, requests: Iterable[Request], seconds: int, connections: int = 16) -> Load:
    """Send ``requests`` in turn for some seconds, and return what came of it.

    Each connection keeps to its own games. Moves are sent once, all else again and again. Raises
    LoadError if a request was not answered 2xx, or if there were too few moves.
    """
    requests = list(requests)
    moving = any(request.path.endswith("/actions") for request in requests)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.writelines(f"{method} {path} {body}\n" for method, path, body in requests)
        file.flush()
        args = (file.name, str(connections), "once" if moving else "again")
        return load_of(wrk(port, "wrk.lua", seconds, (connections, connections), *args))


def wrk(port: int, script: str, seconds: int, crowd: tuple[int, int], *args: str) -> dict[str, Any]:
    """Run wrk with a script of ours for some seconds, and return what the script prints.

    The crowd is how many threads, and how many connections they have together. Raises LoadError if
    a request was not answered 2xx.
    """
    program = shutil.which("wrk")
    if program is None:
        raise SystemExit("wrk is needed, and not on the PATH; Debian has it: apt-get install wrk")
    done = subprocess.run(  # noqa: S603  # a program of ours to start
        [
            *(program, "--threads", str(crowd[0]), "--connections", str(crowd[1])),
            *("--duration", f"{seconds}s", "--timeout", "10s"),
            *("--script", str(_SCRIPTS / script), f"http://127.0.0.1:{port}", "--", *args),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    figures: dict[str, Any] = json.loads(done.stdout.rpartition("\n{")[2].join(("{", "")))
    if figures["failed"]:
        raise LoadError(f"{figures['failed']} of {figures['requests']} requests failed, or ran out")
    return figures


def load_of(figures: Mapping[str, Any]) -> Load:
    """Read what a script prints."""
    return Load(
        figures["requests"], figures["seconds"], figures["p50"] / 1000, figures["p99"] / 1000
    )


def moves(games: Sequence[tuple[Game, Sequence[str]]]) -> Iterator[Request]:
    """Yield the actions of games, each from the version that it stands at; one of each in turn.

    A connection keeps to its games, so no move is sent before the last one of its game is answered.
    """
    for step in count():
        playing = [
            (game.id, len(game.log) + step, actions)
            for game, actions in games
            if len(game.log) + step < len(actions)
        ]
        if not playing:
            return
        for game_id, version, actions in playing:
            body = json.dumps({"version": version, "actions": [actions[version]]})
            yield Request("POST", f"/v1/games/{game_id}/actions", body)


def looks_at(requests: Iterable[Request]) -> Iterator[Request]:
    """Yield a request that reads each game whose actions are among ``requests``."""
    paths = dict.fromkeys(path for method, path, _ in requests if method == "POST")
    yield from (
        Request("GET", path.removesuffix("/actions")) for path in paths if "/games/" in path
    )


def processor_seconds(process: int) -> float:
    """Return the processor time of a process and its children so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    own = (int(fields[11]) + int(fields[12])) / _TICKS
    return own + sum(processor_seconds(int(child)) for child in children)
