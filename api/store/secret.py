"""The server's secret, and the values derived from it."""

from __future__ import annotations

import hmac
import secrets
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from redis import RedisError

if TYPE_CHECKING:
    from api.store.client import Client

_KEY = "secret"
_FINGERPRINT_KEY = "secret:fingerprint"
_BYTES = 32
_WRONG = "the games in the store were made with another SCOUNDREL_SECRET"


class Purpose(StrEnum):
    """What a value is derived for. Two purposes never yield the same value."""

    CLIENT = "client"
    FINGERPRINT = "fingerprint"
    ID = "id"
    TOKEN = "token"  # noqa: S105  # the purpose's name


class WrongSecret(Exception):
    """The store was used with another secret: its tokens and idempotency keys would be void."""


class Secret:
    """At least 32 bytes that all processes share: configured, or made once in the store."""

    def __init__(self, client: Client, configured: bytes | None) -> None:
        self._client = client
        self._configured = configured

    def check(self) -> None:
        """Read or create the secret. Raises WrongSecret if the store was used with another one."""
        _ = self._value

    def restore(self) -> None:
        """Store the secret and its fingerprint again if the store has lost them.

        Raises WrongSecret if the store was used with another secret.
        """
        self._write(self._value)

    def derive(self, purpose: Purpose, text: str) -> bytes:
        """Return the 32 bytes derived from ``text`` for a purpose."""
        return _derive(self._value, purpose, text)

    @cached_property
    def _value(self) -> bytes:
        secret = self._configured or self._shared()
        self._write(secret)
        return secret

    def _shared(self) -> bytes:
        """Return the secret in the store, after creating it if there is none."""
        redis = self._client.redis
        # In this order, because the fingerprint is written after the secret.
        used = redis.get(_FINGERPRINT_KEY) is not None
        if redis.get(_KEY) is None and used:
            raise WrongSecret(_WRONG)
        redis.set(_KEY, secrets.token_urlsafe(_BYTES), nx=True)
        stored = redis.get(_KEY)
        if stored is None:
            raise RedisError("the secret disappeared as soon as it was created")
        return str(stored).encode()

    def _write(self, secret: bytes) -> None:
        redis = self._client.redis
        if self._configured is None:
            redis.set(_KEY, secret.decode(), nx=True)
        fingerprint = _derive(secret, Purpose.FINGERPRINT, "").hex()
        redis.set(_FINGERPRINT_KEY, fingerprint, nx=True)
        if redis.get(_FINGERPRINT_KEY) != fingerprint:
            raise WrongSecret(_WRONG)


def _derive(secret: bytes, purpose: Purpose, text: str) -> bytes:
    return hmac.digest(secret, f"{purpose}\0{text}".encode(), "sha256")
