"""What all schemas of requests, and all schemas of answers, have in common."""

from __future__ import annotations

from typing import Any

from marshmallow import INCLUDE, RAISE, Schema, ValidationError, missing
from marshmallow.exceptions import SCHEMA

NO_OBJECT = "takes a JSON object"


class RequestSchema(Schema):
    """What a request may hold: nothing but its fields."""

    class Meta:
        """What is documented; :meth:`load` sees to it.

        An unknown field is most likely a misspelt one.
        """

        unknown = RAISE

    def load(self, data: Any, **_: Any) -> dict[str, Any]:  # noqa: ANN401  # whatever JSON has
        """Return what the fields make of an object.

        marshmallow's own also loads lists and parts of objects and calls hooks, which doubles what
        it costs; here :meth:`settle` is all there is. Raises ValidationError.
        """
        if not isinstance(data, dict):
            raise ValidationError({SCHEMA: [NO_OBJECT]})
        loaded: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for name, field in self.load_fields.items():
            try:
                value = field.deserialize(data.get(name, missing), name, data)
            except ValidationError as error:
                errors[name] = error.messages
            else:
                if value is not missing:
                    loaded[name] = value
        for name in data:
            if name not in self.load_fields:
                errors[name] = ["is not known here"]
        if errors:
            raise ValidationError(errors)
        return self.settle(loaded)

    def settle(self, loaded: dict[str, Any]) -> dict[str, Any]:
        """Return what the fields, each of them right, amount to. Raises ValidationError."""
        return loaded


class AnswerSchema(Schema):
    """What an answer holds: its fields at least. Clients ignore those they do not know."""

    class Meta:
        """Fields may be added."""

        unknown = INCLUDE
