"""Figures for Prometheus at ``/metrics``: of all workers of one gunicorn, whichever is asked.

Under gunicorn the workers keep their figures in files of a directory that they share, which
gunicorn's configuration makes and names in ``PROMETHEUS_MULTIPROC_DIR``. The files of a worker that
has ended are added to those of the dead, so that no counter falls and no file is left over.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from flask import Blueprint, current_app
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

from api.responses import Response
from api.routes import method_name, route_name
from api.store import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from api.app import App
    from api.requests import Request
    from api.store import Game

DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

APPLIED, REPLAYED = "applied", "replayed"

_REQUEST_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_STORE_SECONDS = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 0.5, 1.0)
_APPLY = "actions.apply_actions"
_DEAD = 0  # no worker has this process id

metrics = Blueprint("metrics", __name__)


class Metrics(Watch):
    """The figures of one app."""

    def __init__(self) -> None:
        if DIRECTORY in os.environ:
            # The app is made in its worker. To ask for the process at every count is a system call.
            process = os.getpid()
            values.ValueClass = values.MultiProcessValue(lambda: process)  # type: ignore[no-untyped-call]  # prometheus_client
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "scoundrel_requests",
            "Requests answered, by method, route and status.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "scoundrel_request_seconds",
            "How long requests took, until their answer began.",
            ["method", "route"],
            buckets=_REQUEST_SECONDS,
            registry=self.registry,
        )
        self.moves = Counter(
            "scoundrel_moves",
            "Requests to apply actions, by result: applied, replayed, or the problem's code.",
            ["result"],
            registry=self.registry,
        )
        self.store_seconds = Histogram(
            "scoundrel_store_seconds",
            "How long the store took, by operation.",
            ["operation"],
            buckets=_STORE_SECONDS,
            registry=self.registry,
        )
        self.games_begun = Counter(
            "scoundrel_games_begun",
            "Games created, by ruleset and mode.",
            ["ruleset", "mode"],
            registry=self.registry,
        )
        self.games_finished = Counter(
            "scoundrel_games_finished",
            "Games played to their end, by ruleset and how they ended.",
            ["ruleset", "status"],
            registry=self.registry,
        )
        # To look for a label takes as long as to count.
        self._of_request = cache(self._labelled)
        self._of_operation = cache(self.store_seconds.labels)
        self._of_result = cache(self.moves.labels)

    def took(self, operation: str, seconds: float) -> None:
        """Count an operation of the store."""
        self._of_operation(operation).observe(seconds)

    def begun(self, game: Game) -> None:
        """Count a game created."""
        self.games_begun.labels(_ruleset(game), game.mode.value).inc()

    def finished(self, game: Game) -> None:
        """Count a game's end."""
        self.games_finished.labels(_ruleset(game), game.state.status.value).inc()

    def answered(self, asking: Request, response: Response) -> None:
        """Count a request."""
        method, route = method_name(asking), route_name(asking)
        requests, took = self._of_request(method, route, response.status_code)
        requests.inc()
        took.observe(perf_counter() - asking.began)
        if asking.endpoint == _APPLY:
            result = asking.problem_code or (REPLAYED if response.replayed else APPLIED)
            self._of_result(result).inc()

    def _labelled(self, method: str, route: str, status: int) -> tuple[Counter, Histogram]:
        return self.requests.labels(method, route, status), self.seconds.labels(method, route)

    def exposition(self) -> bytes:
        """Write the figures in Prometheus's text format, those of all workers."""
        directory = os.environ.get(DIRECTORY)
        if directory is None:
            return generate_latest(self.registry)
        with _alone_in(Path(directory)):
            bury_the_dead(Path(directory))
            everyone = CollectorRegistry()
            MultiProcessCollector(everyone, directory)  # type: ignore[no-untyped-call]  # prometheus_client
            return generate_latest(everyone)


def register(app: App, figures: Metrics) -> None:
    """Count the app's requests, and answer ``/metrics``."""
    app.extensions["metrics"] = figures
    app.watchers.append(figures.answered)
    app.register_blueprint(metrics)


@metrics.get("/metrics")
def get_metrics() -> Response:
    """Answer with the figures of all workers."""
    figures: Metrics = current_app.extensions["metrics"]
    response = Response(figures.exposition(), content_type=CONTENT_TYPE)
    response.caching = "no-store"
    return response


def bury_the_dead(directory: Path) -> None:
    """Add the files of workers that have ended to those of the dead, and remove them.

    Only counters and histograms are kept in files here, and sums are all that becomes of them.
    """
    for path in sorted(directory.glob("*_*.db")):
        kind, _, process = path.stem.rpartition("_")
        if int(process) == _DEAD or _lives(int(process)):
            continue
        dead = MmapedDict(str(directory / f"{kind}_{_DEAD}.db"))  # type: ignore[no-untyped-call]  # prometheus_client
        for key, value, _time, _place in MmapedDict.read_all_values_from_file(str(path)):  # type: ignore[no-untyped-call]  # prometheus_client
            so_far, _ = dead.read_value(key)  # type: ignore[no-untyped-call]  # prometheus_client
            dead.write_value(key, so_far + value, 0.0)  # type: ignore[no-untyped-call]  # prometheus_client
        dead.close()  # type: ignore[no-untyped-call]  # prometheus_client
        path.unlink()


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    # Between the sum's change and the file's end a worker would be counted twice.
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _ruleset(game: Game) -> str:
    return "custom" if game.rules.custom else game.rules.ruleset
