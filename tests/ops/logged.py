"""An API server whose log tests can read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.ports import free_port
from tests.servers import ROOT, ApiServer, wait_until


@dataclass
class LoggedServer(ApiServer):
    """gunicorn with the production configuration and its output in a file."""

    file: Path = Path(os.devnull)

    def start(self) -> Self:
        """Start gunicorn and wait until it responds."""
        self.port = self.port or free_port()
        with self.file.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", "-c", "api/server/gunicorn.conf.py"],
                cwd=ROOT,
                env={
                    **{k: v for k, v in os.environ.items() if not k.startswith("SCOUNDREL_")},
                    "WEB_CONCURRENCY": str(self.workers),
                    "SCOUNDREL_PORT": str(self.port),
                    **self.environment,
                },
                start_new_session=True,
                stdout=log,
                stderr=log,
            )
        wait_until(self._answers)
        return self

    @property
    def text(self) -> str:
        """The output so far."""
        return self.file.read_text()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of the log."""
        return [json.loads(line) for line in self.text.splitlines()]

    def of(self, request_id: str) -> dict[str, Any]:
        """Return the only line of a request."""
        found = [line for line in self.lines if line.get("request_id") == request_id]
        assert len(found) == 1
        return found[0]
