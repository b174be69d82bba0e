"""What the contract says in words: schemathesis, which reads its schemas alone, is told it here.

Loaded by schemathesis itself, as schemathesis.toml says. Requests that are meant to be taken are
made to make sense, so that they reach what lies behind the checks of form.
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
"""The seed of the game `RANKED_ID`, which is over; `GAME_ID` is one that goes on."""


@schemathesis.hook
def map_case(context: HookContext, case: Case[Any]) -> Case[Any]:  # noqa: ARG001  # as schemathesis wants it
    """Have a sound request's fields go together, which no schema says without a one-of."""
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return case
    if case.operation.label.endswith("/actions") and case.meta.phase.name != TestPhase.STATEFUL:
        # Links lead to a game in the phase that follows them.
        case.path_parameters["game_id"] = os.environ["GAME_ID"]
    if "around" in (case.query or {}):
        # Only a game that is on the board, and no place besides.
        ranked = {"ruleset": "original", "seed": RANKED, "around": os.environ["RANKED_ID"]}
        case.query = {name: case.query[name] for name in case.query if name != "cursor"} | ranked
    if isinstance(case.body, dict):
        case.body = _sensible(case.operation.label, _whole(case.body))
        if case.headers and (key := case.headers.get(KEY)):
            # A key stands for one game; as long as it was, for its length may be what is tried.
            meaning = sha256(json.dumps(case.body, sort_keys=True).encode()).hexdigest()
            case.headers[KEY] = meaning[:16] + key[16:]
    return case


@schemathesis.hook
def before_add_examples(context: HookContext, examples: list[Case[Any]]) -> None:
    """Do the same for examples that were put together from those of single fields."""
    examples[:] = [map_case(context, case) for case in examples]


def _sensible(operation: str, body: dict[str, Any]) -> dict[str, Any]:
    match operation:
        case "POST /v1/games" if ("seed" in body) != (body.get("mode") == "seeded"):
            return {name: value for name, value in body.items() if name != "mode"}
        case "POST /v1/replays":
            return _replay(body)
    return body


def _whole(value: Any) -> Any:  # noqa: ANN401  # whatever JSON has
    """Write whole numbers as such: to a schema 2.0 is one, and here it is none."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: _whole(inner) for name, inner in value.items()}
        case list():
            return [_whole(inner) for inner in value]
    return value


def _replay(body: dict[str, Any]) -> dict[str, Any]:
    """Leave the notation if it is one, and else the other fields, with those that are wanted."""
    try:
        parse_notation(body["notation"])
    except (KeyError, EngineError):
        others = {name: value for name, value in body.items() if name != "notation"}
        return {"seed": "s", "actions": ["avoid"], **others}
    return {"notation": body["notation"]}
