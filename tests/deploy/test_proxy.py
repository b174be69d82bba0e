"""The shipped nginx configuration, with Debian's nginx in front of two API servers."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import ssl
import subprocess
import threading
import time
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from api.http.problem_types import MALFORMED_REQUEST, NOT_FOUND, STORE_UNAVAILABLE, TOO_LARGE
from tests.deploy.crowd import ENOUGH, Patient, crowd
from tests.deploy.nginx import SHIPPED, Proxy, proxied, stop_soon_after
from tests.playing import Connection, act, begin, play_through, record
from tests.ports import free_port
from tests.servers import ROOT, ApiServer, Reply, serving, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.deploy.crowd import Player
    from tests.servers import StoreServer

pytestmark = pytest.mark.slow

DEMO = {"seed": "demo-original-1"}
SITE = (SHIPPED / "site.conf").read_text()


def commented(beginning: str, ending: str) -> str:
    """Return the lines of site.conf from one to another, uncommented."""
    lines = [line.removeprefix("#").strip() for line in SITE.splitlines()]
    first = next(n for n, line in enumerate(lines) if line.startswith(beginning))
    last = next(n for n, line in enumerate(lines) if n >= first and line.startswith(ending))
    return "\n".join([*lines[first : last + 1], ""])


PREFIX = commented("set $prefix /scoundrel", "rewrite ^/scoundrel(/")


def raw(port: int, request: bytes) -> tuple[int, dict[str, str], Any]:
    """Send bytes; return status, headers and JSON of the response."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *headers = head.decode().split("\r\n")
    named = dict(line.split(": ", 1) for line in headers)
    return int(status.split()[1]), named, json.loads(body)


def get(*lines: str) -> bytes:
    return "\r\n".join(
        ["GET /livez HTTP/1.1", "Host: a", "Connection: close", *lines, "", ""]
    ).encode()


# A game


def test_a_game_is_played_through_the_proxy(proxy: Proxy) -> None:
    play_through(proxy, record("through-the-proxy"))


# Refusals


