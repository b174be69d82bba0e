"""The deal: shuffling the pack by a seed, reproducible in any language and Python release.

``words(seed, label)`` is the sequence SHA-256(seed 00 label 00 i) for i = 0, 1, 2 …, where i is
four bytes and each digest is split into eight 32-bit numbers, all big-endian. ``uniform(n)`` is the
next word modulo n; words at or above the largest multiple of n are skipped, so all values are
equally likely. The shuffle is Fisher-Yates, from the last card down.
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
"""A regular expression that matches a whole seed."""

_WORDS = Struct(">8I")
_BOUNDS = (0, 0, *((1 << 32) // n * n for n in range(2, len(PACK) + 1)))
"""By n: the largest multiple of n up to 2**32, or 0 if n is less than 2."""


def check_seed(seed: str) -> str:
    """Return ``seed`` if it is valid. Raises InvalidSeed."""
    if not re.fullmatch(SEED_PATTERN, seed):
        raise InvalidSeed
    return seed


def deal(seed: str) -> tuple[Card, ...]:
    """Return the dungeon of ``seed``, top card first."""
    return shuffle(PACK, seed, "deal")


def shuffle(cards: Sequence[Card], seed: str, label: str) -> tuple[Card, ...]:
    """Shuffle ``cards`` by ``seed``; each ``label`` gives another order."""
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
    """Return the public hash of a seed, which fixes the deck without revealing it."""
    return sha256(b"scoundrel\0" + seed.encode()).hexdigest()
