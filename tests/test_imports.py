"""Imports point one way, engine ← api.store ← api, and the engine needs nothing but Python."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent

IMPURE = {
    "asyncio", "datetime", "io", "logging", "multiprocessing", "os", "pathlib", "random", "secrets",
    "socket", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
"""What the engine has no use for: it reads no clock, no file and no dice."""


def within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def ours(module: str) -> bool:
    return within(module, "engine", "api", "bench", "tests", "clients")


def engine_may(module: str) -> bool:
    pure = standard(module) and module.partition(".")[0] not in IMPURE
    return pure or within(module, "engine")


def store_may(module: str) -> bool:
    return standard(module) or within(module, "engine", "limits", "redis", "api.store")


def api_may(module: str) -> bool:
    return not ours(module) or within(module, "engine", "api")


def imports(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Yield line and full name of all that a module of ``package`` imports, wherever it does."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                for alias in node.names:
                    yield node.lineno, alias.name
            case ast.ImportFrom():
                parents = package.split(".")[: 1 - node.level or None] if node.level else []
                module = ".".join([*parents, *filter(None, [node.module])])
                yield node.lineno, module
                for alias in node.names:
                    if ours(f"{module}.{alias.name}"):
                        yield node.lineno, f"{module}.{alias.name}"
            case ast.Call(
                func=ast.Attribute(attr="import_module")
                | ast.Name(id="import_module" | "__import__"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name


def offences(folder: str, may: Callable[[str], bool], but: str | None = None) -> list[str]:
    """Return the lines below ``folder``, but not ``but``, that import what they may not."""
    found = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        place = path.relative_to(ROOT)
        if but and place.is_relative_to(but):
            continue
        for line, module in imports(path.read_text(encoding="utf-8"), ".".join(place.parent.parts)):
            if not may(module):
                found.append(f"{place}:{line} imports {module}")
    return found


def test_the_engine_imports_only_itself_and_what_of_python_is_pure() -> None:
    assert list((ROOT / "engine").glob("*.py"))
    assert offences("engine", engine_may) == []


def test_the_store_imports_only_itself_the_engine_and_what_speaks_to_redis() -> None:
    assert list((ROOT / "api/store").glob("*.py"))
    assert offences("api/store", store_may) == []


def test_the_api_imports_nothing_of_what_is_built_around_it() -> None:
    assert list((ROOT / "api").glob("*.py"))
    assert offences("api", api_may, but="api/store") == []


@pytest.mark.parametrize(
    ("source", "package", "found"),
    [
        ("import os.path, json", "engine", [(1, "os.path"), (1, "json")]),
        ("from redis.client import Redis", "api.store", [(1, "redis.client")]),
        ("from api import games", "api.store", [(1, "api"), (1, "api.games")]),
        ("from engine import deal", "api", [(1, "engine"), (1, "engine.deal")]),
        ("from . import keys", "api.store", [(1, "api.store"), (1, "api.store.keys")]),
        ("from .keys import key", "api.store", [(1, "api.store.keys"), (1, "api.store.keys.key")]),
        ("from .. import app", "api.store", [(1, "api"), (1, "api.app")]),
        ("from ..app import app", "api.store", [(1, "api.app"), (1, "api.app.app")]),
        ("if TYPE_CHECKING:\n    import flask", "engine", [(2, "flask")]),
        ("def late():\n\n    import flask", "engine", [(3, "flask")]),
        ("importlib.import_module('api.app')", "engine", [(1, "api.app")]),
        ("__import__('api')", "engine", [(1, "api")]),
    ],
)
def test_an_import_is_found_wherever_and_however_it_is_written(
    source: str, package: str, found: list[tuple[int, str]]
) -> None:
    assert list(imports(source, package)) == found


@pytest.mark.parametrize(
    ("may", "allowed", "forbidden"),
    [
        (
            engine_may,
            ["engine", "engine.cards", "re", "collections.abc"],
            ["api", "redis", "flask", "time", "os.path", "random", "engines", "tests"],
        ),
        (
            store_may,
            ["engine.cards", "redis.client", "time", "api.store.games"],
            ["api", "api.games", "api.stores", "flask", "tests", "bench"],
        ),
        (api_may, ["api", "api.store", "engine", "flask"], ["tests.public", "bench", "clients.x"]),
    ],
)
def test_what_may_be_imported_is_told_from_what_may_not(
    may: Callable[[str], bool], allowed: list[str], forbidden: list[str]
) -> None:
    assert [module for module in allowed if not may(module)] == []
    assert [module for module in forbidden if may(module)] == []
