"""The ten options that the published rules disagree on, and the rulesets that name their choices.

A game may override single options of its ruleset. A published ruleset never changes, because
stored games name it; a new one is one more entry of :data:`RULESETS`.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import InvalidOption, UnknownRuleset

if TYPE_CHECKING:
    from collections.abc import Mapping


class Degradation(StrEnum):
    """What a used weapon may still fight, against the last monster on it."""

    LOWER_OR_EQUAL = "lower_or_equal"
    LOWER = "lower"


class AvoidOrder(StrEnum):
    """The order of an avoided room at the bottom of the dungeon."""

    KEPT = "kept"
    SHUFFLED = "shuffled"


class Avoiding(StrEnum):
    """Whether two rooms in a row may be avoided, or any at all."""

    NOT_TWICE = "not_twice"
    NEVER = "never"
    ALWAYS = "always"


class Draw(StrEnum):
    """Whether cards turn up by themselves, or each by its own ``draw`` action."""

    AUTO = "auto"
    MANUAL = "manual"


class Bonus(StrEnum):
    """When a potion faced last in a won game adds its value to the score."""

    FULL_AFTER = "full_after"
    FULL_BEFORE = "full_before"
    NONE = "none"


class LossCounts(StrEnum):
    """Which remaining monsters a lost game's score counts."""

    DUNGEON = "dungeon"
    DUNGEON_AND_ROOM = "dungeon_and_room"


class Overkill(StrEnum):
    """Whether health below 0 counts in a lost game's score."""

    COUNTED = "counted"
    IGNORED = "ignored"


class Options(NamedTuple):
    """A value for each option: all that the rules of one game depend on."""

    health: int = 20
    degradation: Degradation = Degradation.LOWER_OR_EQUAL
    avoid_order: AvoidOrder = AvoidOrder.KEPT
    avoiding: Avoiding = Avoiding.NOT_TWICE
    draw: Draw = Draw.AUTO
    potions_per_turn: int = 1
    leave: int = 0
    bonus: Bonus = Bonus.FULL_AFTER
    loss_counts: LossCounts = LossCounts.DUNGEON
    overkill: Overkill = Overkill.COUNTED


class Option(NamedTuple):
    """One of the ten: the values it takes, by the text they are written as, and what it settles."""

    name: str
    values: Mapping[str, int | StrEnum]
    settles: str

    @property
    def numeric(self) -> bool:
        """Whether the values are whole numbers, all of a range; otherwise they are words."""
        return not isinstance(next(iter(self.values.values())), StrEnum)

    @property
    def domain(self) -> str:
        """The values as a reader wants them: ``1 to 99``, or ``auto, manual``."""
        texts = tuple(self.values)
        return f"{texts[0]} to {texts[-1]}" if self.numeric else ", ".join(texts)

    def value(self, given: object) -> int | StrEnum:
        """Return the value that ``given`` is: a whole number or a word. Raises InvalidOption."""
        if isinstance(given, int if self.numeric else str) and not isinstance(given, bool):
            for value in self.values.values():
                if value == given:
                    return value
        raise InvalidOption(self.name, f"takes {self.domain}")

    def parse(self, text: str) -> int | StrEnum:
        """Return the value written ``text``. Raises InvalidOption."""
        if text not in self.values:
            raise InvalidOption(self.name, f"takes {self.domain}")
        return self.values[text]


def _words(name: str, kind: type[StrEnum], settles: str) -> Option:
    return Option(name, {str(value): value for value in kind}, settles)


def _numbers(name: str, numbers: range, settles: str) -> Option:
    return Option(name, {str(number): number for number in numbers}, settles)


_ALL_OPTIONS = (
    _numbers("health", range(1, 100), "The starting and the maximum health."),
    _words(
        "degradation",
        Degradation,
        "Which monsters a used weapon still works on: those of lower value than the last one "
        "stacked on it, or also an equal one.",
    ),
    _words("avoid_order", AvoidOrder, "The order of an avoided room at the bottom of the dungeon."),
    _words("avoiding", Avoiding, "Whether rooms may be avoided, and two of them in a row."),
    _words(
        "draw", Draw, "Whether cards turn up by themselves, or one at a time by the `draw` action."
    ),
    _numbers("potions_per_turn", range(5), "How many potions of a turn heal."),
    _numbers("leave", range(3), "How many cards of the last room may be left unfaced."),
    _words(
        "bonus",
        Bonus,
        "When a potion as the last card faced adds its value to a won game's score: if health is "
        "full after it, if it was full before it, or never.",
    ),
    _words("loss_counts", LossCounts, "Which remaining monsters a lost game's score subtracts."),
    _words("overkill", Overkill, "Whether health below 0 counts in a lost game's score."),
)

OPTIONS: Mapping[str, Option] = {option.name: option for option in _ALL_OPTIONS}
"""The ten options by name, in the order in which they are always written."""


class Terms(NamedTuple):
    """What a published version calls things, where versions differ.

    ``avoid`` is the bare verb, for a button; ``to_avoid`` the one before "a room".
    """

    health: str = "health"
    avoid: str = "avoid"
    to_avoid: str = "avoid"


