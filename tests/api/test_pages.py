"""The documentation pages: content, links, headers and security policy."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from werkzeug.exceptions import NotFound
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.serving import make_server

from api import create_app
from api.http.problem_types import PROBLEM_TYPES
from api.site.pages import STATIC, SWAGGER_UI, VECTORS
from tests.api.documented import ON_EVERY_REPLY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page
    from werkzeug.test import TestResponse

    from tests.servers import StoreServer

HTML = ["/docs/start", "/docs", "/docs/problems"]
FILES = [
    "/docs/vectors/deals.json",
    "/docs/vectors/games.json",
    "/static/pages.css",
    "/static/icon.svg",
    "/static/docs/reference.js",
    f"/static/{SWAGGER_UI}/swagger-ui.css",
]
ELSEWHERE = {"https://www.rfc-editor.org/rfc/rfc9457"}
MOUNTS = ["http://example.test/", "https://example.test/some/path/"]

CLIENT = create_app({"REDIS_URL": "redis://127.0.0.1:1/0"}).test_client()
CONTRACT = json.loads(CLIENT.get("/openapi.json").data)
OPERATIONS = {
    operation["operationId"]: operation
    for item in CONTRACT["paths"].values()
    for operation in item.values()
}


class Markup(HTMLParser):
    """The tags, text, IDs and links of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def ids(self) -> set[str | None]:
        return {attributes["id"] for _tag, attributes in self.tags if "id" in attributes}

    @property
    def links(self) -> set[str]:
        return {
            address
            for _tag, attributes in self.tags
            for name in ("href", "src")
            if (address := attributes.get(name)) is not None
        }


def get(path: str, base: str = MOUNTS[0], **headers: str) -> TestResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return CLIENT.get(path, base_url=base, headers=named)


def policy(response: TestResponse) -> dict[str, str]:
    directives = response.headers["Content-Security-Policy"].split(";")
    return dict(directive.strip().partition(" ")[::2] for directive in directives)


# All pages.


@pytest.mark.parametrize("path", HTML + FILES)
def test_a_page_has_the_common_headers(path: str) -> None:
    response = get(path)
    assert response.status_code == 200
    assert set(ON_EVERY_REPLY) <= set(response.headers.keys())


@pytest.mark.parametrize("path", HTML + FILES)
def test_head_returns_the_get_response_without_its_body(path: str) -> None:
    full, head = get(path), CLIENT.head(path, base_url=MOUNTS[0])
    for response in (full, head):
        del response.headers["X-Request-ID"]
    assert (head.status_code, head.headers) == (full.status_code, full.headers)
    assert head.data == b""


@pytest.mark.parametrize("path", HTML + FILES)
def test_an_unsupported_method_is_refused_with_the_allowed_ones(path: str) -> None:
    response = CLIENT.post(path)
    assert (response.status_code, response.get_json()["code"]) == (405, "method_not_allowed")
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


@pytest.mark.parametrize("path", HTML + FILES)
def test_a_matching_etag_gets_304(path: str) -> None:
    response = get(path)
    again = get(path, If_None_Match=response.headers["ETag"])
    assert (again.status_code, again.data) == (304, b"")
    for name in ("ETag", "Cache-Control"):
        assert again.headers[name] == response.headers[name]


@pytest.mark.parametrize("base", MOUNTS)
@pytest.mark.parametrize("path", HTML)
def test_every_link_works_under_any_base_path(path: str, base: str) -> None:
    page = Markup(get(path, base).text)
    for link in page.links:
        url, fragment = urldefrag(urljoin(base + path.removeprefix("/"), link))
        if url in ELSEWHERE:
            continue
        assert url.startswith(base), link
        target = "/" + url.removeprefix(base)
        if target.startswith(("/v1/ledger",)):
            continue  # needs the store
        response = get(target, base)
        assert response.status_code == 200, link
        if fragment and not fragment.startswith("/"):
            assert fragment in Markup(response.text).ids, link


@pytest.mark.parametrize("path", HTML)
def test_a_page_loads_no_foreign_or_inline_resources(path: str) -> None:
    response = get(path)
    directives = policy(response)
    assert directives["default-src"] == "'none'"
    for name in ("base-uri", "form-action", "frame-ancestors"):
        assert directives[name] == "'none'"
    allowed = {source for value in directives.values() for source in value.split()}
    assert allowed <= {"'none'", "'self'", "data:"}
    for tag, attributes in Markup(response.text).tags:
        assert tag != "style"
        assert tag != "script" or attributes["src"]
        assert not [name for name in attributes if name == "style" or name.startswith("on")]


@pytest.mark.parametrize("path", ["/docs/start", "/docs/problems"])
def test_a_page_without_scripts_allows_none(path: str) -> None:
    assert {"script-src", "connect-src"}.isdisjoint(policy(get(path)))
    assert "script" not in {tag for tag, _attributes in Markup(get(path).text).tags}


# Start page.


@pytest.mark.parametrize("base", MOUNTS)
def test_the_first_command_contains_the_requested_address(base: str) -> None:
    assert f"{base}v1/games -d '{{}}'" in Markup(get("/docs/start", base).text).text


def test_the_start_page_credits_the_game_designers() -> None:
    page = get("/docs/start").text
    assert "Zach Gage" in page
    assert "Kurt Bieg" in page


# Problem types.


@pytest.mark.parametrize("code", PROBLEM_TYPES)
def test_a_problem_type_leads_to_its_explanation(code: str) -> None:
    html = get("/docs/problems").text
    section = html[html.index(f'id="{code}"') :].split("</section>", 1)[0]
    page, problem = Markup(f"<section {section}"), PROBLEM_TYPES[code]
    text = " ".join(page.text.split())
    for part in (code, str(problem.status), problem.title, problem.meaning.replace("`", "")):
        assert " ".join(part.split()) in text


