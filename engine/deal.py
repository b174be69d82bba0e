"""The deal: a seed's own shuffle, the same in any language and any release of Python.

``words(seed, label)`` are SHA-256(seed 00 label 00 i) for i = 0, 1, 2 …, i as four bytes, each
digest read as eight numbers of 32 bits, everything big-endian. ``uniform(n)`` is the next word
modulo n; words at or above the largest multiple of n are skipped, so every value is as likely as
any other. The shuffle is Fisher and Yates's, from the last card down.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from struct import Struct
from typing import TYPE_CHECKING

from engine.cards import PACK, Card
from engine.errors import InvalidSeed

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED_PATTERN = "[A-Za-z0-9._~-]{1,64}"
"""What a seed looks like, from its first character to its last."""

_WORDS = Struct(">8I")
_BOUNDS = (0, 0, *((1 << 32) // n * n for n in range(2, len(PACK) + 1)))
"""By n: the largest multiple of n that a word can reach; 0 where there is nothing to choose."""


def check_seed(seed: str) -> str:
    """Return ``seed`` if it is one. Raises InvalidSeed."""
    if not re.fullmatch(SEED_PATTERN, seed):
        raise InvalidSeed
    return seed


def deal(seed: str) -> tuple[Card, ...]:
    """Return the dungeon of ``seed``, its top first."""
    return shuffle(PACK, seed, "deal")


def shuffle(cards: Sequence[Card], seed: str, label: str) -> tuple[Card, ...]:
    """Return ``cards`` in the order that ``seed`` gives them under ``label``."""
    shuffled = list(cards)
    prefix = f"{seed}\0{label}\0".encode()
    n = len(shuffled)
    i = 0
    while n > 1:
        for word in _WORDS.unpack(sha256(prefix + i.to_bytes(4, "big")).digest()):
            if word < _BOUNDS[n]:
                last, other = n - 1, word % n
                shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
                n = last
        i += 1
    return tuple(shuffled)


@lru_cache(maxsize=4096)
def commitment(seed: str) -> str:
    """Return what is shown of a seed from the start: it fixes the deck and does not reveal it."""
    return sha256(b"scoundrel\0" + seed.encode()).hexdigest()
