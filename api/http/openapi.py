"""The OpenAPI document: flask-smorest's, with the parts that it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

VERSION = "0.1.0"

DESCRIPTION = """\
Play **Scoundrel**, the single-player roguelike card game by Zach Gage and Kurt Bieg (2011). The
server deals, knows the rules, refuses what is illegal, remembers every game and ranks the finished
ones; a client shows the table and asks the player.

**A game in three requests.** `POST /v1/games` deals one. The response lists the legal `actions`;
send one of them with the game's `version` to `POST /v1/games/{game_id}/actions`, and repeat that
until `status` is no longer `playing`. `GET /v1/games/{game_id}/score` explains the score.

**Cards** are written rank then suit: `2C … 9C TC JC QC KC AC`. Clubs and spades are monsters (an
ace is worth 14), diamonds weapons, hearts potions.

**Exactly once.** Sending the same actions with the same `version` again is harmless: they are not
applied again, and the response is the same. After a lost connection, a 503 or any doubt, repeat
the request.

**Nothing hidden leaks.** No response about a running game depends on cards that have not been
turned up. The `commitment` shown from the start proves afterwards that the deck was fixed.

**Errors** are `application/problem+json` (RFC 9457); distinguish them by `code`. Unknown fields and
query arguments are refused. Every path that supports GET also supports HEAD and OPTIONS. A 500 with
the code `internal_error` is a bug in the server; no request is known to cause one.

**Compatibility.** Within /v1, fields, codes, rulesets and types of events may be added, but never
changed or removed. Ignore those that you do not know.
"""

CONFIG = {
    "API_TITLE": "Scoundrel",
    "API_VERSION": VERSION,
    "OPENAPI_VERSION": "3.1.0",
    "API_SPEC_OPTIONS": {
        "info": {
            "description": DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "security": [],
        "servers": [{"url": "/", "description": "This server."}],
    },
}
"""flask-smorest's configuration."""


_TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "The token of a locked game. Other games require none.",
}
_UNUSED = ("PaginationMetadata",)
_FIRST = ("games", "actions", "scores", "histories", "ledger")
_LAST = ("documents", "health")


def document(app: Flask) -> dict[str, Any]:
    """Return the OpenAPI document of ``app``, without examples."""
    spec: dict[str, Any] = app.extensions["api"].spec.to_dict()
    spec["components"]["securitySchemes"] = {"token": _TOKEN}
    spec["paths"] = dict(sorted(spec["paths"].items()))
    spec["tags"].sort(key=lambda tag: _rank(tag["name"]))
    for path in spec["paths"].values():
        shared = path.pop("parameters", [])
        for operation in path.values():
            if parameters := [*shared, *operation.get("parameters", [])]:
                operation["parameters"] = parameters
            if "summary" in operation:
                operation["summary"] = operation["summary"].removesuffix(".")
    for unused in _UNUSED:
        spec["components"]["schemas"].pop(unused, None)
    return spec


def _rank(tag: str) -> tuple[int, int]:
    """Return a sort key: tags in the order of a game, and those for operators last."""
    if tag in _FIRST:
        return 0, _FIRST.index(tag)
    return (2, _LAST.index(tag)) if tag in _LAST else (1, 0)
