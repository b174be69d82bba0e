"""The base classes of all schemas of requests and of responses."""

from __future__ import annotations

from marshmallow import INCLUDE, RAISE, Schema

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


class ResponseSchema(Schema):
    """The body of a response. Fields may be added, so clients ignore those they do not know."""

    class Meta:
        """Allow fields that are not declared."""

        unknown = INCLUDE
