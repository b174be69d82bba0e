"""Security headers on every response of every route, including errors, 304 and OPTIONS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from api import create_app
from tests.playing import begin, record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from werkzeug.routing import Rule

    from tests.servers import ApiServer, Reply

PATHS = {
    "/play/<path:name>": ["/play/app.js", "/play/styles/base.css", "/play/nosuch.js"],
    "/static/<path:name>": ["/static/icon.svg", "/static/pages.css", "/static/nosuch.css"],
    "/docs/vectors/<any(deals, games):name>.json": ["/docs/vectors/deals.json"],
    "/v1/rulesets/<ruleset>": ["/v1/rulesets/original", "/v1/rulesets/nosuch"],
}
"""Paths to request for routes with variables; all other routes take at most a game ID."""

POLICY = {
    "default-src": {"'none'"},
    "base-uri": {"'none'"},
    "form-action": {"'none'"},
    "frame-ancestors": {"'none'"},
}
"""Directives required on every page."""
SOURCES = {"'none'", "'self'", "data:", "'script'"}
"""Sources that a page may use in any directive."""


class Exchange(NamedTuple):
    """A request and its response."""

    method: str
    path: str
    reply: Reply


def rules() -> list[Rule]:
    return list(create_app({"REDIS_URL": "redis://nowhere:1"}).url_map.iter_rules())


def paths(rule: str, game_id: str) -> list[str]:
    if rule in PATHS:
        return PATHS[rule]
    return list({rule.replace("<game_id>", some_id) for some_id in (game_id, "nosuch")})


def request_all(server: ApiServer, rule: str, game_id: str) -> Iterator[Exchange]:
    """Send requests of every kind to every path of a route."""
    for path in paths(rule, game_id):
        assert "<" not in path, f"add the paths of {rule} to PATHS"
        for method in ("GET", "HEAD", "OPTIONS", "DELETE", "FOO"):
            yield Exchange(method, path, server.request(method, path))
        for headers in ({"If-None-Match": "*"}, {"Accept": "image/png"}, {"Accept": "text/plain"}):
            yield Exchange("GET", path, server.request("GET", path, headers=headers))
        yield Exchange("GET", path, server.get(f"{path}?no-such-argument=1"))
        preflight = {"Origin": "https://example.org", "Access-Control-Request-Method": "GET"}
        yield Exchange("OPTIONS", path, server.request("OPTIONS", path, headers=preflight))
        for body in (b"{", b"{}", b" " * 20_000):
            json = {"Content-Type": "application/json"}
            yield Exchange("POST", path, server.request("POST", path, body=body, headers=json))


@pytest.fixture(scope="module", params=sorted({rule.rule for rule in rules()} | {"/v1/nosuch"}))
def exchanges(request: pytest.FixtureRequest, server: ApiServer) -> list[Exchange]:
    """All exchanges with one route."""
    game_id, _ = begin(server, record("security-headers"))
    return list(request_all(server, request.param, game_id))


def test_every_response_forbids_sniffing_and_referrers(exchanges: list[Exchange]) -> None:
    for method, path, reply in exchanges:
        assert reply.headers["X-Content-Type-Options"] == "nosniff", (method, path)
        assert reply.headers["Referrer-Policy"] == "no-referrer", (method, path)
        assert reply.headers["X-Request-ID"], (method, path)


def test_errors_are_never_cached_and_other_responses_set_cache_control(
    exchanges: list[Exchange],
) -> None:
    assert any(reply.status >= 400 for _, _, reply in exchanges)
    for method, path, reply in exchanges:
        cache_control = reply.headers["Cache-Control"]
        assert cache_control == "no-store" if reply.status >= 400 else cache_control, (method, path)


def test_responses_set_no_cookie_and_reveal_no_version(exchanges: list[Exchange]) -> None:
    for method, path, reply in exchanges:
        assert "Set-Cookie" not in reply.headers, (method, path)
        assert "X-Powered-By" not in reply.headers, (method, path)
        assert not re.search("[0-9]", reply.headers["Server"]), (method, path)


def test_pages_load_only_resources_of_this_server(exchanges: list[Exchange]) -> None:
    for method, path, reply in exchanges:
        if not reply.headers.get("Content-Type", "").startswith("text/html"):
            continue
        policy = {
            name: set(sources)
            for name, *sources in map(
                str.split, reply.headers["Content-Security-Policy"].split(";")
            )
        }
        assert policy.items() >= POLICY.items(), (method, path)
        assert set().union(*policy.values()) <= SOURCES, (method, path)
        assert policy.get("script-src", {"'none'"}) <= {"'self'", "'none'"}, (method, path)


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/start", "/docs/problems"])
def test_a_304_response_keeps_the_content_security_policy(server: ApiServer, path: str) -> None:
    page = server.get(path)
    not_modified = server.get(path, **{"If-None-Match": page.headers["ETag"]})
    assert (page.status, not_modified.status) == (200, 304)
    assert page.headers["Content-Type"].startswith("text/html")
    name = "Content-Security-Policy"
    assert not_modified.headers[name] == page.headers[name]
