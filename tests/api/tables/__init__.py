"""Scenes of games, and one file for each with the expected text table.

``python -m tests.api.tables`` rewrites the files. Review the differences before you commit them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.playing import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.playing import Client

HERE = Path(__file__).parent
AS_TEXT = {"Accept": "text/plain"}

_VECTORS = Path(__file__).parents[3] / "openapi" / "vectors" / "games.json"

# Values that differ between runs, and their replacements of the same width.
_URL = re.compile(r"http://127\.0\.0\.1:\d+/v1/games/[A-Za-z0-9_-]{22}")
_TOKEN = re.compile(r"Bearer [A-Za-z0-9_-]{43}'")
_FIXED = ("http://127.0.0.1:8000/v1/games/an-id-of-22-characters", f"Bearer {'token' * 9:.43}'")


class Scene(NamedTuple):
    """A game after some of its actions, as shown in the response to the last one."""

    seed: str
    played: int
    ruleset: str = "original"
    options: Mapping[str, Any] = {}
    player: str | None = None
    locked: bool = False

    @property
    def game(self) -> Record:
        """The recorded game with this seed and these rules."""
        (actions,) = (
            game["actions"]
            for game in json.loads(_VECTORS.read_text())
            if (game["ruleset"], game["options"], game["seed"])
            == (self.ruleset, self.options, self.seed)
        )
        return Record(self.ruleset, self.options, self.seed, actions)

    def draw(self, client: Client) -> str:
        """Play the game to this point; return the table with a fixed ID, port and token."""
        game = self.game
        named = {"player": self.player} if self.player else {}
        request = {**game.new_game, "locked": self.locked, **named}
        if not self.played:
            return _fixed(client.request("POST", "/v1/games", request, headers=AS_TEXT).body)
        created = client.request("POST", "/v1/games", request).json
        token = {"Authorization": f"Bearer {created['token']}"} if self.locked else {}
        path = created["links"]["actions"]
        for version, action in enumerate(game.actions[: self.played]):
            body = {"version": version, "actions": [action]}
            table = client.request("POST", path, body, headers={**AS_TEXT, **token}).body
        return _fixed(table)


_SHUFFLED = {"avoiding": "always", "avoid_order": "shuffled"}

SCENES = {
    "start": Scene("demo-original-1", 0),
    "weapon": Scene("demo-original-3", 31, player="Anna"),
    "kept": Scene("demo-bonus-52", 25),
    "shuffled": Scene("demo-original-3", 24, options=_SHUFFLED),
    "drawing": Scene("demo-gravekeeper-1", 2, "gravekeeper"),
    "deadly": Scene("demo-gravekeeper-2", 29, "gravekeeper"),
    "won": Scene("demo-original-1", 48),
    "won-with-bonus": Scene("demo-bonus-52", 51),
    "lost": Scene("demo-original-2", 11),
    "locked": Scene("demo-strict-1", 0, "strict", locked=True),
    "locked-and-played": Scene("demo-strict-1", 1, "strict", locked=True),
    "wide": Scene(
        "demo-gamemaker-1",
        0,
        "gamemaker",
        player="地下迷宮の墓守と悪党の最後の夜の長い長い物語完結",
    ),
}
"""Scenes by the name of their file."""


def file_of(name: str) -> Path:
    """Return the file with the expected table of a scene."""
    return HERE / f"{name}.txt"


def _fixed(drawn: bytes) -> str:
    url, token = _FIXED
    return _TOKEN.sub(token, _URL.sub(url, drawn.decode()))