class Credit(NamedTuple):
    """Somebody who made the game or this version of it."""

    name: str
    role: str


class Link(NamedTuple):
    """Where more is to be found."""

    title: str
    url: str


class Ruleset(NamedTuple):
    """A published version of the rules: a named set of options, with whom it is owed to."""

    name: str
    title: str
    summary: str
    options: Options
    terms: Terms
    credits: tuple[Credit, ...]
    links: tuple[Link, ...]


_DESIGNERS = (Credit("Zach Gage", "game design"), Credit("Kurt Bieg", "game design"))

_RULESETS = (
    Ruleset(
        name="original",
        title="Scoundrel (2011)",
        summary="The rules of 2011, version 1.0.",
        options=Options(),
        terms=Terms(),
        credits=_DESIGNERS,
        links=(Link("The original rules (PDF)", "http://www.stfj.net/art/2011/Scoundrel.pdf"),),
    ),
    Ruleset(
        name="gamemaker",
        title="Scoundrel for GameMaker",
        summary="A version that plays like the original and speaks of running and of life.",
        options=Options(),
        terms=Terms(health="life", avoid="run", to_avoid="run from"),
        credits=(*_DESIGNERS, Credit("David Donarumo", "GameMaker version")),
        links=(Link("Scoundrel by David Donarumo", "https://donarumo.itch.io/scoundrel"),),
    ),
    Ruleset(
        name="strict",
        title="Scoundrel beta 0.1",
        summary="A used weapon only works on ever weaker monsters, and an avoided room is "
        "shuffled before it goes under.",
        options=Options(degradation=Degradation.LOWER, avoid_order=AvoidOrder.SHUFFLED),
        terms=Terms(),
        credits=_DESIGNERS,
        links=(),
    ),
    Ruleset(
        name="gravekeeper",
        title="The Gravekeeper's Ledger",
        summary="The web version: you turn up each card yourself, only a last potion at full "
        "health brings the bonus, and a loss counts every monster that remains.",
        options=Options(
            draw=Draw.MANUAL,
            bonus=Bonus.FULL_BEFORE,
            loss_counts=LossCounts.DUNGEON_AND_ROOM,
        ),
        terms=Terms(),
        credits=(*_DESIGNERS, Credit("David Pinheiro", "web version")),
        links=(
            Link("Play it on the web", "https://scoundrel.gg"),
            Link("Source code of the web version", "https://github.com/davrodpin/scoundrel"),
        ),
    ),
)

RULESETS: Mapping[str, Ruleset] = {ruleset.name: ruleset for ruleset in _RULESETS}
"""The published rulesets by name, the default first."""

DEFAULT_RULESET = _RULESETS[0].name


class Rules(NamedTuple):
    """What one game is played by: its ruleset, and the options it ends up with.

    The text form is the ruleset's name, and after a ``+`` the options that differ from it:
    ``original+degradation=lower,leave=2``.
    """

    ruleset: str
    options: Options

    @property
    def custom(self) -> bool:
        """Whether an option differs from the ruleset's; such games enter no ledger."""
        return self.options != RULESETS[self.ruleset].options

    def __str__(self) -> str:
        """Write the text form, differing options in the order of :data:`OPTIONS`."""
        standard = RULESETS[self.ruleset].options
        differing = ",".join(
            f"{name}={value}"
            for name, value, usual in zip(OPTIONS, self.options, standard, strict=True)
            if value != usual
        )
        return f"{self.ruleset}+{differing}" if differing else self.ruleset


def choose(ruleset: str = DEFAULT_RULESET, overrides: Mapping[str, object] | None = None) -> Rules:
    """Return the rules of ``ruleset`` with single options overridden.

    Values are those of JSON: whole numbers and words. Raises UnknownRuleset and InvalidOption.
    """
    options = _ruleset(ruleset).options
    return Rules(
        ruleset,
        options._replace(
            **{name: _option(name).value(given) for name, given in (overrides or {}).items()}  # type: ignore[arg-type]  # the option's own enumeration
        ),
    )


@lru_cache(maxsize=256)
def parse_rules(text: str) -> Rules:
    """Read the text form of :class:`Rules`. Raises UnknownRuleset and InvalidOption."""
    ruleset, plus, rest = text.partition("+")
    options = _ruleset(ruleset).options
    overrides: dict[str, int | StrEnum] = {}
    for pair in rest.split(",") if plus else ():
        name, _, value = pair.partition("=")
        if name in overrides:
            raise InvalidOption(name, "is given twice")
        overrides[name] = _option(name).parse(value)
    return Rules(ruleset, options._replace(**overrides))  # type: ignore[arg-type]  # the option's own enumeration


def _ruleset(name: str) -> Ruleset:
    try:
        return RULESETS[name]
    except KeyError:
        raise UnknownRuleset(name, RULESETS) from None


def _option(name: str) -> Option:
    try:
        return OPTIONS[name]
    except KeyError:
        raise InvalidOption(name[:64], f"is no option; there are {', '.join(OPTIONS)}") from None