def test_every_recorded_problem_type_is_explained() -> None:
    explained = Markup(get("/docs/problems").text).ids
    types = re.findall(r'"/docs/problems#(\w+)"', json.dumps(CONTRACT["paths"]))
    assert set(types)
    assert set(types) <= explained


def test_the_recorded_examples_of_a_problem_are_shown() -> None:
    shown = Markup(get("/docs/problems").text).text
    content = OPERATIONS["applyActions"]["responses"]["409"]["content"]["application/problem+json"]
    for example in content["examples"].values():
        assert json.dumps(example["value"], indent=2, ensure_ascii=False) in shown


def test_a_problem_links_to_the_operations_that_return_it() -> None:
    html = get("/docs/problems").text
    section = html[html.index('id="token_required"') :].split("</section>", 1)[0]
    assert Markup(section).links == {"#token_required", "../docs#/actions/applyActions"}


# API reference.


def test_the_reference_lists_every_operation() -> None:
    links = Markup(get("/docs").text).links
    for operation_id, operation in OPERATIONS.items():
        assert f"#/{operation['tags'][0]}/{operation_id}" in links


def test_the_contract_contains_the_base_path_of_the_app() -> None:
    for base, root in zip(MOUNTS, ("/", "/some/path"), strict=True):
        document = get("/openapi.json", base).get_json()
        assert [server["url"] for server in document["servers"]] == [root]
        assert document["paths"] == CONTRACT["paths"]


def test_the_contract_has_an_etag_per_base_path() -> None:
    tags = [get("/openapi.json", base).headers["ETag"] for base in MOUNTS]
    assert tags[0] != tags[1]
    assert get("/openapi.json", MOUNTS[0], If_None_Match=tags[0]).status_code == 304
    assert get("/openapi.json", MOUNTS[1], If_None_Match=tags[0]).status_code == 200


# Static files.


@pytest.mark.parametrize("name", ["deals", "games"])
def test_the_vectors_are_those_of_the_engine_tests(name: str) -> None:
    response = get(f"/docs/vectors/{name}.json")
    assert response.content_type == "application/json"
    assert "public" in response.headers["Cache-Control"]
    assert response.data == (VECTORS / f"{name}.json").read_bytes()


def test_a_file_with_a_version_in_its_path_is_immutable() -> None:
    cache_control = get(f"/static/{SWAGGER_UI}/swagger-ui-bundle.js").headers["Cache-Control"]
    assert "immutable" in cache_control
    assert get("/static/docs/reference.js").headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/nosuch.css",
        "/static/docs/VENDORED.md",
        "/static/../pages.py",
        "/static/%2e%2e/pages.py",
        "/static//etc/passwd",
        "/static/docs",
        "/docs/vectors/perft.json",
        "/docs/",
    ],
)
def test_no_other_file_is_served(path: str) -> None:
    response = get(path)
    assert (response.status_code, response.get_json()["code"]) == (404, "not_found")


def test_the_vendored_files_match_their_recorded_digests() -> None:
    text = (STATIC / "docs" / "VENDORED.md").read_text()
    recorded = {name: digest for digest, name in re.findall(r"\| `(\w{64})` \| `(.+)` \|", text)}
    files = list((STATIC / SWAGGER_UI).iterdir())
    assert {file.name: sha256(file.read_bytes()).hexdigest() for file in files} == recorded
    assert Path(SWAGGER_UI).name in text


# In a browser.


@contextmanager
def mounted(store: StoreServer, prefix: str) -> Iterator[str]:
    """Serve the app under ``prefix`` and yield its address."""
    app: Any = create_app({"REDIS_URL": store.url})
    if prefix:
        app = DispatcherMiddleware(NotFound(), {prefix: app})
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}{prefix}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(params=["", "/some/path"], ids=["at the root", "under a path"])
def page(
    request: pytest.FixtureRequest, browser: Browser, store_server: StoreServer
) -> Iterator[Page]:
    """The rendered API reference. A console message or a request to another host fails the test."""
    with mounted(store_server, request.param) as address:
        opened = browser.new_page(base_url=address)
        unexpected: list[str] = []
        opened.on("console", lambda message: unexpected.append(f"{message.type}: {message.text}"))
        opened.on("pageerror", lambda error: unexpected.append(str(error)))
        opened.on("request", lambda sent: unexpected.extend(_foreign(sent.url, address)))
        opened.goto("docs")
        opened.locator(".opblock").first.wait_for()
        yield opened
        opened.close()
        assert unexpected == []


def _foreign(url: str, address: str) -> list[str]:
    parts = urlsplit(url)
    own = parts.scheme == "data" or url.startswith(address)
    return [] if own else [f"requested {url}"]


@pytest.mark.slow
def test_the_reference_shows_every_operation(page: Page) -> None:
    shown = page.locator(".opblock").evaluate_all("blocks => blocks.map(block => block.id)")
    assert set(shown) == {
        f"operations-{operation['tags'][0]}-{operation_id}"
        for operation_id, operation in OPERATIONS.items()
    }


@pytest.mark.slow
def test_an_operation_can_be_opened_and_executed(page: Page) -> None:
    page.locator(".operations a", has_text="Create a game").click()
    operation = page.locator("#operations-games-createGame")
    operation.locator("button.execute").click()
    response = operation.locator(".live-responses-table .response")
    response.wait_for()
    assert response.locator(".response-col_status").inner_text().startswith("201")
    assert '"commitment"' in response.inner_text()


@pytest.mark.slow
def test_the_reference_shows_only_the_name_of_this_project(page: Page) -> None:
    assert page.title() == "API reference · Scoundrel"
    assert "swagger" not in page.locator("body").inner_text().lower()
