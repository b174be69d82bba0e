"""Games about to be finished: noted before the last action, dropped once they are on their board.

A board and a game may be on different nodes of a Cluster, so no script can change both. Notes that
a crash leaves behind say which games to complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.store.client import Script
from api.store.observer import timed

if TYPE_CHECKING:
    from api.store.client import Client

_KEY = "pending"
_NOTE = Script("note")
_OVERDUE = Script("overdue")


class Pending:
    """The notes of games that may be finished but are not yet on their board."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @timed("pending_note")
    def note(self, game_id: str) -> None:
        """Note that a game is about to be finished, or move its note to the end."""
        self._client.run(_NOTE, _KEY, game_id)

    @timed("pending_drop")
    def drop(self, game_id: str) -> None:
        """Drop the note of a game."""
        self._client.redis.zrem(_KEY, game_id)

    def contains(self, game_id: str) -> bool:
        """Whether a game is noted."""
        return self._client.redis.zscore(_KEY, game_id) is not None

    @timed("pending_overdue")
    def overdue(self, grace: int, limit: int) -> list[str]:
        """Return up to ``limit`` games noted more than ``grace`` milliseconds ago, oldest first."""
        game_ids: list[str] = self._client.run(_OVERDUE, _KEY, grace, limit)
        return game_ids
