"""Rulesets: the published versions of the rules, with their text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import fields

from api.games.as_json import options_body
from api.http.contract import Blueprint
from api.http.problem_types import RULESET_NOT_FOUND
from api.http.problems import Problem
from api.http.responses import json_response
from api.http.schemas import ResponseSchema
from api.resources.games import OptionsSchema
from engine import RULESETS, rulebook

if TYPE_CHECKING:
    from flask import Response

    from engine import Ruleset

RULESET = {
    "in": "path",
    "name": "ruleset",
    "required": True,
    "description": "The ruleset's name.",
    "schema": {"type": "string"},
}

blp = Blueprint("rulesets", __name__, description="The published versions of the rules.")


class SectionSchema(ResponseSchema):
    """A section of the rules."""

    heading = fields.String(required=True, metadata={"description": "Its heading."})
    paragraphs = fields.List(
        fields.String(), required=True, metadata={"description": "Its text, plain."}
    )


class TermsSchema(ResponseSchema):
    """The terms that this version uses."""

    health = fields.String(required=True, metadata={"description": "Health, or life."})
    avoid = fields.String(
        required=True, metadata={"description": "The verb for a button: avoid, or run."}
    )
    to_avoid = fields.String(
        required=True, metadata={"description": "The verb before `a room`: avoid, or run from."}
    )


class CreditSchema(ResponseSchema):
    """An author of the game or of this version."""

    name = fields.String(required=True, metadata={"description": "The name."})
    role = fields.String(required=True, metadata={"description": "The contribution."})


class LinkSchema(ResponseSchema):
    """A link to more."""

    title = fields.String(required=True, metadata={"description": "The title of the page."})
    url = fields.String(required=True, metadata={"description": "The address.", "format": "uri"})


class RulesetSchema(ResponseSchema):
    """A published version of the rules."""

    ruleset = fields.String(required=True, metadata={"description": "Its name in the API."})
    title = fields.String(required=True, metadata={"description": "Its name for people."})
    summary = fields.String(
        required=True, metadata={"description": "A summary of one or two sentences."}
    )
    options = fields.Nested(OptionsSchema, required=True, metadata={"description": "Its options."})
    rules = fields.List(
        fields.Nested(SectionSchema),
        required=True,
        metadata={"description": "The complete rules as text, to be shown to players."},
    )
    terms = fields.Nested(TermsSchema, required=True, metadata={"description": "Its terms."})
    credits = fields.List(
        fields.Nested(CreditSchema), required=True, metadata={"description": "Its authors."}
    )
    links = fields.List(
        fields.Nested(LinkSchema),
        required=True,
        metadata={"description": "Links to the version itself."},
    )


class RulesetsSchema(ResponseSchema):
    """All rulesets."""

    rulesets = fields.List(
        fields.Nested(RulesetSchema),
        required=True,
        metadata={"description": "The published versions of the rules, the default first."},
    )


@blp.route("/v1/rulesets", "listRulesets")
@blp.response(200, RulesetsSchema, description="All rulesets.")
def list_rulesets() -> Response:
    """List the rulesets.

    The published versions of the rules that a game can be played by, the default first.
    """
    return json_response({"rulesets": [_ruleset_body(ruleset) for ruleset in RULESETS.values()]})


@blp.route(
    "/v1/rulesets/<ruleset>", "getRuleset", parameters=[RULESET], problems=(RULESET_NOT_FOUND,)
)
@blp.response(200, RulesetSchema, description="The ruleset.")
def get_ruleset(ruleset: str) -> Response:
    """Read a ruleset.

    Its options, its rules as text, its terms, and its credits.
    """
    if ruleset not in RULESETS:
        raise Problem(RULESET_NOT_FOUND)
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
