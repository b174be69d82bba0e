"""Fields that take exactly what they document.

marshmallow's own take ``"12"`` and ``1.5`` for an integer, ``"yes"`` for a boolean and the keys of
an object for a list.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, ClassVar

from marshmallow import ValidationError, fields, validate

from api.store import CURSOR_PATTERN
from engine import SEED_PATTERN, EngineError, parse_action, parse_notation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine import Action, Option, Record

# In a name. Lone surrogates are no JSON in the first place.
_NEVER = (
    r"\u0000-\u001f\u007f-\u009f"  # control
    r"\u2028\u2029"  # line and paragraph separator
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional control
    r"\u180e\u200b\u2060-\u2064\ufeff"  # zero width, other than the joiner and the non-joiner
)
MAX_PLAYER = 24


def one_of(words: Iterable[str]) -> validate.OneOf:
    """Take these words, and say so."""
    return validate.OneOf(list(words), error="takes {choices}")


def between(low: int, high: int) -> validate.Range:
    """Take the numbers from ``low`` to ``high``, and say so."""
    return validate.Range(low, high, error="takes {min} to {max}")


def open_word(words: Iterable[str], meaning: str) -> fields.String:
    """Return the field of an answer for one of ``words``, to which others may be added.

    No enumeration, for generated clients refuse what is not in one.
    """
    known = list(words)
    listed = ", ".join(f"`{word}`" for word in known)
    return fields.String(
        required=True,
        metadata={
            "description": f"{meaning} One of {listed}; more may be added.",
            "examples": known[:1],
        },
    )


class _Worded(fields.Field[Any]):
    """What every field of a request says in the same words."""

    default_error_messages = {
        "required": "is wanted",
        "null": "takes no null: leave it out instead",
    }


class String(_Worded, fields.String):
    """A JSON string."""

    default_error_messages = {"invalid": "takes a string"}


class Nested(_Worded, fields.Nested):
    """A JSON object."""


class Integer(_Worded, fields.Integer):
    """A JSON number without fraction, and nothing that could be read as one."""

    default_error_messages = {"invalid": "takes a whole number"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if type(value) is not int:
            raise self.make_error("invalid", input=value)
        return value


class Boolean(_Worded, fields.Boolean):
    """``true`` or ``false``, and nothing that could be read as one."""

    default_error_messages = {"invalid": "takes true or false"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return value


class QueryInteger(_Worded, fields.Integer):
    """A whole number in a query: ASCII digits, no sign."""

    default_error_messages = {"invalid": "takes a whole number"}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if not re.fullmatch(r"[0-9]{1,9}", value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class List(_Worded, fields.List[Any]):
    """A JSON array of ``low`` to ``high`` items."""

    default_error_messages = {"invalid": "takes an array"}

    def __init__(self, item: fields.Field[Any], low: int, high: int, **kwargs: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        length = validate.Length(low, high, error="takes {min} to {max} items")
        super().__init__(item, validate=length, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if not isinstance(value, list):
            raise self.make_error("invalid")
        return super()._deserialize(value, attr, data, **kwargs)


class Patterned(String):
    """A string that a pattern describes, from its first character to its last."""

    pattern: ClassVar[str]
    longest: ClassVar[int]
    takes: ClassVar[str]
    """What it takes, in words."""

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        metadata = kwargs.pop("metadata", {})
        super().__init__(
            **kwargs,
            metadata={
                "minLength": 1,
                "maxLength": self.longest,
                "pattern": f"^{self.pattern}$",
                **metadata,
            },
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        text = str(super()._deserialize(value, attr, data, **kwargs))
        # Not re.match and "$", which overlooks a line feed at the end.
        if len(text) > self.longest or not re.fullmatch(self.pattern, text):
            raise ValidationError(f"takes {self.takes}")
        return text


class Seed(Patterned):
    """A seed."""

    pattern = SEED_PATTERN
    longest = 64
    takes = "1 to 64 characters of A-Z a-z 0-9 . _ ~ -"


class Player(Patterned):
    """A player's name, normalised to NFC."""

    pattern = rf"[^\s{_NEVER}](?:[^{_NEVER}]*[^\s{_NEVER}])?"
    longest = MAX_PLAYER
    takes = (
        f"1 to {MAX_PLAYER} characters, no space at either end, and no control, bidirectional "
        "or zero-width ones"
    )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        composed = unicodedata.normalize("NFC", value) if isinstance(value, str) else value
        return super()._deserialize(composed, attr, data, **kwargs)


class Cursor(Patterned):
    """A place on a board."""

    pattern = CURSOR_PATTERN
    longest = 38
    takes = "the next_cursor of a page before"


class ActionText(_Worded, fields.Field["Action"]):
    """An action in its text form; loaded as the engine's."""

    pattern = "^(draw|avoid|equip:[2-9T]D|drink:[2-9T]H|fight:[2-9TJQKA][CS]:(barehanded|weapon))$"

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        super().__init__(**kwargs, metadata={"pattern": self.pattern})

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Action:  # noqa: ANN401  # marshmallow's signature
        if not isinstance(value, str):
            raise ValidationError("takes a string")
        try:
            return parse_action(value)
        except EngineError as error:
            raise ValidationError(str(error)) from None


class Notation(_Worded, fields.Field["Record"]):
    """A game in one line; loaded as what it stands for."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Record:  # noqa: ANN401  # marshmallow's signature
        if not isinstance(value, str):
            raise ValidationError("takes a string")
        try:
            return parse_notation(value)
        except EngineError as error:
            raise ValidationError(str(error)) from None


def option_field(option: Option, *, required: bool) -> fields.Field[Any]:
    """Return the field for one option of the rules."""
    metadata = {"description": option.settles}
    if option.numeric:
        low, *_, high = map(int, option.values)
        return Integer(required=required, validate=between(low, high), metadata=metadata)
    return String(required=required, validate=one_of(option.values), metadata=metadata)
