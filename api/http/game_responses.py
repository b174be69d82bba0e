"""Responses that hold a game, in either representation, and their entity tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.games.as_json import game_body, game_path
from api.games.as_text import draw_table
from api.http.context import current_request
from api.http.requests import TEXT
from api.http.responses import Response, has_current, json_response, not_modified
from engine import commitment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import flask

    from api.store import Game
    from engine import Event, State

_VARY = {"Vary": "Accept"}


def game_response(  # noqa: PLR0913  # one argument for each part of the response
    game: Game,
    state: State,
    events: Sequence[Event] | None = None,
    *,
    token: str | None = None,
    replayed: bool = False,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> flask.Response:
    """Return a game in one of its states, as JSON or as text."""
    request = current_request()
    tag = entity_tag(game, state.version, request.media_type)
    if has_current(tag):
        return not_modified(tag, _VARY)
    if request.media_type == TEXT:
        url = request.host_url.rstrip("/") + game_path(game.id, request.script_root) + "/actions"
        table = draw_table(game, state, events or (), url, token)
        response = Response(table, status, mimetype=TEXT)
    else:
        body = game_body(game, state, request.script_root, events, token)
        response = json_response(body, status)
    response.headers.extend({"ETag": tag, **_VARY, **(headers or {})})
    if replayed:
        response.headers["Idempotent-Replayed"] = "true"
    return response


def entity_tag(game: Game, version: int, representation: str) -> str:
    """Return the entity tag of a game's version in a representation."""
    shown = "s" if game.public_seed else ""
    return f'"{version}{shown}-{commitment(game.seed)[:16]}-{representation.replace("/", ".")}"'
