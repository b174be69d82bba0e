"""Who may play: ids that follow from idempotency keys, and the tokens of locked games."""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode

from api.current import request, store
from api.problems import TOKEN_REQUIRED, Problem
from api.store import Game, NewGame, Purpose

ID_BYTES = 16


def new_game_id(idempotency_key: str | None) -> str:
    """Return an id of 128 bits: drawn, or following from the key so that it is the same again."""
    if idempotency_key is None:
        return secrets.token_urlsafe(ID_BYTES)
    return _text(store().secret.derive(Purpose.ID, idempotency_key)[:ID_BYTES])


def client_name(address: str) -> str:
    """Return a name that stands for a client's address and does not tell it."""
    return _text(store().secret.derive(Purpose.CLIENT, address)[:ID_BYTES])


def token_of(game: Game | NewGame) -> str:
    """Return the token that playing a locked game takes."""
    return _text(store().secret.derive(Purpose.TOKEN, game.id))


def check_token(game: Game) -> None:
    """Raise a Problem unless the game is open, or the request carries its token."""
    if not game.locked:
        return
    scheme, _, given = request().environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    right = hmac.compare_digest(given.strip().encode(), token_of(game).encode())
    if scheme.lower() != "bearer" or not right:
        raise Problem(TOKEN_REQUIRED, TOKEN_REQUIRED.meaning)


def _text(derived: bytes) -> str:
    return urlsafe_b64encode(derived).decode().rstrip("=")
