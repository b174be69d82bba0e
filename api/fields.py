"""Fields that take exactly what they document.

marshmallow's own take ``"12"`` and ``1.5`` for an integer, ``"yes"`` for a boolean and the keys of
an object for a list.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError, fields, validate

from engine import EngineError, check_seed, parse_action

if TYPE_CHECKING:
    from engine import Action, Option

_NEVER_IN_NAMES = (
    r"\u0000-\u001f\u007f-\u009f"  # control
    r"\ud800-\udfff"  # surrogate
    r"\u2028\u2029"  # line and paragraph separator
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional control
    r"\u180e\u200b\u2060-\u2064\ufeff"  # zero width, other than the joiner and the non-joiner
)
PLAYER_PATTERN = rf"^[^\s{_NEVER_IN_NAMES}](?:[^{_NEVER_IN_NAMES}]*[^\s{_NEVER_IN_NAMES}])?$"
_PLAYER = re.compile(PLAYER_PATTERN)
MAX_PLAYER = 24

SEED_PATTERN = "^[A-Za-z0-9._~-]{1,64}$"


class Integer(fields.Integer):
    """A JSON number without fraction, and nothing that could be read as one."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        if type(value) is not int:
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


class Player(fields.String):
    """A player's name, normalised to NFC."""

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        metadata = kwargs.pop("metadata", {})
        super().__init__(
            **kwargs,
            metadata={
                "minLength": 1,
                "maxLength": MAX_PLAYER,
                "pattern": PLAYER_PATTERN,
                **metadata,
            },
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        text = super()._deserialize(value, attr, data, **kwargs)
        name = unicodedata.normalize("NFC", str(text))
        if len(name) > MAX_PLAYER or not _PLAYER.fullmatch(name):
            raise ValidationError(
                f"takes 1 to {MAX_PLAYER} characters, no space at either end, and nothing invisible"
            )
        return name


class Seed(fields.String):
    """A seed."""

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        metadata = kwargs.pop("metadata", {})
        super().__init__(
            **kwargs,
            metadata={"minLength": 1, "maxLength": 64, "pattern": SEED_PATTERN, **metadata},
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # marshmallow's signature
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            return check_seed(str(text))
        except EngineError as error:
            raise ValidationError(str(error)) from None


class ActionText(fields.Field["Action"]):
    """An action in its text form; loaded as the engine's."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Action:  # noqa: ANN401  # marshmallow's signature
        try:
            return parse_action(value)
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
