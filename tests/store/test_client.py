"""The client: parsing of store URLs, timeouts, and lazy connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from redis import Redis, SSLConnection, UnixDomainSocketConnection
from redis.connection import AbstractConnection

from api.store import UNAVAILABLE, Store
from api.store import client as module
from api.store.client import DEFAULT_PORT, RETRIES, TIMEOUT, Client
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redis.cluster import ClusterNode

    from tests.servers import StoreServer


def _client(url: str) -> Redis:
    redis = Client(url).redis
    assert isinstance(redis, Redis)
    return redis


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://example", {"host": "example"}),
        ("redis://example:7000/3", {"host": "example", "port": 7000, "db": 3}),
        ("redis://[::1]:7000", {"host": "::1", "port": 7000}),
        ("redis://:pw@example", {"password": "pw"}),
        ("redis://user:p%40w@example", {"username": "user", "password": "p@w"}),
        ("rediss://example:7000", {"host": "example", "port": 7000}),
        ("unix:///run/store.sock", {"path": "/run/store.sock"}),
        ("unix://user:pw@/run/store.sock?db=2", {"username": "user", "password": "pw", "db": 2}),
    ],
)
def test_a_url_names_one_server(url: str, expected: Mapping[str, object]) -> None:
    arguments = _client(url).connection_pool.connection_kwargs
    assert arguments.items() >= expected.items()


@pytest.mark.parametrize("url", ["redis://example", "rediss://example", "unix:///run/store.sock"])
def test_every_connection_has_a_timeout_and_one_retry(url: str) -> None:
    connection = _client(url).connection_pool.make_connection()
    assert isinstance(connection, AbstractConnection)
    assert (connection.socket_timeout, connection.socket_connect_timeout) == (TIMEOUT, TIMEOUT)
    assert connection.retry.get_retries() == RETRIES == 1


def test_the_url_scheme_selects_the_connection_class() -> None:
    pools = {scheme: _client(f"{scheme}://x/x").connection_pool for scheme in ("rediss", "unix")}
    assert pools["rediss"].connection_class is SSLConnection
    assert pools["unix"].connection_class is UnixDomainSocketConnection


class Cluster:
    """Fake RedisCluster; the real one connects to its nodes when constructed."""

    def __init__(self, **arguments: Any) -> None:  # noqa: ANN401  # any argument
        self.arguments = arguments

    @property
    def nodes(self) -> list[tuple[str, int]]:
        nodes: list[ClusterNode] = self.arguments["startup_nodes"]
        return [(node.host, node.port) for node in nodes]


@pytest.fixture
def _no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RedisCluster", Cluster)


def _cluster(url: str) -> Cluster:
    return cast("Cluster", Client(url).redis)


@pytest.mark.usefixtures("_no_cluster")
@pytest.mark.parametrize(
    ("where", "nodes"),
    [
        ("h1", [("h1", DEFAULT_PORT)]),
        ("h1:7000", [("h1", 7000)]),
        ("h1:7000,h2:7001", [("h1", 7000), ("h2", 7001)]),
        ("h1,h2:7001,h3", [("h1", DEFAULT_PORT), ("h2", 7001), ("h3", DEFAULT_PORT)]),
        ("h1:7000,h2:7001/", [("h1", 7000), ("h2", 7001)]),
        ("user:pw@h1:7000,h2:7001", [("h1", 7000), ("h2", 7001)]),
        ("user:p,w@h1:7000,h2:7001", [("h1", 7000), ("h2", 7001)]),
        ("[fe80::1]:7000,[fe80::2]", [("fe80::1", 7000), ("fe80::2", DEFAULT_PORT)]),
    ],
)
def test_a_url_names_the_nodes_of_a_cluster(where: str, nodes: list[tuple[str, int]]) -> None:
    assert _cluster(f"redis+cluster://{where}").nodes == nodes


@pytest.mark.usefixtures("_no_cluster")
@pytest.mark.parametrize(
    ("login", "user", "password"),
    [
        ("", None, None),
        ("user:pw@", "user", "pw"),
        (":pw@", None, "pw"),
        ("user:p%40w%2F%3A@", "user", "p@w/:"),
    ],
)
def test_a_cluster_url_may_contain_a_login(
    login: str, user: str | None, password: str | None
) -> None:
    arguments = _cluster(f"redis+cluster://{login}h1:7000,h2:7001").arguments
    assert (arguments["username"] or None, arguments["password"]) == (user, password)


@pytest.mark.usefixtures("_no_cluster")
@pytest.mark.parametrize(("scheme", "tls"), [("redis+cluster", False), ("rediss+cluster", True)])
def test_the_url_scheme_selects_tls_for_a_cluster(scheme: str, tls: bool) -> None:
    assert _cluster(f"{scheme}://h1").arguments["ssl"] is tls


@pytest.mark.usefixtures("_no_cluster")
def test_the_cluster_client_has_a_timeout_and_one_retry() -> None:
    arguments = _cluster("redis+cluster://h1").arguments
    assert (arguments["socket_timeout"], arguments["socket_connect_timeout"]) == (TIMEOUT, TIMEOUT)
    assert arguments["retry"].get_retries() == RETRIES


@pytest.mark.parametrize("scheme", ["redis", "rediss", "redis+cluster", "rediss+cluster"])
def test_a_store_does_not_connect_before_the_first_call(scheme: str) -> None:
    store = Store(f"{scheme}://127.0.0.1:{free_port()}")
    store.forget_connections()
    for _ in range(2):
        with pytest.raises(UNAVAILABLE):
            store.probe()


def test_the_login_of_the_url_is_used(server: StoreServer) -> None:
    with server.client as admin:
        admin.acl_setuser(
            "scoundrel", enabled=True, passwords=["+pw"], keys=["*"], categories=["+@all"]
        )
        try:
            login = server.url.replace("unix://", "unix://scoundrel:pw@")
            Store(login).probe()
            with pytest.raises(UNAVAILABLE):
                Store(login.replace("pw", "wrong")).probe()
        finally:
            admin.acl_deluser("scoundrel")


def test_an_error_does_not_reveal_the_password(server: StoreServer) -> None:
    url = server.url.replace("unix://", "unix://scoundrel:hunter2@")
    with pytest.raises(UNAVAILABLE) as error:
        Store(url).probe()
    assert "hunter2" not in str(error.value)
