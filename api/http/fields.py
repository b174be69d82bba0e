"""Fields that accept exactly what they document.

marshmallow's own accept ``"12"`` and ``1.5`` as integers, ``"yes"`` as a boolean, and an object as
a list of its keys.
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

# Not allowed in a name. Lone surrogates are not valid JSON anyway.
_FORBIDDEN = (
    r"\u0000-\u001f\u007f-\u009f"  # control
    r"\u2028\u2029"  # line and paragraph separator
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional control
    r"\u180e\u200b\u2060-\u2064\ufeff"  # zero width, other than the joiner and the non-joiner
)
MAX_PLAYER = 24


def one_of(words: Iterable[str]) -> validate.OneOf:
    """Return the validator for a closed set of words."""
    return validate.OneOf(list(words), error="must be one of {choices}")


def between(low: int, high: int) -> validate.Range:
    """Return the validator for the numbers from ``low`` to ``high``."""
    return validate.Range(low, high, error="must be between {min} and {max}")


def open_word(words: Iterable[str], meaning: str) -> fields.String:
    """Return a response field for one of ``words``, to which more may be added.

    It is not an enumeration, because generated clients refuse values that are not in one.
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


class _RequestField(fields.Field[Any]):
    """The messages that all fields of requests share."""

    default_error_messages = {
        "required": "is required",
        "null": "must not be null",
    }


class String(_RequestField, fields.String):
    """A JSON string."""

    default_error_messages = {"invalid": "must be a string"}


class Nested(_RequestField, fields.Nested):
    """A JSON object."""


class Integer(_RequestField, fields.Integer):
    """A JSON number without a fraction; no string that looks like one."""

    default_error_messages = {"invalid": "must be an integer"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if type(value) is not int:
            raise self.make_error("invalid", input=value)
        return value


class Boolean(_RequestField, fields.Boolean):
    """``true`` or ``false``; no number or string that looks like one."""

    default_error_messages = {"invalid": "must be true or false"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return value


class QueryInteger(_RequestField, fields.Integer):
    """An integer in a query: ASCII digits without a sign."""

    default_error_messages = {"invalid": "must be an integer"}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if not re.fullmatch(r"[0-9]{1,9}", value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class List(_RequestField, fields.List[Any]):
    """A JSON array of ``low`` to ``high`` items."""

    default_error_messages = {"invalid": "must be an array"}

    def __init__(self, item: fields.Field[Any], low: int, high: int, **kwargs: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        length = validate.Length(low, high, error="must have {min} to {max} items")
        super().__init__(item, validate=length, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if not isinstance(value, list):
            raise self.make_error("invalid")
        return super()._deserialize(value, attr, data, **kwargs)


class Patterned(String):
    """A string that matches a pattern as a whole."""

    pattern: ClassVar[str]
    max_length: ClassVar[int]
    described: ClassVar[str]
    """The error message: "must be ..."."""

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        metadata = kwargs.pop("metadata", {})
        super().__init__(
            **kwargs,
            metadata={
                "minLength": 1,
                "maxLength": self.max_length,
                "pattern": f"^{self.pattern}$",
                **metadata,
            },
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        text = str(super()._deserialize(value, attr, data, **kwargs))
        # Not re.match with "$", which accepts a line feed at the end.
        if len(text) > self.max_length or not re.fullmatch(self.pattern, text):
            raise ValidationError(self.described)
        return text


class Seed(Patterned):
    """A seed."""

    pattern = SEED_PATTERN
    max_length = 64
    described = "must be 1 to 64 characters of A-Z a-z 0-9 . _ ~ -"


class Player(Patterned):
    """A player's name, normalised to NFC."""

    pattern = rf"[^\s{_FORBIDDEN}](?:[^{_FORBIDDEN}]*[^\s{_FORBIDDEN}])?"
    max_length = MAX_PLAYER
    described = (
        f"must be 1 to {MAX_PLAYER} characters, without spaces at either end and without control, "
        "bidirectional or zero-width characters"
    )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        composed = unicodedata.normalize("NFC", value) if isinstance(value, str) else value
        return super()._deserialize(composed, attr, data, **kwargs)


class Cursor(Patterned):
    """A position on a board."""

    pattern = CURSOR_PATTERN
    max_length = 38
    described = "must be the next_cursor of an earlier page"


class ActionText(_RequestField, fields.Field["Action"]):
    """An action in its text form; loaded as the engine's Action."""

    pattern = "^(draw|avoid|equip:[2-9T]D|drink:[2-9T]H|fight:[2-9TJQKA][CS]:(barehanded|weapon))$"

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        super().__init__(**kwargs, metadata={"pattern": self.pattern})

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Action:  # noqa: ANN401  # marshmallow's signature
        if not isinstance(value, str):
            raise ValidationError("must be a string")
        try:
            return parse_action(value)
        except EngineError as error:
            raise ValidationError(str(error)) from None


class Notation(_RequestField, fields.Field["Record"]):
    """A game in one line; loaded as the engine's Record."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Record:  # noqa: ANN401  # marshmallow's signature
        if not isinstance(value, str):
            raise ValidationError("must be a string")
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
