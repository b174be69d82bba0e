"""Schemathesis hooks for rules that the contract states in words and not in its schemas.

Loaded by schemathesis (see schemathesis.toml). The hooks make valid test cases consistent, so that
they get past validation.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import schemathesis
from schemathesis import GenerationMode
from schemathesis.generation.meta import TestPhase

from engine import EngineError, parse_notation

if TYPE_CHECKING:
    from schemathesis import Case, HookContext

KEY = "Idempotency-Key"
RANKED = "schemathesis-ranked"
"""Seed of the finished game `RANKED_ID`; `GAME_ID` is a game in progress."""


@schemathesis.hook
def map_case(context: HookContext, case: Case[Any]) -> Case[Any]:  # noqa: ARG001  # required by schemathesis
    """Make the fields of a valid request consistent; a schema could only say this with oneOf."""
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return case
    if case.operation.label.endswith("/actions") and case.meta.phase.name != TestPhase.STATEFUL:
        # In the stateful phase, links provide the ID.
        case.path_parameters["game_id"] = os.environ["GAME_ID"]
    if "around" in (case.query or {}):
        # The game must be on the board, and around cannot be combined with cursor.
        ranked = {"ruleset": "original", "seed": RANKED, "around": os.environ["RANKED_ID"]}
        case.query = {name: case.query[name] for name in case.query if name != "cursor"} | ranked
    if isinstance(case.body, dict):
        case.body = _consistent(case.operation.label, _integers(case.body))
        if case.headers and (key := case.headers.get(KEY)):
            # One key per body. The length stays the same, because it may be what is tested.
            meaning = sha256(json.dumps(case.body, sort_keys=True).encode()).hexdigest()
            case.headers[KEY] = meaning[:16] + key[16:]
    return case


@schemathesis.hook
def before_add_examples(context: HookContext, examples: list[Case[Any]]) -> None:
    """Do the same for examples combined from the examples of single fields."""
    examples[:] = [map_case(context, case) for case in examples]


def _consistent(operation: str, body: dict[str, Any]) -> dict[str, Any]:
    match operation:
        case "POST /v1/games" if ("seed" in body) != (body.get("mode") == "seeded"):
            return {name: value for name, value in body.items() if name != "mode"}
        case "POST /v1/replays":
            return _replay(body)
    return body


def _integers(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """Convert whole floats to integers: a schema accepts 2.0 as an integer, the API does not."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: _integers(inner) for name, inner in value.items()}
        case list():
            return [_integers(inner) for inner in value]
    return value


def _replay(body: dict[str, Any]) -> dict[str, Any]:
    """Keep only a valid notation, else the other fields with defaults for the required ones."""
    try:
        parse_notation(body["notation"])
    except (KeyError, EngineError):
        others = {name: value for name, value in body.items() if name != "notation"}
        return {"seed": "s", "actions": ["avoid"], **others}
    return {"notation": body["notation"]}
