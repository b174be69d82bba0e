"""Test client of the API. It checks every response against the OpenAPI document."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from tests.servers import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

    from tests.api.documented import Document
    from tests.servers import ApiServer

JSON = {"Content-Type": "application/json"}

UNKNOWN_ID = "0123456789abcdefghijkl"
"""A well-formed ID that belongs to no game."""

OF_THE_MOMENT = frozenset({"Date", "X-Request-ID"})
"""Headers that differ between repeated requests."""


@dataclass
class Api:
    """A running API and its OpenAPI document."""

    server: ApiServer
    document: Document

    def request(
        self,
        method: str,
        path: str,
        json_body: Any = None,  # noqa: ANN401  # any JSON value
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a request and check that its response is documented."""
        reply = self.server.request(method, path, json_body, body=body, headers=headers)
        self.document.check(method, path, reply)
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        """GET a path."""
        return self.request("GET", path, headers=headers)

    def post(self, path: str, json_body: Any) -> Reply:  # noqa: ANN401  # any JSON value
        """POST JSON to a path."""
        return self.request("POST", path, json_body)

    def send(self, path: str, body: bytes) -> Reply:
        """POST bytes to a path as JSON."""
        return self.request("POST", path, body=body, headers=JSON)

    def new_game(self, **fields: Any) -> dict[str, Any]:  # noqa: ANN401  # any JSON value
        """Create a game and return it."""
        reply = self.post("/v1/games", fields)
        assert reply.status == 201, reply.body
        game: dict[str, Any] = reply.json
        return game

    def act(self, game_id: str, version: int, *actions: str) -> Reply:
        """Send actions."""
        return self.post(f"/v1/games/{game_id}/actions", {"version": version, "actions": actions})


class InProcess(Api):
    """The app in the process of the tests, called through Flask's test client."""

    def __init__(self, app: Flask, document: Document) -> None:
        self.document = document
        self._client = app.test_client(use_cookies=False)

    def request(
        self,
        method: str,
        path: str,
        json_body: Any = None,  # noqa: ANN401  # any JSON value
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Call the app as gunicorn does and check that its response is documented."""
        sent = dict(headers or {})
        if json_body is not None:
            body = json.dumps(json_body).encode()
            sent.setdefault("Content-Type", "application/json")
        bare, _, query = path.partition("?")
        response = self._client.open(
            bare,
            method=method,
            data=body,
            headers=sent,
            # Werkzeug would replace invalid UTF-8; gunicorn passes it on.
            environ_overrides={
                "PATH_INFO": unquote_to_bytes(bare).decode("latin-1"),
                "QUERY_STRING": query,
            },
        )
        reply = Reply(response.status_code, dict(response.headers), response.data)
        self.document.check(method, path, reply)
        return reply


def refused(reply: Reply) -> tuple[int, str]:
    """Return the status and code of a problem."""
    return reply.status, reply.json["code"]


def comparable(reply: Reply) -> tuple[int, dict[str, str], Any]:
    """Return a response without its date and request ID."""
    headers = {name: value for name, value in reply.headers.items() if name not in OF_THE_MOMENT}
    body: Any = reply.body
    if reply.headers.get("Content-Type", "").endswith("json") and reply.body:
        body = json.loads(reply.body)
        body.pop("request_id", None)
    return reply.status, headers, body
