from __future__ import annotations

from typing import Protocol

import pytest

from engine import PACK, Options, State, begin, card

ORIGINAL = Options()


class Table(Protocol):
    """Begin a game on a prepared dungeon, given as card codes, top first.

    With ``whole``, the other cards of the pack follow; without it, there are no others.
    """

    def __call__(self, cards: str, options: Options = ..., *, whole: bool = ...) -> State: ...


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    def lay(cards: str, options: Options = ORIGINAL, *, whole: bool = False) -> State:
        top = tuple(card(code) for code in cards.split())
        rest = tuple(one for one in PACK if one not in top) if whole else ()
        monkeypatch.setattr("engine.game.deal", lambda _seed: top + rest)
        return begin("laid", options).state

    return lay
