"""Rulesets: the published versions of the rules, with their text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import fields

from api.contract import Answer, Blueprint
from api.problems import RULESET_NOT_FOUND, Problem
from api.representation import options_body
from api.resources.games import OptionsSchema
from api.responses import json_response
from api.schemas import AnswerSchema
from engine import RULESETS, rulebook

if TYPE_CHECKING:
    from flask import Response

    from engine import Ruleset

blp = Blueprint("rulesets", __name__, description="The published versions of the rules.")


class SectionSchema(AnswerSchema):
    """A section of the rules."""

    heading = fields.String(required=True, metadata={"description": "Its heading."})
    paragraphs = fields.List(
        fields.String(), required=True, metadata={"description": "Its text, plain."}
    )


class TermsSchema(AnswerSchema):
    """What this version calls things."""

    health = fields.String(required=True, metadata={"description": "Health, or life."})
    avoid = fields.String(
        required=True, metadata={"description": "To avoid, or to run: the word for a button."}
    )
    to_avoid = fields.String(
        required=True, metadata={"description": "The same before `a room`: avoid, or run from."}
    )


class CreditSchema(AnswerSchema):
    """Somebody who made the game or this version of it."""

    name = fields.String(required=True, metadata={"description": "Who."})
    role = fields.String(required=True, metadata={"description": "What they did."})


class LinkSchema(AnswerSchema):
    """Where more is to be found."""

    title = fields.String(required=True, metadata={"description": "What is there."})
    url = fields.String(required=True, metadata={"description": "Where.", "format": "uri"})


class RulesetSchema(AnswerSchema):
    """A published version of the rules."""

    ruleset = fields.String(required=True, metadata={"description": "Its name in the API."})
    title = fields.String(required=True, metadata={"description": "Its name for people."})
    summary = fields.String(
        required=True, metadata={"description": "What it is, in a sentence or two."}
    )
    options = fields.Nested(
        OptionsSchema, required=True, metadata={"description": "The options it stands for."}
    )
    rules = fields.List(
        fields.Nested(SectionSchema),
        required=True,
        metadata={"description": "The whole rules as text, to be shown to players."},
    )
    terms = fields.Nested(
        TermsSchema, required=True, metadata={"description": "What it calls things."}
    )
    credits = fields.List(
        fields.Nested(CreditSchema), required=True, metadata={"description": "To whom it is owed."}
    )
    links = fields.List(
        fields.Nested(LinkSchema),
        required=True,
        metadata={"description": "Where the version itself is to be found."},
    )


class RulesetsSchema(AnswerSchema):
    """All rulesets."""

    rulesets = fields.List(
        fields.Nested(RulesetSchema),
        required=True,
        metadata={"description": "The published versions of the rules, the default first."},
    )


@blp.operation(
    "GET",
    "/v1/rulesets",
    "listRulesets",
    answer=Answer(RulesetsSchema, "All rulesets."),
)
def list_rulesets() -> Response:
    """List the rulesets.

    The published versions of the rules that a game can be played by, the default first.
    """
    return json_response({"rulesets": [_ruleset_body(ruleset) for ruleset in RULESETS.values()]})


@blp.operation(
    "GET",
    "/v1/rulesets/<ruleset>",
    "getRuleset",
    answer=Answer(RulesetSchema, "The ruleset."),
    problems=(RULESET_NOT_FOUND,),
    parameters=(
        {
            "in": "path",
            "name": "ruleset",
            "required": True,
            "description": "The ruleset's name.",
            "schema": {"type": "string"},
        },
    ),
)
def get_ruleset(ruleset: str) -> Response:
    """Read a ruleset.

    Its options, its whole rules as text, its own terms, and whom it is owed to.
    """
    if ruleset not in RULESETS:
        raise Problem(RULESET_NOT_FOUND, RULESET_NOT_FOUND.meaning)
    return json_response(_ruleset_body(RULESETS[ruleset]))


def _ruleset_body(ruleset: Ruleset) -> dict[str, Any]:
    return {
        "ruleset": ruleset.name,
        "title": ruleset.title,
        "summary": ruleset.summary,
        "options": options_body(ruleset.options),
        "rules": [section._asdict() for section in rulebook(ruleset.options, ruleset.terms)],
        "terms": ruleset.terms._asdict(),
        "credits": [credit._asdict() for credit in ruleset.credits],
        "links": [link._asdict() for link in ruleset.links],
    }
