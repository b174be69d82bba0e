"""Creating games, at most one for each idempotency key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from api.games.access import game_token, new_game_id
from api.games.errors import IdempotencyKeyReused
from api.games.limits import count_creation
from api.store import MODES, GameNotFound, NewGame

if TYPE_CHECKING:
    from api.store import Allowance, Game, Mode, Store
    from engine import Rules


class GameRequest(NamedTuple):
    """A client's request for a new game."""

    rules: Rules
    mode: Mode
    seed: str | None
    player: str | None
    locked: bool


class Created(NamedTuple):
    """A new game, or with ``replayed`` the one that the idempotency key already created."""

    game: Game
    token: str | None
    allowance: Allowance | None
    replayed: bool


def create(
    store: Store, request: GameRequest, address: str, idempotency_key: str | None = None
) -> Created:
    """Create a game for the client at ``address``, or return the one that the key created.

    Raises IdempotencyKeyReused if that one was requested differently, and RateLimited.
    """
    game_id = new_game_id(store.secret, idempotency_key)
    new = NewGame(
        id=game_id,
        rules=request.rules,
        seed=MODES[request.mode].seed(request.seed),
        mode=request.mode,
        player=request.player,
        locked=request.locked,
    )
    # Derived before the game exists: nobody could play a locked game whose token was lost.
    token = game_token(store.secret, game_id) if new.locked else None
    # A repeated request creates nothing, so it neither counts nor is refused.
    repeated = idempotency_key is not None and store.create_limit and _exists(store, game_id)
    allowance = None if repeated else count_creation(store, address)
    game, created = store.games.create(new)
    if not created and game.requested != new.requested:
        raise IdempotencyKeyReused
    return Created(game, token, allowance, replayed=not created)


def _exists(store: Store, game_id: str) -> bool:
    try:
        store.games.read(game_id)
    except GameNotFound:
        return False
    return True
