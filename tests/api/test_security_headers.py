"""Every answer of every route says how it may be used: errors, 304 and OPTIONS among them."""

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
"""What to ask of the routes with a part of one's own; any other is the id of a game."""

POLICY = {
    "default-src": {"'none'"},
    "base-uri": {"'none'"},
    "form-action": {"'none'"},
    "frame-ancestors": {"'none'"},
}
"""What holds on every page; whatever else it may load comes from this server, or is written in."""
SOURCES = {"'none'", "'self'", "data:", "'script'"}


class Asked(NamedTuple):
    """A request and its answer."""

    method: str
    path: str
    reply: Reply


def rules() -> list[Rule]:
    return list(create_app({"REDIS_URL": "redis://nowhere:1"}).url_map.iter_rules())


def paths(rule: str, game_id: str) -> list[str]:
    if rule in PATHS:
        return PATHS[rule]
    return list({rule.replace("<game_id>", some_id) for some_id in (game_id, "nosuch")})


def answers(server: ApiServer, rule: str, game_id: str) -> Iterator[Asked]:
    """Ask for every path of a route in every way."""
    for path in paths(rule, game_id):
        assert "<" not in path, f"say what to ask of {rule}"
        for method in ("GET", "HEAD", "OPTIONS", "DELETE", "FOO"):
            yield Asked(method, path, server.request(method, path))
        for headers in ({"If-None-Match": "*"}, {"Accept": "image/png"}, {"Accept": "text/plain"}):
            yield Asked("GET", path, server.request("GET", path, headers=headers))
        yield Asked("GET", path, server.get(f"{path}?no-such-argument=1"))
        preflight = {"Origin": "https://example.org", "Access-Control-Request-Method": "GET"}
        yield Asked("OPTIONS", path, server.request("OPTIONS", path, headers=preflight))
        for body in (b"{", b"{}", b" " * 20_000):
            json = {"Content-Type": "application/json"}
            yield Asked("POST", path, server.request("POST", path, body=body, headers=json))


@pytest.fixture(scope="module", params=sorted({rule.rule for rule in rules()} | {"/v1/nosuch"}))
def asked(request: pytest.FixtureRequest, server: ApiServer) -> list[Asked]:
    """All answers of one route."""
    game_id, _ = begin(server, record("security-headers"))
    return list(answers(server, request.param, game_id))


def test_nothing_is_to_be_guessed_and_no_address_passed_on(asked: list[Asked]) -> None:
    for method, path, reply in asked:
        assert reply.headers["X-Content-Type-Options"] == "nosniff", (method, path)
        assert reply.headers["Referrer-Policy"] == "no-referrer", (method, path)
        assert reply.headers["X-Request-ID"], (method, path)


def test_an_error_is_kept_by_nobody_and_anything_else_only_as_it_says(asked: list[Asked]) -> None:
    assert any(reply.status >= 400 for _, _, reply in asked)
    for method, path, reply in asked:
        kept = reply.headers["Cache-Control"]
        assert kept == "no-store" if reply.status >= 400 else kept, (method, path)


def test_no_server_tells_what_it_is_made_of(asked: list[Asked]) -> None:
    for method, path, reply in asked:
        assert "Set-Cookie" not in reply.headers, (method, path)
        assert "X-Powered-By" not in reply.headers, (method, path)
        assert not re.search("[0-9]", reply.headers["Server"]), (method, path)


def test_a_page_loads_and_runs_what_is_this_servers_alone(asked: list[Asked]) -> None:
    for method, path, reply in asked:
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
def test_a_page_that_is_not_sent_again_keeps_its_policy(server: ApiServer, path: str) -> None:
    page = server.get(path)
    known = server.get(path, **{"If-None-Match": page.headers["ETag"]})
    assert (page.status, known.status) == (200, 304)
    assert page.headers["Content-Type"].startswith("text/html")
    name = "Content-Security-Policy"
    assert known.headers[name] == page.headers[name]
