"""Answers that hold a game, in either representation, and the tags that they are known by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.current import request
from api.representation import game_body, game_path, shown_seed
from api.responses import TEXT, Response, json_bytes, known_to_client, not_modified
from api.table import draw_table
from engine import commitment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.store import Game
    from engine import Event, State

_VARY = {"Vary": "Accept"}


def game_response(  # noqa: PLR0913  # one argument for each part of the answer
    game: Game,
    state: State,
    events: Sequence[Event] | None = None,
    *,
    token: str | None = None,
    replayed: bool = False,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the answer that shows a game in one of its states, as JSON or as the table."""
    asking = request()
    tag = tag_of(game, state.version, asking.media_type)
    if known_to_client(tag):
        return not_modified(tag, _VARY)
    if asking.media_type == TEXT:
        url = asking.host_url.rstrip("/") + game_path(game.id) + "/actions"
        body = draw_table(game, state, events or (), url, token).encode()
        content_type = "text/plain; charset=utf-8"
    else:
        body = json_bytes(game_body(game, state, events, token))
        content_type = "application/json"
    response = Response(
        body, status, content_type=content_type, headers={"ETag": tag, **_VARY, **(headers or {})}
    )
    response.replayed = replayed
    return response


def tag_of(game: Game, version: int, representation: str) -> str:
    """Return the entity tag of a game's version in a representation."""
    shown = "s" if shown_seed(game) else ""
    return f'"{version}{shown}-{commitment(game.seed)[:16]}-{representation.replace("/", ".")}"'
