"""The server's secret and what is derived from it."""

from __future__ import annotations

import hmac
import secrets
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from redis import RedisError

if TYPE_CHECKING:
    from api.store.client import Client

_KEY = "secret"
_FINGERPRINT_KEY = "secret:fingerprint"
_BYTES = 32


class Purpose(StrEnum):
    """What a value is derived for. One purpose never yields another's value."""

    ID = "id"
    TOKEN = "token"  # noqa: S105  # the purpose's name


class WrongSecret(Exception):
    """The store was used with another secret: its tokens and keys would mean nothing any more."""


class Secret:
    """At least 32 bytes that all processes share: configured, or made once in the store."""

    def __init__(self, client: Client, configured: bytes | None) -> None:
        self._client = client
        self._configured = configured

    def check(self) -> None:
        """Read or make the secret. Raises WrongSecret if the store was used with another one."""
        _ = self._value

    def derive(self, purpose: Purpose, text: str) -> bytes:
        """Return the 32 bytes that ``text`` stands for under a purpose."""
        return hmac.digest(self._value, f"{purpose}\0{text}".encode(), "sha256")

    @cached_property
    def _value(self) -> bytes:
        redis = self._client.redis
        secret = self._configured
        if secret is None:
            redis.set(_KEY, secrets.token_urlsafe(_BYTES), nx=True)
            stored = redis.get(_KEY)
            if stored is None:
                raise RedisError("the secret was lost as soon as it was made")
            secret = str(stored).encode()
        fingerprint = sha256(b"fingerprint\0" + secret).hexdigest()
        redis.set(_FINGERPRINT_KEY, fingerprint, nx=True)
        if redis.get(_FINGERPRINT_KEY) != fingerprint:
            raise WrongSecret("the games in the store were made with another SCOUNDREL_SECRET")
        return secret
