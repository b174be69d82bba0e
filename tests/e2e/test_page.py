"""The served files of the page, and their headers."""

from __future__ import annotations

import re
import threading
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest
from werkzeug.exceptions import NotFound
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.serving import make_server

from api import create_app
from api.site.web_client import DIRECTORY, FILES
from tests.e2e.browsing import WINNING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.browsing import Visitor
    from tests.servers import ApiServer

PAGE = (DIRECTORY / "index.html").read_text()
SERVED = sorted(FILES)


def test_the_page_is_at_the_root(server: ApiServer) -> None:
    reply = server.get("/")
    assert reply.status == HTTPStatus.OK
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    assert reply.body.decode() == PAGE


@pytest.mark.parametrize("name", SERVED)
def test_each_file_is_served_with_a_policy_that_allows_only_the_same_origin(
    server: ApiServer, name: str
) -> None:
    reply = server.get(f"/play/{name}")
    assert reply.status == HTTPStatus.OK
    assert reply.body == (DIRECTORY / name).read_bytes()
    policy = dict(
        part.split(" ", 1) for part in reply.headers["Content-Security-Policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    for kind in ("script-src", "style-src", "connect-src"):
        assert policy[kind] == "'self'"
    assert "unsafe" not in reply.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/play/app.js"])
def test_a_cached_file_is_not_sent_again(server: ApiServer, path: str) -> None:
    tag = server.get(path).headers["ETag"]
    reply = server.get(path, **{"If-None-Match": tag})
    assert (reply.status, reply.body) == (HTTPStatus.NOT_MODIFIED, b"")
    assert reply.headers["ETag"] == tag


@pytest.mark.parametrize("path", ["/", "/play/app.js"])
def test_head_responds_like_get_without_the_body(server: ApiServer, path: str) -> None:
    get, head = server.get(path), server.request("HEAD", path)
    assert (head.status, head.body) == (HTTPStatus.OK, b"")
    assert head.headers["Content-Length"] == str(len(get.body))
    assert head.headers["ETag"] == get.headers["ETag"]


@pytest.mark.parametrize(
    "path",
    [
        "/play/",
        "/play/nothing.js",
        "/play/README.md",
        "/play/schema.d.ts",
        "/play/tooling/package.json",
        "/play/../web/app.js",
        "/play/..%2f..%2fpyproject.toml",
        "/play/%2e%2e/%2e%2e/LICENSE",
        "/play//etc/passwd",
    ],
)
def test_no_other_file_is_served(server: ApiServer, path: str) -> None:
    reply = server.get(path)
    assert reply.status == HTTPStatus.NOT_FOUND
    assert reply.json["code"] == "not_found"


@pytest.mark.slow
def test_the_page_works_under_a_path_prefix(
    visitors: Callable[..., Visitor], server: ApiServer
) -> None:
    app = create_app({"REDIS_URL": server.environment["SCOUNDREL_REDIS_URL"]})
    mounted = DispatcherMiddleware(NotFound(), {"/some/path": app})
    proxy = make_server("127.0.0.1", 0, mounted, threaded=True)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        visitor = visitors()
        visitor.address = f"http://127.0.0.1:{proxy.server_port}/some/path/"
        visitor.begin(WINNING)
        visitor.play(["equip:6D"])
    finally:
        proxy.shutdown()
        proxy.server_close()


def test_the_page_uses_only_relative_links() -> None:
    links = re.findall(r'(?:href|src)="([^"]*)"', PAGE)
    assert links
    assert [link for link in links if link.startswith(("/", "http"))] == []


def test_every_file_is_referenced_by_another() -> None:
    texts = [path.read_text() for path in FILES.values()]
    unused = [
        name
        for name in SERVED
        if name != "index.html" and not any(name.split("/")[-1] in text for text in texts)
    ]
    assert unused == []
