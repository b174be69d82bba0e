"""The OpenAPI document of the app, with the recorded examples."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from api import create_app
from api.http.openapi import document
from api.server.embedded import embedded_store
from openapi.examples import SECRET, Recorder, record_examples

if TYPE_CHECKING:
    from collections.abc import Iterator

METHODS = ("get", "post")


def written() -> str:
    """Return the text of the contract."""
    with tempfile.TemporaryDirectory() as directory, embedded_store(Path(directory)) as store:
        while not store.answering:
            store.supervise()
            time.sleep(0.01)
        app = create_app({"REDIS_URL": store.url, "SECRET": SECRET})
        contract = document(app)
        recorder = Recorder(app)
        # Do not log the outages that the examples cause.
        with patch.object(app.logger, "disabled", new=True):
            record_examples(recorder, store.url)
    shortened = {name: contract[name] for name in ("openapi", "info", "servers")} | {"paths": {}}
    recorder.responses["getOpenApi"]["200", "application/json"] = {
        "shortened": {"summary": "The beginning, without paths", "value": shortened}
    }
    for operation in _operations(contract):
        _add_examples(operation, recorder)
    return json.dumps(contract, indent=2, ensure_ascii=False) + "\n"


def _operations(contract: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in contract["paths"].values():
        yield from (path[method] for method in METHODS if method in path)


def _add_examples(operation: dict[str, Any], recorder: Recorder) -> None:
    operation_id = operation["operationId"]
    if requests := recorder.requests.get(operation_id):
        operation["requestBody"]["content"]["application/json"]["examples"] = requests
    for (status, media_type), examples in recorder.responses.get(operation_id, {}).items():
        operation["responses"][status]["content"][media_type]["examples"] = examples
