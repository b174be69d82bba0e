"""Imports point inwards, nothing imports in a circle, and the engine needs nothing but Python."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

ROOT = Path(__file__).parent.parent

IMPURE = {
    "asyncio", "datetime", "io", "logging", "multiprocessing", "os", "pathlib", "random", "secrets",
    "socket", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
"""Modules that the engine must not use: it reads no clock and no file, and is deterministic."""

INWARDS = ("store", "games", "http", "resources", "site")
"""The rooms of the API in which requests are answered: each may import those before it."""

ROOMS = {
    **{room: [f"api.{inner}" for inner in INWARDS[: i + 1]] for i, room in enumerate(INWARDS)},
    "observe": ["api.observe", "api.store", "api.http"],
    "commands": ["api.store", "api.http"],
    "settings": [],
    "server": [
        "api.server",
        "api.settings",
        "api.http.problem_types",
        "api.observe.json_lines",
        "api.observe.log_stream",
    ],
}
"""What each room of the API may import of the API."""

FACTORY = "api"
"""The module that imports all others, inside the factory."""

WEB = ("flask", "flask_smorest", "marshmallow", "webargs", "werkzeug")


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


def games_may(module: str) -> bool:
    return not within(module, *WEB)


def api_may(module: str) -> bool:
    return not ours(module) or within(module, "engine", "api")


def room_may(room: str) -> Callable[[str], bool]:
    """Return the rule of a room of the API about other modules of the API."""

    def may(module: str) -> bool:
        return not within(module, "api") or within(module, *ROOMS[room])

    return may


def imports(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything that a module of ``package`` imports at any place."""
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


def files(place: str) -> list[Path]:
    """Return the modules of a package, or the only one of a module."""
    found = sorted((ROOT / place).rglob("*.py")) or [(ROOT / place).with_suffix(".py")]
    assert all(path.is_file() for path in found)
    return found


def imported_by(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything that a file imports."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    return imports(path.read_text(encoding="utf-8"), package)


def offences(place: str, may: Callable[[str], bool]) -> list[str]:
    """Return the lines in a package or module that import what they must not."""
    return [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in files(place)
        for line, module in imported_by(path)
        if not may(module)
    ]


# Layers.


def test_the_engine_imports_only_itself_and_the_pure_part_of_the_standard_library() -> None:
    assert offences("engine", engine_may) == []


def test_the_store_imports_only_itself_the_engine_redis_and_limits() -> None:
    assert offences("api/store", store_may) == []


def test_the_api_imports_no_tests_clients_or_benchmarks() -> None:
    assert offences("api", api_may) == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_of_the_api_imports_only_inner_rooms(room: str) -> None:
    assert offences(f"api/{room}", room_may(room)) == []


def test_the_use_cases_import_nothing_of_the_web() -> None:
    assert offences("api/games", games_may) == []


def test_every_room_of_the_api_has_a_rule() -> None:
    rooms = {path.relative_to(ROOT / "api").parts[0] for path in files("api")}
    assert {room.removesuffix(".py") for room in rooms} == {*ROOMS, "__init__"}


# Circles.


def name_of(path: Path) -> str:
    """Return the full name of a module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def graph(imported: Mapping[str, Iterable[tuple[int, str]]]) -> dict[str, set[str]]:
    """Return which of some modules each of them imports, given its imports by line and name."""
    return {module: set(_edges(imported, list(lines))) for module, lines in imported.items()}


def _edges(modules: Collection[str], lines: list[tuple[int, str]]) -> Iterator[str]:
    for line, name in lines:
        # "from package import module" yields both names, and means the second.
        if not any(at == line and other.startswith(f"{name}.") for at, other in lines):
            owner = name if name in modules else name.rpartition(".")[0]
            if owner in modules:
                yield owner


def circle(imported: Mapping[str, Iterable[str]]) -> list[str]:
    """Return modules that import each other in a circle, if there are any."""
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Neither for types alone nor inside functions, except in the factory."""
    paths = [*files("engine"), *files("api")]
    imported = {name_of(path): list(imported_by(path)) for path in paths}
    assert imported.pop(FACTORY)
    assert circle(graph(imported)) == []


@pytest.mark.parametrize(
    ("imported", "found"),
    [
        ({"a": [], "b": ["a"], "c": ["a", "b"]}, []),
        ({"a": ["b"], "b": ["a"]}, ["a", "b"]),
        ({"a": ["b"], "b": ["c"], "c": ["d"], "d": ["b"]}, ["b", "c", "d"]),
        ({"a": ["a"]}, ["a"]),
    ],
)
def test_a_circle_is_found(imported: dict[str, list[str]], found: list[str]) -> None:
    assert sorted(set(circle(imported))) == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from api.store import Game", {"api.store"}),
        ("from api.store import game", {"api.store.game"}),
        ("from api.store import game, Game", {"api.store", "api.store.game"}),
        ("from api.store.game import Game", {"api.store.game"}),
        ("import api.store\nfrom api.store.game import Game", {"api.store", "api.store.game"}),
        ("if TYPE_CHECKING:\n    from api.store import Game", {"api.store"}),
        ("def late():\n    from api.store import Game", {"api.store"}),
        ("import redis", set()),
    ],
)
def test_the_module_that_an_import_means_is_found(source: str, found: set[str]) -> None:
    modules = {"api.store": [], "api.store.game": [], "api.games": list(imports(source, "api"))}
    assert graph(modules)["api.games"] == found


# Light modules.


@pytest.mark.parametrize("module", ["api.settings", "api.server.__main__"])
def test_a_module_loads_no_web_framework_and_no_client_of_the_store(module: str) -> None:
    """The launcher starts quickly, and gevent can patch the sockets before anything uses them."""
    script = f"import sys, {module}; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert module in loaded
    assert loaded & {"flask", "gevent", "redis"} == set()


# The tests' own tools.


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
def test_every_form_of_import_is_found(
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
        (games_may, ["api.store", "limits", "engine"], ["flask", "werkzeug.exceptions"]),
        (
            room_may("http"),
            ["api.http.fields", "api.games", "api.store", "flask"],
            ["api", "api.resources", "api.observe.logs", "api.settings", "api.httpd"],
        ),
        (
            room_may("server"),
            ["api.server.children", "api.settings", "api.http.problem_types", "gunicorn"],
            ["api.http", "api.http.problems", "api.store", "api.observe.logs"],
        ),
        (room_may("settings"), ["click", "limits"], ["api", "api.store"]),
        (api_may, ["api", "api.store", "engine", "flask"], ["tests.public", "bench", "clients.x"]),
    ],
)
def test_a_rule_allows_and_forbids(
    may: Callable[[str], bool], allowed: list[str], forbidden: list[str]
) -> None:
    assert [module for module in allowed if not may(module)] == []
    assert [module for module in forbidden if may(module)] == []
