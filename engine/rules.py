"""The ten options in which published rules differ, and the rulesets: named sets of options.

A game may override single options of its ruleset. A published ruleset must never change, because
stored games refer to it by name; a new one is one more entry of :data:`RULESETS`.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import InvalidOption, UnknownRuleset

if TYPE_CHECKING:
    from collections.abc import Mapping


class Degradation(StrEnum):
    """The monsters that a used weapon works on, relative to the last monster on it."""

    LOWER_OR_EQUAL = "lower_or_equal"
    LOWER = "lower"


class AvoidOrder(StrEnum):
    """The order of an avoided room at the bottom of the dungeon."""

    KEPT = "kept"
    SHUFFLED = "shuffled"


class Avoiding(StrEnum):
    """Whether rooms may be avoided, and whether two in a row."""

    NOT_TWICE = "not_twice"
    NEVER = "never"
    ALWAYS = "always"


class Draw(StrEnum):
    """Whether the room is filled automatically or by ``draw`` actions."""

    AUTO = "auto"
    MANUAL = "manual"


class Bonus(StrEnum):
    """When a potion as the last card of a won game adds its value to the score."""

    FULL_AFTER = "full_after"
    FULL_BEFORE = "full_before"
    NONE = "none"


class LossCounts(StrEnum):
    """The remaining monsters that the score of a lost game subtracts."""

    DUNGEON = "dungeon"
    DUNGEON_AND_ROOM = "dungeon_and_room"


class Overkill(StrEnum):
    """Whether health below 0 counts in the score of a lost game."""

    COUNTED = "counted"
    IGNORED = "ignored"


class Options(NamedTuple):
    """A value for each option, which together are the rules of a game."""

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
    """An option: its valid values by their text, and a sentence about what it settles."""

    name: str
    values: Mapping[str, int | StrEnum]
    settles: str

    @property
    def numeric(self) -> bool:
        """Whether the values are a range of integers; otherwise they are words."""
        return not isinstance(next(iter(self.values.values())), StrEnum)

    @property
    def requirement(self) -> str:
        """The valid values in words: ``must be between 1 and 99``."""
        texts = tuple(self.values)
        if self.numeric:
            return f"must be between {texts[0]} and {texts[-1]}"
        return f"must be one of {', '.join(texts)}"

    def value(self, given: object) -> int | StrEnum:
        """Return the value equal to ``given``, an integer or a word. Raises InvalidOption."""
        if isinstance(given, int if self.numeric else str) and not isinstance(given, bool):
            for value in self.values.values():
                if value == given:
                    return value
        raise InvalidOption(self.name, self.requirement)

    def parse(self, text: str) -> int | StrEnum:
        """Return the value with this text. Raises InvalidOption."""
        if text not in self.values:
            raise InvalidOption(self.name, self.requirement)
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
"""The ten options by name, in the order in which they are written."""


class Terms(NamedTuple):
    """The words in which published versions differ.

    ``avoid`` is the verb alone, for a button; ``to_avoid`` is the verb before "a room".
    """

    health: str = "health"
    avoid: str = "avoid"
    to_avoid: str = "avoid"


class Credit(NamedTuple):
    """A person who contributed to the game or to a version of it."""

    name: str
    role: str


class Link(NamedTuple):
    """A link to more information."""

    title: str
    url: str


class Ruleset(NamedTuple):
    """A published version of the rules: a named set of options, with credits and links."""

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
    """The rules of one game: its ruleset, and its options including overrides.

    The text form is the name of the ruleset, followed by ``+`` and the options that differ from it:
    ``original+degradation=lower,leave=2``.
    """

    ruleset: str
    options: Options

    @property
    def custom(self) -> bool:
        """Whether an option differs from the ruleset; such games are not ranked."""
        return self.options != RULESETS[self.ruleset].options

    def __str__(self) -> str:
        """Return the text form, with options in the order of :data:`OPTIONS`."""
        standard = RULESETS[self.ruleset].options
        differing = ",".join(
            f"{name}={value}"
            for name, value, default in zip(OPTIONS, self.options, standard, strict=True)
            if value != default
        )
        return f"{self.ruleset}+{differing}" if differing else self.ruleset


def rules_for(
    ruleset: str = DEFAULT_RULESET, overrides: Mapping[str, object] | None = None
) -> Rules:
    """Return the rules of ``ruleset`` with single options overridden.

    Values are JSON values: integers and strings. Raises UnknownRuleset and InvalidOption.
    """
    options = _ruleset(ruleset).options
    return Rules(
        ruleset,
        options._replace(
            **{name: _option(name).value(given) for name, given in (overrides or {}).items()}  # type: ignore[arg-type]  # the option's type
        ),
    )


@lru_cache(maxsize=256)
def parse_rules(text: str) -> Rules:
    """Parse the text form of :class:`Rules`. Raises UnknownRuleset and InvalidOption."""
    ruleset, plus, rest = text.partition("+")
    options = _ruleset(ruleset).options
    overrides: dict[str, int | StrEnum] = {}
    for pair in rest.split(",") if plus else ():
        name, _, value = pair.partition("=")
        if name in overrides:
            raise InvalidOption(name, "must not be repeated")
        overrides[name] = _option(name).parse(value)
    return Rules(ruleset, options._replace(**overrides))  # type: ignore[arg-type]  # the option's type


def _ruleset(name: str) -> Ruleset:
    try:
        return RULESETS[name]
    except KeyError:
        raise UnknownRuleset(name, RULESETS) from None


def _option(name: str) -> Option:
    try:
        return OPTIONS[name]
    except KeyError:
        raise InvalidOption(
            name[:64], f"is not an option; options are {', '.join(OPTIONS)}"
        ) from None
