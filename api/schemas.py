"""What all schemas of requests, and all schemas of answers, have in common."""

from __future__ import annotations

from marshmallow import INCLUDE, RAISE, Schema


class RequestSchema(Schema):
    """What a request may hold: nothing but its fields."""

    class Meta:
        """An unknown field is most likely a misspelt one."""

        unknown = RAISE

    error_messages: dict[str, str] = {  # noqa: RUF012  # as marshmallow declares it
        "unknown": "is not known here",
        "type": "takes a JSON object",
    }


class AnswerSchema(Schema):
    """What an answer holds: its fields at least. Clients ignore those they do not know."""

    class Meta:
        """Fields may be added."""

        unknown = INCLUDE
