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
from engine import SEED_PATTERN, EngineError, parse_action, read

if TYPE_CHECKING:
    from engine import Action, Option, Record

# In a name. Lone surrogates are no JSON in the first place.
_NEVER = (
    r"\u0000-\u001f\u007f-\u009f"  # control
    r"\u2028\u2029"  # line and paragraph separator
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional control
    r"\u180e\u200b\u2060-\u2064\ufeff"  # zero width, other than the joiner and the non-joiner
)
MAX_PLAYER = 24


class Integer(fields.Integer):
    """A JSON number without fraction, and nothing that could be read as one."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if type(value) is not int:
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class Boolean(fields.Boolean):
    """``true`` or ``false``, and nothing that could be read as one."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class QueryInteger(fields.Integer):
    """A whole number in a query: ASCII digits, no sign."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if not re.fullmatch(r"[0-9]{1,9}", value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class List(fields.List[Any]):
    """A JSON array."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if not isinstance(value, list):
            raise self.make_error("invalid")
        return super()._deserialize(value, attr, data, **kwargs)


class Patterned(fields.String):
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
    takes = f"1 to {MAX_PLAYER} characters, no space at either end, and nothing invisible"

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        composed = unicodedata.normalize("NFC", value) if isinstance(value, str) else value
        return super()._deserialize(composed, attr, data, **kwargs)


class Cursor(Patterned):
    """A place on a board."""

    pattern = CURSOR_PATTERN
    longest = 38
    takes = "the next_cursor of a page before"


class ActionText(fields.Field["Action"]):
    """An action in its text form; loaded as the engine's."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Action:  # noqa: ANN401  # marshmallow's signature
        if not isinstance(value, str):
            raise ValidationError("takes a string")
        try:
            return parse_action(value)
        except EngineError as error:
            raise ValidationError(str(error)) from None


class Notation(fields.Field["Record"]):
    """A game in one line; loaded as what it stands for."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Record:  # noqa: ANN401  # marshmallow's signature
        if not isinstance(value, str):
            raise ValidationError("takes a string")
        try:
            return read(value)
        except EngineError as error:
            raise ValidationError(str(error)) from None


def option_field(option: Option, *, required: bool) -> fields.Field[Any]:
    """Return the field for one option of the rules."""
    metadata = {"description": option.settles}
    if option.numeric:
        low, *_, high = map(int, option.values)
        return Integer(required=required, validate=validate.Range(low, high), metadata=metadata)
    return fields.String(
        required=required, validate=validate.OneOf(list(option.values)), metadata=metadata
    )
