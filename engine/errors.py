"""Everything the engine refuses: one class for each reason, each with a stable ``code``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.actions import Action

_QUOTED = 40


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…")


class EngineError(ValueError):
    """What the engine raises: the input, not the engine, is at fault."""

    code: ClassVar[str]


class UnknownCard(EngineError):
    """No card of the pack is written so."""

    code = "unknown_card"

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{_quoted(text)} is no card: rank (2-9, T, J, Q, K, A) then suit (C, S, D, H)"
        )


class UnknownAction(EngineError):
    """The text is none of the actions, whatever the state of the game."""

    code = "unknown_action"

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{_quoted(text)} is no action; one is written like fight:KS:weapon or avoid"
        )


class UnknownRuleset(EngineError):
    """No ruleset has this name."""

    code = "unknown_ruleset"

    def __init__(self, name: str, known: Collection[str]) -> None:
        super().__init__(f"{_quoted(name)} is no ruleset; there are {', '.join(known)}")
        self.name = name


class InvalidOption(EngineError):
    """An option does not exist or does not take this value."""

    code = "invalid_option"

    def __init__(self, option: str, reason: str) -> None:
        super().__init__(f"{option} {reason}")
        self.option = option
        self.reason = reason


class InvalidSeed(EngineError):
    """A seed is 1 to 64 of ``A-Z a-z 0-9 . _ ~ -``."""

    code = "invalid_seed"

    def __init__(self) -> None:
        super().__init__("a seed is 1 to 64 characters of A-Z a-z 0-9 . _ ~ -")


class InvalidNotation(EngineError):
    """The line is not ``ruleset[+option=value,…]/seed/action action …``."""

    code = "invalid_notation"


class IllegalAction(EngineError):
    """An action, but not one of those that are legal now; ``legal`` are those."""

    code = "illegal_action"

    def __init__(self, action: Action, legal: tuple[Action, ...]) -> None:
        super().__init__(f"{action} is not legal now")
        self.action = action
        self.legal = legal


class GameOver(IllegalAction):
    """Nothing is legal any more: the game is won or lost."""

    code = "game_over"
