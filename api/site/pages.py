"""Pages for client authors: a start page, the reference, the problems, the test vectors.

They are not operations, so they are not in the contract. Their links are relative, so they also
work below a path prefix.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import Blueprint, Response, render_template, request
from markupsafe import Markup, escape
from werkzeug.exceptions import NotFound

from api.http.openapi import VERSION
from api.http.problem_types import MEDIA_TYPE, PROBLEM_TYPES
from api.resources.documents import OPENAPI_FILE
from api.site.files import file_response, files_below, page_response

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from api.http.problem_types import ProblemType

STATIC = Path(__file__).with_name("static")
SWAGGER_UI = "docs/swagger-ui-5.35.0"
VECTORS = OPENAPI_FILE.with_name("vectors")

_POLICY = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; "
)
STILL = _POLICY + "img-src 'self'"
"""The content security policy of pages without scripts."""
LIVE = _POLICY + "img-src 'self' data:; script-src 'self'; connect-src 'self'"
"""The policy of the reference, which sends requests to this server and has inline icons."""

_FOR_A_DAY = "public, max-age=86400"
_FOR_EVER = "public, max-age=31536000, immutable"
_METHODS = ("get", "post")
_ASSETS = files_below(STATIC)

pages = Blueprint("pages", __name__, template_folder="templates")


class Operation(NamedTuple):
    """An operation that a page links to."""

    id: str
    tag: str
    method: str
    path: str
    summary: str

    @property
    def fragment(self) -> str:
        """The fragment of the reference that shows it."""
        return f"#/{self.tag}/{self.id}"


class Example(NamedTuple):
    """A recorded response with a problem."""

    operation: Operation
    summary: str
    body: str


class Explanation(NamedTuple):
    """A type of problem, the operations that return it, and examples."""

    problem: ProblemType
    operations: list[Operation]
    examples: list[Example]


@pages.get("/docs/start")
def start() -> Response:
    """Introduce the API, with a first request and links."""
    return _page("start.html", STILL, address=request.url_root)


@pages.get("/docs")
def reference() -> Response:
    """Show the API reference, where operations can be tried."""
    by_tag: dict[str, list[Operation]] = {tag["name"]: [] for tag in _contract()["tags"]}
    for operation, _definition in _operations():
        by_tag[operation.tag].append(operation)
    return _page("reference.html", LIVE, swagger_ui=SWAGGER_UI, by_tag=by_tag)


@pages.get("/docs/problems")
def problems() -> Response:
    """Explain every type of problem; a problem's ``type`` links here."""
    return _page("problems.html", STILL, explanations=_explanations())


@pages.get("/docs/vectors/<any(deals, games):name>.json")
def vectors(name: str) -> Response:
    """Return recorded deals or games, for authors of other engines."""
    return file_response(VECTORS / f"{name}.json", caching=_FOR_A_DAY)


@pages.get("/static/<path:name>")
def static(name: str) -> Response:
    """Return a static file of the pages."""
    path = _ASSETS.get(name)
    if path is None:
        raise NotFound
    lasting = _FOR_EVER if name.startswith(SWAGGER_UI) else "no-cache"
    return file_response(path, caching=lasting)


@pages.app_template_filter("prose")
def _prose(text: str) -> Markup:
    """Return a text as HTML, with code between backticks marked up."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704  # escaped


def _page(template: str, policy: str, **context: Any) -> Response:  # noqa: ANN401  # the template's
    up = "../" * (request.path.count("/") - 1)
    page = render_template(template, up=up, version=VERSION, **context)
    return page_response(page, {"Content-Security-Policy": policy})


@cache
def _contract() -> dict[str, Any]:
    contract: dict[str, Any] = json.loads(OPENAPI_FILE.read_bytes())
    return contract


def _operations() -> Iterator[tuple[Operation, dict[str, Any]]]:
    """Yield each operation of the contract with its definition."""
    for path, item in _contract()["paths"].items():
        for method in _METHODS:
            if definition := item.get(method):
                operation = Operation(
                    definition["operationId"],
                    definition["tags"][0],
                    method.upper(),
                    path,
                    definition["summary"],
                )
                yield operation, definition


@cache
def _explanations() -> list[Explanation]:
    """Return what the contract says about every type of problem."""
    explanations = {code: Explanation(problem, [], []) for code, problem in PROBLEM_TYPES.items()}
    for operation, definition in _operations():
        for answer in definition["responses"].values():
            for code in re.findall(r"`(\w+)`:", answer["description"]):
                if code in explanations:
                    explanations[code].operations.append(operation)
            for summary, body in _recorded(answer):
                shown = explanations[body["code"]].examples
                if summary not in {example.summary for example in shown}:
                    text = json.dumps(body, indent=2, ensure_ascii=False)
                    shown.append(Example(operation, summary, text))
    return list(explanations.values())


def _recorded(answer: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    content = answer.get("content", {}).get(MEDIA_TYPE, {})
    return (
        (example["summary"], example["value"]) for example in content.get("examples", {}).values()
    )
