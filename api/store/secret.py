"""The server's secret and what is derived from it."""

from __future__ import annotations

import hmac
import secrets
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from api.store.client import Client

_KEY = "secret"
_BYTES = 32


class Secret:
    """At least 32 bytes that all processes share: configured, or made once in the store."""

    def __init__(self, client: Client, configured: bytes | None) -> None:
        self._client = client
        self._configured = configured

    @cached_property
    def _value(self) -> bytes:
        if self._configured is not None:
            return self._configured
        self._client.redis.set(_KEY, secrets.token_urlsafe(_BYTES), nx=True)
        return str(self._client.redis.get(_KEY)).encode()

    def derive(self, purpose: str, text: str) -> bytes:
        """Return 32 bytes that follow from the secret; one purpose never yields another's."""
        return hmac.digest(self._value, f"{purpose}\0{text}".encode(), "sha256")
