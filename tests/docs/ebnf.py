"""Convert an EBNF grammar without recursive rules to a regular expression.

Supports ``,`` ``|`` ``[ ]`` ``{ }`` ``( )``, literals and ``n * x`` of ISO/IEC 14977, and between
question marks the characters of a class.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_RULE = re.compile(r"([a-z][a-z ]*?)\s*=\s*((?:\"[^\"]*\"|\?[^?]*\?|[^;\"?])*);")
_TOKEN = re.compile(
    r"\s*(?:\"([^\"]*)\"|\?([^?]*)\?|(\d+)\s*\*\s*\[|([a-z][a-z ]*[a-z]|[a-z])|(.))"
)
_CLOSING = {"(": ")", "[": ")?", "{": ")*"}


def pattern(grammar: str, start: str) -> re.Pattern[str]:
    """Return a regular expression for the rule ``start`` of the grammar."""
    return re.compile(_expression(start, dict(_RULE.findall(grammar))))


def _expression(name: str, rules: Mapping[str, str]) -> str:
    closing: list[str] = []
    parts = []
    for literal, characters, count, rule, sign in _TOKEN.findall(rules[name].strip()):
        if characters:
            ranges = [r"\-" if one == "-" else one for one in characters.split()]
            parts.append(f"[{''.join(ranges)}]")
        elif count:
            closing.append(f"){{0,{count}}}")
            parts.append("(?:")
        elif rule:
            parts.append(f"(?:{_expression(rule, rules)})")
        elif sign in _CLOSING:
            closing.append(_CLOSING[sign])
            parts.append("(?:")
        elif sign in {")", "]", "}"}:
            parts.append(closing.pop())
        elif sign in {",", "|"}:
            parts.append(sign.strip(","))
        else:
            parts.append(re.escape(literal))
    return "".join(parts)
