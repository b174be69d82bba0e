"""Access to games: ids derived from idempotency keys, and the tokens of locked games."""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING

from api.games.errors import TokenRequired
from api.store import Purpose

if TYPE_CHECKING:
    from api.store import Game, Secret

ID_BYTES = 16


def new_game_id(secret: Secret, idempotency_key: str | None) -> str:
    """Return an id of 128 bits: random, or derived from the key so that it is the same again."""
    if idempotency_key is None:
        return secrets.token_urlsafe(ID_BYTES)
    return _text(secret.derive(Purpose.ID, idempotency_key)[:ID_BYTES])


def client_name(secret: Secret, address: str) -> str:
    """Return a name for a client that does not reveal its address."""
    return _text(secret.derive(Purpose.CLIENT, address)[:ID_BYTES])


def game_token(secret: Secret, game_id: str) -> str:
    """Return the token that playing a locked game requires."""
    return _text(secret.derive(Purpose.TOKEN, game_id))


def check_token(secret: Secret, game: Game, token: str | None) -> None:
    """Raise TokenRequired if the game is locked and ``token`` is not its token."""
    if game.locked and not hmac.compare_digest(
        (token or "").encode(), game_token(secret, game.id).encode()
    ):
        raise TokenRequired


def _text(derived: bytes) -> str:
    return urlsafe_b64encode(derived).decode().rstrip("=")
