"""The base classes of all schemas of requests and of responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import INCLUDE, RAISE, Schema

if TYPE_CHECKING:
    from marshmallow import ValidationError

NOT_AN_OBJECT = "must be a JSON object"


class RequestSchema(Schema):
    """The body or the query arguments of a request. Unknown fields are most likely typos."""

    class Meta:
        """Refuse unknown fields."""

        unknown = RAISE

    error_messages = {  # noqa: RUF012  # marshmallow declares it so
        "type": NOT_AN_OBJECT,
        "unknown": "is not a known field",
    }

    def handle_error(self, error: ValidationError, data: Any, **_: Any) -> None:  # noqa: ANN401  # marshmallow's signature
        """Order the messages: marshmallow lists unknown fields in the random order of a set."""
        if isinstance(error.messages, dict) and isinstance(data, dict):
            order = {name: i for i, name in enumerate(dict.fromkeys((*self.fields, *data)))}
            messages = sorted(error.messages.items(), key=lambda item: order[item[0]])
            error.messages = dict(messages)


class ResponseSchema(Schema):
    """The body of a response. Fields may be added, so clients ignore those they do not know."""

    class Meta:
        """Allow fields that are not declared."""

        unknown = INCLUDE