BROKEN = {
    "no request line": (b"hello\r\n\r\n", 400),
    "a method in lower case": (b"get / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    "a method too short for gunicorn": (
        b"GO / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        400,
    ),
    "a method too long for gunicorn": (
        b"G" * 21 + b" / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        400,
    ),
    "no host": (b"GET /livez HTTP/1.1\r\n\r\n", 400),
    "a path above the root": (b"GET /../.. HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    "a broken chunk": (
        (
            b"POST /v1/games HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            b"Transfer-Encoding: chunked\r\n\r\nhello\r\n"
        ),
        400,
    ),
    "two lengths": (get("Content-Length: 1", "Content-Length: 2"), 400),
    "a body too large for nginx": (
        b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 99999\r\n\r\n",
        413,
    ),
    "a path of 5 KB": (b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    "a header of 5 KB": (get(f"Cookie: {'a' * 5000}"), 431),
    "more headers than fit": (get(*[f"X-{n}: {'a' * 100}" for n in range(100)]), 431),
    "TRACE": (b"TRACE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 400),
    "a coding unknown to nginx": (
        get("Transfer-Encoding: gzip, chunked"),
        400,
    ),
    "an unknown version": (b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", 400),
    # nginx forwards these three, and gunicorn refuses them.
    "a path that is not ASCII": (
        "GET /é HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode(),
        400,
    ),
    "a control character in a header": (get("X-A: \x01"), 400),
    "too many headers for gunicorn": (get(*["a: b"] * 600), 431),
}


@pytest.mark.parametrize(("request_", "status"), BROKEN.values(), ids=BROKEN)
def test_a_refusal_before_the_app_is_a_problem(proxy: Proxy, request_: bytes, status: int) -> None:
    got, headers, problem = raw(proxy.port, request_)
    assert (got, problem["status"]) == (status, status)
    assert headers["Content-Type"] == "application/problem+json"
    assert headers["X-Request-ID"] == problem["request_id"]
    assert set(problem) == {"type", "title", "status", "detail", "code", "request_id"}
    assert problem["type"] == f"/docs/problems#{problem['code']}"


def test_refusals_of_the_api_are_forwarded_unchanged(proxy: Proxy, apis: list[ApiServer]) -> None:
    id_ = {"X-Request-ID": "passed-on"}
    for method, path, body in (
        ("POST", "/v1/games", b"{"),
        ("POST", "/v1/games", b" " * 20_000),
        ("POST", "/v1/games", b'{"seed": 1}'),
        ("GET", "/v1/games/none", None),
        ("PUT", "/v1/games", None),
    ):
        headers = {**id_, "Content-Type": "application/json"}
        through = proxy.request(method, path, body=body, headers=headers)
        direct = apis[0].request(method, path, body=body, headers=headers)
        assert (through.status, through.body) == (direct.status, direct.body)
        assert through.headers.get("Allow") == direct.headers.get("Allow")


def test_the_proxy_uses_the_problem_texts_of_the_api(proxy: Proxy) -> None:
    too_large = raw(proxy.port, BROKEN["a body too large for nginx"][0])[2]
    broken = raw(proxy.port, BROKEN["no host"][0])[2]
    not_found = proxy.get("/metrics").json
    with proxied([free_port(), free_port()]) as alone:
        away = alone.get("/v1/rulesets")
        assert away.headers["Retry-After"] == "1"
    for problem, kind in (
        (too_large, TOO_LARGE),
        (broken, MALFORMED_REQUEST),
        (not_found, NOT_FOUND),
        (away.json, STORE_UNAVAILABLE),
    ):
        assert (problem["code"], problem["title"]) == (kind.code, kind.title)
        assert problem["status"] == kind.status
        if kind is not STORE_UNAVAILABLE:  # the proxy does not know the cause
            assert problem["detail"] == kind.meaning


# The limit on new games


def test_the_limit_counts_real_addresses_not_forged_ones(
    store_server: StoreServer,
) -> None:
    with (
        serving(store_server, create_limit="3/minute", proxy_hops="1") as api,
        proxied([api.port, api.port]) as proxy,
    ):

        def create(address: str, forged: str) -> int:
            return from_address(proxy.port, address, {"X-Forwarded-For": forged})

        # The first client forges one address, several and none.
        forgeries = ("127.0.0.2", "198.51.100.1, 198.51.100.2", "")
        assert [create("127.0.0.1", forged) for forged in forgeries] == [201, 201, 201]
        assert create("127.0.0.1", "198.51.100.3") == 429
        assert [create("127.0.0.2", "127.0.0.2") for _ in range(4)] == [201, 201, 201, 429]


def from_address(port: int, address: str, headers: dict[str, str]) -> int:
    """Create a game from one of this machine's addresses; return the status."""
    connection = http.client.HTTPConnection("127.0.0.1", port, source_address=(address, 0))
    try:
        sent = {"Content-Type": "application/json", **headers}
        connection.request("POST", "/v1/games", b"{}", sent)
        return connection.getresponse().status
    finally:
        connection.close()


# Retries


class Dropping(ThreadingHTTPServer):
    """An API server that reads each request and closes the connection."""

    daemon_threads = True

    def __init__(self, seen: list[str]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                seen.append(f"{self.command} {self.path}")
                self.close_connection = True

            do_POST = do_HEAD = do_OPTIONS = do_GET  # noqa: N815  # names of http.server

            def log_message(self, *_args: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)


@pytest.fixture
def dropping(needs_nginx: None) -> Iterator[tuple[Proxy, list[str]]]:  # noqa: ARG001  # for the skip
    """A proxy in front of two servers that drop all requests, and the requests they have seen."""
    seen: list[str] = []
    servers = [Dropping(seen), Dropping(seen)]
    threads = [threading.Thread(target=server.serve_forever) for server in servers]
    for thread in threads:
        thread.start()
    try:
        with proxied([server.server_address[1] for server in servers]) as proxy:
            yield proxy, seen
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


KEYED = {"Idempotency-Key": "a-key-of-a-creation"}


@pytest.mark.parametrize(
    ("method", "path", "times", "headers"),
    [
        ("POST", "/v1/games/0123456789abcdefghijkl/actions", 2, {}),
        ("GET", "/v1/games/0123456789abcdefghijkl", 2, {}),
        ("HEAD", "/v1/ledger", 2, {}),
        ("OPTIONS", "/v1/games", 2, {}),
        ("POST", "/v1/games", 1, {}),
        ("POST", "/v1/games", 2, KEYED),
        ("POST", "/v1/games?a=b", 2, KEYED),
        ("POST", "/v1/replays", 1, {}),
        ("POST", "/v1/replays", 1, KEYED),
    ],
)
def test_only_safe_requests_are_retried_on_another_server(
    dropping: tuple[Proxy, list[str]],
    method: str,
    path: str,
    times: int,
    headers: dict[str, str],
) -> None:
    proxy, seen = dropping
    body = b"{}" if method == "POST" else None
    reply = proxy.request(method, path, body=body, headers=headers)
    assert seen.count(f"{method} {path}") == times
    assert reply.status == 503
    assert reply.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("sig", "client"), [(signal.SIGTERM, Connection), (signal.SIGKILL, Patient)]
)
def test_a_server_stopped_under_load_loses_no_request(
    proxy: Proxy, apis: list[ApiServer], sig: signal.Signals, client: type[Connection]
) -> None:
    """A killed server may cut off a response; the client then repeats the request."""
    with crowd(lambda: client(proxy.port), 8, sig.name) as players:
        for server in (apis[0], apis[1], apis[0], apis[1]):
            stop_soon_after(server, 2.5, sig)
    # At each stop, at most one creation without a key for each player.
    assert count_refused(players) <= 4 * len(players)


def test_a_server_reloaded_under_load_refuses_no_request(
    proxy: Proxy, apis: list[ApiServer]
) -> None:
    with crowd(lambda: Connection(proxy.port), 8, "HUP") as players:
        for server in (*apis, *apis):
            assert server.process
            before = server.workers_there
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: server.workers_there.isdisjoint(before))  # noqa: B023  # called at once
            time.sleep(1)  # let the new workers serve requests
    assert count_refused(players) == 0


@pytest.mark.usefixtures("needs_nginx")
def test_workers_replaced_under_load_refuse_no_request(store_server: StoreServer) -> None:
    """Workers end after about a hundred requests, by gunicorn's `max_requests`."""
    environment = {
        "SCOUNDREL_REDIS_URL": store_server.url,
        "SCOUNDREL_PROXY_HOPS": "1",
        "GUNICORN_CMD_ARGS": "--max-requests 150 --max-requests-jitter 50",
    }
    with ExitStack() as stack:
        servers = [ApiServer(environment, workers=2) for _ in range(2)]
        for server in servers:
            stack.callback(server.close)
            server.start()
        proxy = stack.enter_context(proxied([server.port for server in servers]))
        first = set().union(*(server.workers_there for server in servers))
        with crowd(lambda: Connection(proxy.port), 8, "turns") as players:
            wait_until(
                lambda: all(server.workers_there.isdisjoint(first) for server in servers), 60
            )
        assert count_refused(players) == 0


def count_refused(players: Sequence[Player]) -> int:
    """Return the number of refused creations without a key; check that nothing else failed."""
    answered = sum(player.answered for player in players)
    refused = sum(player.refused for player in players)
    print(f"{answered} requests, {refused} of them refused")  # noqa: T201  # for docs/RELIABILITY.md
    assert [failure for player in players for failure in player.failed] == []
    assert answered > ENOUGH
    return refused


# Headers about the client


def test_a_request_id_is_the_same_for_client_proxy_and_api(proxy: Proxy) -> None:
    given = proxy.get("/livez", **{"X-Request-ID": "given-by-me"})
    assert given.headers["X-Request-ID"] == "given-by-me"
    assert proxy.of("given-by-me")["route"] == "/livez"
    made = proxy.get("/livez", **{"X-Request-ID": 'not "of" the form'}).headers["X-Request-ID"]
    assert re.fullmatch("[0-9a-f]{32}", made)
    assert proxy.of(made)["status"] == 200


def table_address(reply: Reply) -> str:
    """Return the server's address in the table of a game."""
    found = re.search(r"^ +(\S+)/v1/games/[^/]+/actions", reply.body.decode(), re.MULTILINE)
    assert found
    return found[1]


TEXT = {"Accept": "text/plain", "Content-Type": "application/json"}


def test_the_public_address_comes_from_the_proxy(proxy: Proxy) -> None:
    headers = {**TEXT, "Host": "cards.example", "X-Forwarded-Proto": "https"}
    reply = proxy.request("POST", "/v1/games", DEMO, headers=headers)
    assert table_address(reply) == "http://cards.example"


def test_forwarded_headers_from_a_client_are_ignored(
    proxy: Proxy, store_server: StoreServer
) -> None:
    claims = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Prefix": "/evil",
    }
    through = proxy.request("POST", "/v1/games", DEMO, headers={**TEXT, **claims})
    assert table_address(through) == f"http://127.0.0.1:{proxy.port}"
    exposed = ApiServer({"SCOUNDREL_REDIS_URL": store_server.url}, workers=1)
    try:
        exposed.start()
        direct = exposed.request("POST", "/v1/games", DEMO, headers={**TEXT, **claims})
        assert table_address(direct) == f"http://127.0.0.1:{exposed.port}"
    finally:
        exposed.close()


def test_every_link_has_the_path_prefix(apis: list[ApiServer]) -> None:
    with proxied([api.port for api in apis], PREFIX) as proxy:
        reply = proxy.post("/scoundrel/v1/games", DEMO)
        game = reply.json
        assert reply.headers["Location"] == f"/scoundrel/v1/games/{game['id']}"
        for link in game["links"].values():
            assert link.startswith("/scoundrel/v1/")
            assert proxy.get(link).status == 200
        acted = proxy.post(game["links"]["actions"], {"version": 0, "actions": ["equip:6D"]})
        assert acted.status == 200
        missing = proxy.get("/scoundrel/v1/nothing")
        assert missing.json["type"] == "/scoundrel/docs/problems#not_found"
        refused = proxy.request("POST", "/scoundrel/v1/games", body=b" " * 70_000)
        assert refused.json["type"] == "/scoundrel/docs/problems#too_large"
        bare = proxy.get("/scoundrel")
        assert (bare.status, bare.headers["Location"]) == (301, "/scoundrel/")
        for page in ("/scoundrel/", "/scoundrel/docs", "/scoundrel/openapi.json"):
            assert proxy.get(page).status == 200
        table = proxy.request("POST", "/scoundrel/v1/games", DEMO, headers=TEXT)
        assert table_address(table) == f"http://127.0.0.1:{proxy.port}/scoundrel"


def test_with_tls_the_public_address_is_https(apis: list[ApiServer], tmp_path: Path) -> None:
    port = free_port()
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", "/CN=localhost", "-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    site = f"listen 127.0.0.1:{port} ssl;\nssl_certificate {{0}};\nssl_certificate_key {{1}};\n"
    with proxied([api.port for api in apis]) as proxy:
        for path in (key, certificate):
            copy = proxy.directory / path.name
            copy.write_bytes(path.read_bytes())
            copy.chmod(0o644)
        conf = proxy.directory / "site.conf"
        conf.write_text(
            conf.read_text()
            + site.format(proxy.directory / "certificate.pem", proxy.directory / "key.pem")
        )
        assert proxy.process
        proxy.process.terminate()
        proxy.process.wait(10)
        proxy.start()
        context = ssl.create_default_context(cafile=str(certificate))
        context.check_hostname = False
        body = json.dumps(DEMO).encode()
        head = (
            "POST /v1/games HTTP/1.1\r\nHost: cards.example\r\nAccept: text/plain\r\n"
            "Connection: close\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        with (
            socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
            context.wrap_socket(plain) as secure,
        ):
            secure.sendall(head.encode() + body)
            answer = b""
            while chunk := secure.recv(65536):
                answer += chunk
        assert table_address(Reply(201, {}, answer)) == "https://cards.example"


# Logs and hidden paths


def test_the_access_log_has_the_route_and_no_id(proxy: Proxy) -> None:
    game = record("logged")
    game_id, _body = begin(proxy, game)
    path = f"/v1/games/{game_id}"
    act(proxy, game_id, 0, game.actions[0])
    for part in ("", "/score", "/history", "/actions", "?around=secret-query"):
        proxy.get(path + part, Authorization="Bearer secret-token")
    proxy.request("BREW", path)
    raw(proxy.port, f"GET {path} HTTP/1.1\r\n\r\n".encode())
    proxy.get(path, **{"X-Request-ID": "logged-last"})
    assert proxy.of("logged-last")["route"] == "/v1/games/{game_id}"
    text = proxy.access.read_text() + (proxy.directory / "error.log").read_text()
    for secret in (game_id, "secret-query", "secret-token", "BREW"):
        assert secret not in text
    routes = {line["route"] for line in proxy.lines}
    assert {f"/v1/games/{{game_id}}{part}" for part in ("", "/score", "/actions")} <= routes


def test_the_edit_in_the_guide_makes_it_log_when_its_output_is_a_socket(
    apis: list[ApiServer],
) -> None:
    guide = (ROOT / "docs" / "OPERATIONS.md").read_text()
    (edit,) = re.findall(r"^sed -i '(s\|/dev/std\|[^']+)'", guide, re.MULTILINE)
    proxy = Proxy([api.port for api in apis])
    edit = edit.replace("/var/log/scoundrel", str(proxy.directory))
    ours, its = socket.socketpair()
    try:
        subprocess.run(["sed", "-i", edit, proxy.directory / "nginx.conf"], check=True)
        proxy.start(its.fileno())
        assert proxy.get("/livez").status == 200
        assert "/livez" in (proxy.directory / "nginx.stdout").read_text()
    finally:
        proxy.close()
        ours.close()
        its.close()


def test_no_id_is_logged_when_no_server_responds(needs_nginx: None) -> None:  # noqa: ARG001  # for the skip
    with proxied([free_port(), free_port()]) as proxy:
        proxy.get("/v1/games/secret-game", **{"X-Request-ID": "no-server"})
        line = proxy.of("no-server")
        assert (line["status"], line["route"]) == (503, "/v1/games/{game_id}")
        assert line["upstream_status"] == "502, 502"
        text = proxy.access.read_text() + (proxy.directory / "error.log").read_text()
        assert "secret-game" not in text


def test_metrics_are_hidden(proxy: Proxy, apis: list[ApiServer]) -> None:
    assert apis[0].get("/metrics").status == 200
    for path in ("/metrics", "//metrics", "/%6detrics", "/metrics?a", "/x/../metrics"):
        assert proxy.get(path).status == 404


def test_slow_clients_do_not_block_the_apis(proxy: Proxy) -> None:
    held = []
    try:
        for number in range(300):
            connection = socket.create_connection(("127.0.0.1", proxy.port), timeout=10)
            held.append(connection)
            if number % 3 == 0:
                connection.sendall(b"GET /v1/rulesets HTTP/1.1\r\nHo")
            elif number % 3 == 1:
                connection.sendall(
                    b"POST /v1/games HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    b"Content-Length: 100\r\n\r\n{"
                )
        play_through(proxy, record("beside-slow-clients"))
    finally:
        for connection in held:
            connection.close()
