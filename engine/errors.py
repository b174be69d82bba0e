"""The errors of the engine; each class has a stable ``code``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Collection

_MAX_QUOTED = 40


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…")


class EngineError(ValueError):
    """Base class of all errors that the engine raises for invalid input."""

    code: ClassVar[str]


class UnknownCard(EngineError):
    """The text is not the code of a card."""

    code = "unknown_card"

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{_quoted(text)} is not a card: "
            "write the rank (2-9, T, J, Q, K, A), then the suit (C, S, D, H)"
        )


class UnknownAction(EngineError):
    """The text is not an action in any state of any game."""

    code = "unknown_action"

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{_quoted(text)} is not an action: write it like fight:KS:weapon or avoid"
        )


class UnknownRuleset(EngineError):
    """No ruleset has this name."""

    code = "unknown_ruleset"

    def __init__(self, name: str, known: Collection[str]) -> None:
        super().__init__(f"{_quoted(name)} is not a ruleset; rulesets are {', '.join(known)}")
        self.name = name


class InvalidOption(EngineError):
    """An option does not exist, is repeated or has an invalid value.

    The message is ``option`` followed by ``reason``.
    """

    code = "invalid_option"

    def __init__(self, option: str, reason: str) -> None:
        super().__init__(f"{option} {reason}")
        self.option = option
        self.reason = reason


class InvalidSeed(EngineError):
    """The text is not a seed."""

    code = "invalid_seed"

    def __init__(self) -> None:
        super().__init__("a seed must be 1 to 64 characters of A-Z a-z 0-9 . _ ~ -")


class InvalidNotation(EngineError):
    """The line does not have the form ``ruleset[+option=value,…]/seed/action action …``."""

    code = "invalid_notation"
