"""What metrics and logs cost a request: ``python -m bench.watching``.

Measures what watches alone, as it does for a move: one request counted, two operations of the store
timed, one line logged.
"""

from __future__ import annotations

import os
import tempfile
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 20_000


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as directory, open(os.devnull, "w") as nowhere:  # noqa: PTH123  # a device
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory
        # Only now, for prometheus_client looks at the variable when it is imported.
        from api.app import App  # noqa: PLC0415  # see above

        from api import logs, metrics  # noqa: PLC0415  # see above
        from api.http.context import request  # noqa: PLC0415  # see above
        from api.http.responses import Response  # noqa: PLC0415  # see above

        def app(*, counted: bool, logged: bool) -> tuple[App, metrics.Metrics]:
            made, figures = App(__name__), metrics.Metrics()
            if counted:
                metrics.register(made, figures)
            if logged:
                logs.register(made, nowhere.fileno())
            made.add_url_rule("/v1/games/<game_id>/actions", "actions.apply_actions", Response)
            return made, figures

        def watched(made: App, figures: metrics.Metrics | None) -> Callable[[], None]:
            response = Response(status=200)

            def run() -> None:
                if figures:
                    figures.took("read", 0.0003)
                    figures.took("append", 0.0004)
                for watcher in made.watchers:
                    watcher(request(), response)

            return run

        bare = 0.0
        for name, counted, logged in (
            ("neither", False, False),
            ("metrics", True, False),
            ("a line of JSON", False, True),
        ):
            made, figures = app(counted=counted, logged=logged)
            with made.test_request_context("/v1/games/x/actions"):
                took = _microseconds(watched(made, figures if counted else None))
            bare = bare or took
            print(f"{name:16}{took - bare:6.1f} µs a request")  # noqa: T201  # what it is for


def _microseconds(run: Callable[[], None]) -> float:
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        for _ in range(ROUNDS // 5):
            run()
        best = min(best, (time.process_time() - began) / (ROUNDS // 5))
    return best * 1e6


if __name__ == "__main__":
    main()
