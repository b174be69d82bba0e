"""Find changes of the contract that break existing clients.

Old clients send requests to the new server and read its responses. So the schema of a request may
become wider, and that of a response narrower. Only fields and enumeration values may be added to
both. Keywords that this module does not know must not change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Json = dict[str, Any]

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

_ANYTHING: Json = {}
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_EXACT = ("pattern", "format", "multipleOf", "uniqueItems", "const")
_COMPARED = {
    *_LOWER,
    *_UPPER,
    *_EXACT,
    *("type", "enum", "default", "properties", "required", "additionalProperties", "items"),
}
_PROSE = {"$comment", "deprecated", "description", "example", "examples", "title"}


def breaks(old: Json, new: Json) -> list[str]:
    """Return the changes from ``old`` to ``new`` that break clients of ``old``."""
    return list(dict.fromkeys(_Comparison(old, new).breaks()))


class _Comparison:
    def __init__(self, old: Json, new: Json) -> None:
        self._old = old
        self._new = new
        self._seen: set[tuple[int, int, bool]] = set()

    def breaks(self) -> Iterator[str]:
        old, new = self._old, self._new
        if _urls(old) != _urls(new):
            yield "the servers have changed"
        for kind in ("schemas", "securitySchemes"):
            for name in _removed(old["components"].get(kind), new["components"].get(kind)):
                yield f"{name}: removed from the {kind}"
        for name, scheme in old["components"].get("securitySchemes", {}).items():
            other = new["components"].get("securitySchemes", {}).get(name, scheme)
            if _without(scheme, "description") != _without(other, "description"):
                yield f"{name}: another security scheme"
        for path, item in old["paths"].items():
            there = new["paths"].get(path, {})
            for method in (method for method in METHODS if method in item):
                where = f"{method.upper()} {path}"
                if method in there:
                    yield from self._operation(item, there, method, where)
                else:
                    yield f"{where}: removed"

    def _operation(self, old_item: Json, new_item: Json, method: str, where: str) -> Iterator[str]:
        old, new = old_item[method], new_item[method]
        if old["operationId"] != new["operationId"]:
            yield f"{where}: its operationId was {old['operationId']}"
        allowed = new.get("security", self._new.get("security", []))
        for way in old.get("security", self._old.get("security", [])) or [{}]:
            if way not in (allowed or [{}]):
                yield f"{where}: {' with '.join(way) or 'without a token'} it is refused"
        yield from self._parameters(_parameters(old_item, old), _parameters(new_item, new), where)
        yield from self._body(old.get("requestBody"), new.get("requestBody"), where)
        yield from self._responses(old["responses"], new["responses"], where)

    def _parameters(
        self, old: Mapping[str, Json], new: Mapping[str, Json], where: str
    ) -> Iterator[str]:
        for name in _removed(old, new):
            yield f"{where}: {name}: no longer accepted"
        for name, parameter in new.items():
            before = old.get(name, {})
            if parameter.get("required", False) and not before.get("required", False):
                yield f"{where}: {name}: is now required"
            if name in old:
                for key in ("style", "explode"):
                    if before.get(key) != parameter.get(key):
                        yield f"{where}: {name}: another {key}"
                yield from self._schemas(before, parameter, f"{where}: {name}", response=False)

    def _body(self, old: Json | None, new: Json | None, where: str) -> Iterator[str]:
        if new is None:
            if old is not None:
                yield f"{where}: no longer accepts a body"
            return
        if new.get("required", False) and not (old or {}).get("required", False):
            yield f"{where}: a body is now required"
        if old is not None:
            yield from self._content(old, new, f"{where}: body", response=False)

    def _responses(self, old: Json, new: Json, where: str) -> Iterator[str]:
        for status in _removed(old, new):
            yield f"{where}: {status}: no longer returned"
        for status in old.keys() & new.keys():
            there = f"{where}: {status}"
            for code in _removed(_codes(old[status]), _codes(new[status])):
                yield f"{there}: the code {code} is removed"
            headers, others = old[status].get("headers", {}), new[status].get("headers", {})
            for name in _removed(headers, others):
                yield f"{there}: the header {name} is removed"
            for name in headers.keys() & others.keys():
                yield from self._schemas(
                    headers[name], others[name], f"{there}: {name}", response=True
                )
            yield from self._content(old[status], new[status], there, response=True)

    def _content(self, old: Json, new: Json, where: str, *, response: bool) -> Iterator[str]:
        before, after = old.get("content", {}), new.get("content", {})
        for media_type in _removed(before, after):
            yield f"{where}: {media_type} is removed"
        for media_type in before.keys() & after.keys():
            yield from self._schemas(
                before[media_type], after[media_type], where, response=response
            )

    def _schemas(self, old: Json, new: Json, where: str, *, response: bool) -> Iterator[str]:
        """Compare the schemas of two parameters, headers or bodies."""
        yield from self._schema(
            old.get("schema", _ANYTHING), new.get("schema", _ANYTHING), where, response=response
        )

    def _schema(self, old: Json, new: Json, where: str, *, response: bool) -> Iterator[str]:
        before, after = _plain(old, self._old), _plain(new, self._new)
        pair = id(old), id(new), response
        if pair in self._seen:
            return
        self._seen.add(pair)
        sender, reader = (after, before) if response else (before, after)
        for kind in sorted(_types(sender) - _types(reader)):
            yield f"{where}: may {'now' if response else 'no longer'} be {kind}"
        yield from _limits(sender, reader, where)
        yield from _enumerations(before, after, sender, reader, where)
        if not response and before.get("default") != after.get("default"):
            yield f"{where}: another default"
        for keyword in sorted({*before, *after} - _COMPARED - _PROSE):
            if before.get(keyword) != after.get(keyword):
                yield f"{where}: another {keyword}"
        yield from self._inner(before, after, sender, reader, where, response=response)

    def _inner(  # noqa: PLR0913  # both schemas, by age and by role
        self, old: Json, new: Json, sender: Json, reader: Json, where: str, *, response: bool
    ) -> Iterator[str]:
        for name in sorted({*reader.get("required", ())} - {*sender.get("required", ())}):
            yield f"{where}/{name}: " + ("may be missing" if response else "is now required")
        if reader.get("additionalProperties") is False and _is_open(sender):
            yield f"{where}: unknown fields"
        fields, others = old.get("properties", {}), new.get("properties", {})
        for name in _removed(fields, others):
            yield f"{where}/{name}: removed"
        for name in fields.keys() & others.keys():
            yield from self._schema(
                fields[name], others[name], f"{where}/{name}", response=response
            )
        items = old.get("items", _ANYTHING), new.get("items", _ANYTHING)
        yield from self._schema(*items, f"{where}/0", response=response)


def _limits(sender: Json, reader: Json, where: str) -> Iterator[str]:
    """Yield the bounds of the reader that the sender may exceed."""
    for key in (key for key in (*_LOWER, *_UPPER, *_EXACT) if key in reader):
        bound, other = reader[key], sender.get(key)
        if other is None or (
            other < bound if key in _LOWER else other > bound if key in _UPPER else other != bound
        ):
            yield f"{where}: another {key}"


def _enumerations(old: Json, new: Json, sender: Json, reader: Json, where: str) -> Iterator[str]:
    if "enum" in old and "enum" in new:
        yield from (f"{where}: no longer {word!r}" for word in _removed(old["enum"], new["enum"]))
    elif "enum" in reader and "enum" not in sender:
        yield f"{where}: another enum"


def _plain(schema: Json, document: Json) -> Json:
    """Return a schema with references resolved, and a nullable object as one of two types."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1 and len(schema["anyOf"]) > 1:
        inner = _plain(choices[0], document)
        return {**inner, **_without(schema, "anyOf"), "type": [*sorted(_types(inner)), "null"]}
    if "$ref" in schema:
        target: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return _plain({**target, **_without(schema, "$ref")}, document)
    return schema


def _types(schema: Json) -> set[str]:
    named = schema.get("type", _TYPES)
    types = {named} if isinstance(named, str) else {*named}
    return types | {"integer"} if "number" in types else types


def _is_open(schema: Json) -> bool:
    return "object" in _types(schema) and schema.get("additionalProperties") is not False


def _parameters(item: Json, operation: Json) -> dict[str, Json]:
    both = (*item.get("parameters", ()), *operation.get("parameters", ()))
    return {f"{parameter['in']} {parameter['name']}": parameter for parameter in both}


def _codes(response: Json) -> list[str]:
    return re.findall(r"`(\w+)`:", response["description"])


def _urls(document: Json) -> list[str]:
    return [server["url"] for server in document["servers"]]


def _removed(old: Iterable[Any] | None, new: Iterable[Any] | None) -> list[Any]:
    there = list(new or ())
    return [one for one in old or () if one not in there]


def _without(mapping: Json, key: str) -> Json:
    return {name: value for name, value in mapping.items() if name != key}
