"""Metrics for Prometheus at ``/metrics``, of all workers of one gunicorn.

Under gunicorn the workers keep their values in files of a shared directory, which gunicorn's
configuration creates and names in ``PROMETHEUS_MULTIPROC_DIR``. A new worker continues the files of
one that has ended, so counters never fall and files do not pile up.
"""

from __future__ import annotations

import fcntl
import os
from functools import cache
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from flask import Blueprint, Response, current_app
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector

from api.http.context import current_request
from api.store import Observer

if TYPE_CHECKING:
    from flask import Flask

    from api.store import Game

DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

APPLIED, REPLAYED = "applied", "replayed"

_REQUEST_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_STORE_SECONDS = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 0.5, 1.0)
_APPLY_ACTIONS = "actions.apply_actions"

metrics = Blueprint("metrics", __name__)


class Metrics(Observer):
    """The metrics of one app."""

    def __init__(self) -> None:
        if directory := os.environ.get(DIRECTORY):
            slot = take_slot(Path(directory))
            values.ValueClass = values.MultiProcessValue(lambda: slot)  # type: ignore[no-untyped-call]  # prometheus_client
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "scoundrel_requests",
            "Requests, by method, route and status.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "scoundrel_request_seconds",
            "Duration of requests until the response begins, in seconds.",
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
            "Duration of the store's operations, in seconds.",
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
            "Games finished, by ruleset and status.",
            ["ruleset", "status"],
            registry=self.registry,
        )
        # Looking up a labelled metric takes as long as counting.
        self._for_request = cache(self._labelled)
        self._for_operation = cache(self.store_seconds.labels)
        self._for_result = cache(self.moves.labels)

    def register(self, app: Flask) -> None:
        """Count the app's requests."""
        app.after_request(self._count_request)

    def operation_ended(self, operation: str, seconds: float) -> None:
        """Count an operation of the store."""
        self._for_operation(operation).observe(seconds)

    def game_created(self, game: Game) -> None:
        """Count a new game."""
        self.games_begun.labels(_ruleset(game), game.mode.value).inc()

    def game_finished(self, game: Game) -> None:
        """Count a finished game."""
        self.games_finished.labels(_ruleset(game), game.state.status.value).inc()

    def exposition(self) -> bytes:
        """Return the metrics of all workers in Prometheus's text format."""
        directory = os.environ.get(DIRECTORY)
        if directory is None:
            return generate_latest(self.registry)
        all_workers = CollectorRegistry()
        MultiProcessCollector(all_workers, directory)  # type: ignore[no-untyped-call]  # prometheus_client
        return generate_latest(all_workers)

    def _count_request(self, response: Response) -> Response:
        request = current_request()
        method, route = request.known_method, request.route
        requests, seconds = self._for_request(method, route, response.status_code)
        requests.inc()
        seconds.observe(perf_counter() - request.began)
        if request.endpoint == _APPLY_ACTIONS:
            replayed = "Idempotent-Replayed" in response.headers
            self._for_result(request.problem_code or (REPLAYED if replayed else APPLIED)).inc()
        return response

    def _labelled(self, method: str, route: str, status: int) -> tuple[Counter, Histogram]:
        return self.requests.labels(method, route, status), self.seconds.labels(method, route)


@metrics.get("/metrics")
def get_metrics() -> Response:
    """Return the metrics of all workers."""
    observer: Metrics = current_app.extensions["metrics"]
    response = Response(observer.exposition(), content_type=CONTENT_TYPE)
    response.headers["Cache-Control"] = "no-store"
    return response


def take_slot(directory: Path) -> int:
    """Return the lowest number that no living process has taken in ``directory``, and take it.

    The lock lasts until the process ends.
    """
    for slot in count():
        lock = os.open(directory / f"{slot}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
        else:
            return slot
    raise AssertionError  # count() never ends


def _ruleset(game: Game) -> str:
    return "custom" if game.rules.custom else game.rules.ruleset
