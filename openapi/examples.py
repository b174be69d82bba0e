"""Record the examples of the contract: requests to the app on a real store, and the responses.

Every run gives the same examples: ids, seeds and request ids are drawn from a fixed source, and
times are moved to a fixed date.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from collections import defaultdict
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http import HTTPStatus
from io import BytesIO
from itertools import count
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from api import create_app
from engine import format_notation, parse_notation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from werkzeug.test import TestResponse

WON = parse_notation(
    "original/demo-original-1/"
    "6D ASw JCw 9Cw 5Sw 8H a 4Sw 6H 2D 9D ACw KSw 5H 4H QSw TCw 5Cw 4D TH 3D 3Cw TD "
    "6Sb 3H a TSw 9Sw 8Cw 7Cw 7Sw 3Sw a 5D JSw 9H 6Cw 7D 8D a KCw QCw 8Sw 7H 4Cw 2Cw "
    "2H 2Sw"
)
LOST = parse_notation("original/demo-1/TH 3D 9D 4H 4Sb 6D QSb 3Sb 6H 8Cb")
WINNING, LOSING = (list(map(str, game.actions)) for game in (WON, LOST))

KEY = "0b6a3f5e-6f3c-4f0e-9c55-4b1f0d6f2f7a"
AS_TEXT = {"Accept": "text/plain"}
AS_HTML = {"Accept": "text/html"}
SECRET = "the secret of the examples, which guards nothing"  # noqa: S105  # it guards nothing

_DAY_ONE = datetime(2026, 1, 15, 20, 15, tzinfo=UTC)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_MEMBER = re.compile(r"\b(\d{3})\d{13}([A-Za-z0-9_-]{22})")
_NOWHERE = "redis://127.0.0.1:1/0"
_BODILESS = {204, 304}


class Recorder:
    """Sends requests and records them as examples.

    ``requests`` maps an operation and an example's name to the request body, ``responses`` an
    operation, a status with media type, and a name to the response body.
    """

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._began = datetime.now(UTC)
        self.requests: dict[str, dict[str, Any]] = defaultdict(dict)
        self.responses: dict[str, dict[tuple[str, str], dict[str, Any]]] = defaultdict(
            lambda: defaultdict(dict)
        )

    def ask(
        self,
        operation_id: str,
        path: str,
        name: str,
        summary: str,
        *,
        app: Flask | None = None,
        **request: Any,  # noqa: ANN401  # arguments of the test client
    ) -> Any:  # noqa: ANN401  # any JSON
        """Send a request, record it and its response, and return the body of the response."""
        body = request.get("json")
        method = "POST" if {"json", "data", "input_stream"} & set(request) else "GET"
        response = (app or self._app).test_client().open(path, method=method, **request)
        if body is not None and response.status_code < HTTPStatus.BAD_REQUEST:
            self.requests[operation_id][name] = {"summary": summary, "value": body}
        self._keep(operation_id, name, summary, response)
        return response.get_json() if response.is_json else response.get_data(as_text=True)

    def play(self, game: dict[str, Any], actions: list[str]) -> dict[str, Any]:
        """Apply actions one by one without recording them."""
        client = self._app.test_client()
        for action in actions:
            game = client.post(
                f"/v1/games/{game['id']}/actions",
                json={"version": game["version"], "actions": [action]},
            ).get_json()
        return game

    def finish(self, game: dict[str, Any]) -> None:
        """Play the first legal action until the game is over, without recording."""
        while game["actions"]:
            game = self.play(game, game["actions"][:1])

    def _keep(self, operation_id: str, name: str, summary: str, response: TestResponse) -> None:
        if response.status_code in _BODILESS:
            return
        text = response.get_data(as_text=True)
        fixed = _MEMBER.sub(rf"\g<1>{int(_DAY_ONE.timestamp())}000\2", _TIME.sub(self._date, text))
        value = json.loads(fixed) if response.is_json else fixed
        key = str(response.status_code), str(response.mimetype)
        self.responses[operation_id][key][name] = {"summary": summary, "value": value}

    def _date(self, match: re.Match[str]) -> str:
        days = round((datetime.fromisoformat(match[0]) - self._began) / timedelta(days=1))
        return f"{_DAY_ONE + timedelta(days=days):%Y-%m-%dT%H:%M:%S}.000Z"


def record_examples(recorder: Recorder, store_url: str) -> None:
    """Record the examples of all operations, some with further apps on the same store."""
    with _fixed_draws():
        running, won, lost = _games(recorder)
        _actions(recorder, running, won)
        _finished(recorder, running, won, lost)
        _rest(recorder)
        _refusals(recorder, running["id"])
        _limit(recorder, store_url)


def _games(recorder: Recorder) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    path = "/v1/games"
    create = "createGame", path
    recorder.ask(*create, "original", "A game by the original rules", json={})
    recorder.ask(
        *create,
        "custom",
        "Another ruleset, a changed option and a player name",
        json={"ruleset": "gravekeeper", "options": {"draw": "auto"}, "player": "Morgan"},
    )
    recorder.ask(
        *create,
        "locked",
        "A locked game",
        json={"player": "Morgan", "locked": True},
        headers={"Idempotency-Key": KEY},
    )
    recorder.ask(
        *create,
        "reused",
        "The same key with another request",
        json={"player": "Alex"},
        headers={"Idempotency-Key": KEY},
    )
    running = recorder.ask(
        *create, "seeded", "A deck chosen by the client", json={"seed": WON.seed, "player": "Sam"}
    )
    recorder.ask(*create, "table", "The table as text", json={"seed": WON.seed}, headers=AS_TEXT)
    others = [
        recorder.ask(*create, name, summary, json={"seed": seed, "player": "Morgan"})
        for name, summary, seed in (
            ("won", "A deck for a won game", WON.seed),
            ("lost", "A deck for a lost game", LOST.seed),
        )
    ]
    running = recorder.play(running, WINNING[:2])
    won = recorder.play(others[0], WINNING)
    lost = recorder.play(others[1], LOSING)
    for name, summary, game in (
        ("running", "A running game", running),
        ("won", "Won, with the seed", won),
        ("lost", "Lost", lost),
    ):
        recorder.ask("getGame", f"{path}/{game['id']}", name, summary)
    recorder.ask(
        "getGame", f"{path}/{running['id']}", "table", "The table as text", headers=AS_TEXT
    )
    return running, won, lost


def _actions(recorder: Recorder, running: dict[str, Any], won: dict[str, Any]) -> None:
    path = f"/v1/games/{running['id']}/actions"
    recorder.ask("listActions", path, "running", "Legal actions and their effects")
    recorder.ask("listActions", f"/v1/games/{won['id']}/actions", "over", "No legal actions")

    apply = "applyActions", path
    version = running["version"]
    recorder.ask(*apply, "single", "One action", json={"version": version, "actions": WINNING[2:3]})
    recorder.ask(
        *apply,
        "batch",
        "Several actions, the last of which turns up cards",
        json={"version": version + 1, "actions": WINNING[3:6]},
    )
    recorder.ask(
        *apply,
        "table",
        "The table as text",
        json={"version": version + 4, "actions": WINNING[6:7]},
        headers=AS_TEXT,
    )
    recorder.ask(*apply, "stale", "An old version", json={"version": 3, "actions": ["avoid"]})
    recorder.ask(
        *apply,
        "illegal",
        "An illegal action",
        json={"version": version + 5, "actions": ["equip:TD"]},
    )
    recorder.ask(
        *apply,
        "reveals",
        "An action after one that turns up cards",
        json={"version": version + 5, "actions": [*WINNING[7:10], "avoid"]},
    )
    recorder.ask(
        "applyActions",
        f"/v1/games/{won['id']}/actions",
        "over",
        "A finished game",
        json={"version": won["version"], "actions": ["avoid"]},
    )
    locked = recorder.ask(
        "createGame",
        "/v1/games",
        "locked",
        "A locked game",
        json={"locked": True},
    )
    recorder.ask(
        "applyActions",
        f"/v1/games/{locked['id']}/actions",
        "locked",
        "A locked game without its token",
        json={"version": 0, "actions": locked["actions"][:1]},
    )


def _finished(
    recorder: Recorder, running: dict[str, Any], won: dict[str, Any], lost: dict[str, Any]
) -> None:
    for name, summary, game in (
        ("running", "Not over yet", running),
        ("won", "Won", won),
        ("lost", "Lost", lost),
    ):
        recorder.ask("getScore", f"/v1/games/{game['id']}/score", name, summary)
    for name, summary, game in (
        ("running", "A running game, without the notation", running),
        ("lost", "A finished game, with its notation", lost),
    ):
        recorder.ask("getHistory", f"/v1/games/{game['id']}/history", name, summary)
    again = recorder.ask(
        "createGame", "/v1/games", "again", "The same deck", json={"seed": WON.seed}
    )
    recorder.finish(again)
    ledger = "/v1/ledger?ruleset=original&seed="
    recorder.ask("listLedger", ledger + WON.seed, "seed", "The board of a seed")
    recorder.ask("listLedger", ledger + WON.seed + "&limit=1", "page", "A page with a cursor")
    recorder.ask("listLedger", "/v1/ledger", "empty", "An empty board")
    replay = "verifyReplay", "/v1/replays"
    recorder.ask(
        *replay, "notation", "A game as notation", json={"notation": format_notation(*LOST)}
    )
    recorder.ask(
        *replay,
        "parts",
        "The same game as separate fields",
        json={"ruleset": "original", "seed": LOST.seed, "actions": LOSING},
    )
    recorder.ask(
        *replay,
        "illegal",
        "An illegal action",
        json={"notation": f"original/{LOST.seed}/TH TH"},
    )


def _rest(recorder: Recorder) -> None:
    recorder.ask("listRulesets", "/v1/rulesets", "all", "All rulesets")
    recorder.ask("getRuleset", "/v1/rulesets/strict", "strict", "A ruleset")
    recorder.ask("getRuleset", "/v1/rulesets/nosuch", "unknown", "An unknown ruleset")
    recorder.ask("getLiveness", "/livez", "alive", "The process responds")
    recorder.ask("getReadiness", "/readyz", "ready", "The store is available")


def _refusals(recorder: Recorder, game_id: str) -> None:
    """Record the problems of every operation."""
    away = create_app({"REDIS_URL": _NOWHERE, "SECRET": SECRET})
    game, unknown = f"/v1/games/{game_id}", "/v1/games/AAAAAAAAAAAAAAAAAAAAAA"
    for operation_id, path in (
        ("getGame", ""),
        ("listActions", "/actions"),
        ("getScore", "/score"),
        ("getHistory", "/history"),
    ):
        recorder.ask(operation_id, unknown + path, "unknown", "An unknown game")
        recorder.ask(operation_id, game + path, "away", "The store is unavailable", app=away)
    recorder.ask("listLedger", "/v1/ledger", "away", "The store is unavailable", app=away)
    recorder.ask("getReadiness", "/readyz", "away", "The store is unavailable", app=away)
    for operation_id, path in (
        ("getGame", game),
        ("listActions", f"{game}/actions"),
        ("getScore", f"{game}/score"),
        ("getHistory", f"{game}/history"),
        ("listLedger", "/v1/ledger"),
        ("listRulesets", "/v1/rulesets"),
        ("getRuleset", "/v1/rulesets/strict"),
        ("getLiveness", "/livez"),
        ("getReadiness", "/readyz"),
        ("getOpenApi", "/openapi.json"),
    ):
        recorder.ask(operation_id, path, "html", "Only HTML is accepted", headers=AS_HTML)
        recorder.ask(
            operation_id, f"{path}?colour=red", "unknown_argument", "An unknown query argument"
        )
    act = {"version": 0, "actions": ["avoid"]}
    for operation_id, path, body, wrong in (
        ("createGame", "/v1/games", {}, {"options": {"leave": "2"}, "colour": "red"}),
        (
            "applyActions",
            f"{game}/actions",
            {"version": 0, "actions": ["avoid"]},
            {"actions": ["flee"]},
        ),
        ("verifyReplay", "/v1/replays", {"notation": format_notation(*LOST)}, {"seed": LOST.seed}),
    ):
        ask = operation_id, path
        recorder.ask(*ask, "wrong", "Several invalid fields", json=wrong)
        recorder.ask(*ask, "html", "Only HTML is accepted", json=body, headers=AS_HTML)
        recorder.ask(*ask, "cut", "Truncated JSON", data="{", content_type="application/json")
        recorder.ask(*ask, "form", "A form instead of JSON", data={"ruleset": "original"})
        recorder.ask(
            *ask,
            "broken",
            "A broken chunk",
            input_stream=_Broken(b"{}"),
            content_type="application/json",
        )
        recorder.ask(*ask, "large", "A body of 17 KiB", data=" " * 17 * 1024)
        if operation_id != "verifyReplay":
            recorder.ask(*ask, "away", "The store is unavailable", json=body, app=away)
    recorder.ask(
        "applyActions",
        f"{unknown}/actions",
        "unknown",
        "An unknown game",
        json=act,
    )


def _limit(recorder: Recorder, store_url: str) -> None:
    limited = create_app({"REDIS_URL": store_url, "SECRET": SECRET, "CREATE_LIMIT": "1/day"})
    limited.test_client().post("/v1/games", json={})
    recorder.ask("createGame", "/v1/games", "limited", "Too many games", app=limited, json={})


class _Broken(BytesIO):
    """A body whose chunked encoding is broken."""

    def readinto(self, _: object) -> int:
        """Fail."""
        raise ValueError("a chunk without its length")

    def read(self, *_: object) -> bytes:
        """Fail."""
        raise ValueError("a chunk without its length")


@contextmanager
def _fixed_draws() -> Iterator[None]:
    """Draw ids, seeds and request ids from a fixed source."""
    counter = count()

    def draw(nbytes: int) -> bytes:
        return sha256(f"example {next(counter)}".encode()).digest()[:nbytes]

    def draw_text(nbytes: int) -> str:
        return urlsafe_b64encode(draw(nbytes)).decode().rstrip("=")

    with (
        patch("secrets.token_urlsafe", draw_text),
        patch("api.http.requests.getrandbits", lambda bits: int.from_bytes(draw(bits // 8))),
    ):
        yield
