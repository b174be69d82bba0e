"""The connection to Redis or Valkey: one node or a Cluster, named by a URL."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha1
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from redis import Redis, RedisCluster
from redis.backoff import ConstantBackoff
from redis.cluster import ClusterNode
from redis.exceptions import NoScriptError, RedisClusterException, RedisError
from redis.retry import Retry

from api.store.node import PAUSE, Node, Pool
from api.store.observer import Observer

UNAVAILABLE: tuple[type[Exception], ...] = (RedisError, RedisClusterException)
"""The exceptions raised when the store cannot answer."""

TIMEOUT = 0.5
RETRIES = 1
MAX_CONNECTIONS = 64
DEFAULT_PORT = 6379
WAIT_MILLISECONDS = 400
"""How long to wait for replicas: less than :data:`TIMEOUT`, so that the reply is received."""

_SCRIPTS = Path(__file__).parent / "scripts"


class NotReplicated(RedisError):
    """Fewer replicas than required acknowledged a write in time."""


class Script:
    """A Lua script of this package. Its keys are in one slot, so that it also runs on a Cluster."""

    def __init__(self, name: str, keys: int = 1) -> None:
        self.keys = keys
        self.text = (_SCRIPTS / f"{name}.lua").read_text()
        self.sha = sha1(self.text.encode(), usedforsecurity=False).hexdigest()


class Client:
    """Sends commands and scripts to the store.

    All of ours can be repeated safely, so a lost connection or reply is retried once; after that
    one of :data:`UNAVAILABLE` is raised.
    """

    def __init__(self, url: str, observer: Observer | None = None) -> None:
        self.observer = observer or Observer()
        self._url = url

    @cached_property
    def redis(self) -> Redis | RedisCluster:
        """redis-py's client, created on first use: a Cluster's connects at once."""
        return _connect(self._url)

    def run(self, script: Script, *keys_and_args: str | int) -> Any:  # noqa: ANN401  # whatever the script returns
        """Run a script on its keys and return what it returns."""
        try:
            return self.redis.execute_command(  # type: ignore[no-untyped-call]  # redis-py
                "EVALSHA", script.sha, script.keys, *keys_and_args
            )
        except NoScriptError:
            return self.redis.eval(script.text, script.keys, *keys_and_args)

    def replicate(self, replicas: int, script: Script, key: str, *args: str | int) -> Any:  # noqa: ANN401  # likewise
        """Run a script that writes to one key, wait for replicas, and return its reply.

        Raises NotReplicated if fewer than ``replicas`` acknowledge in time.
        """
        redis = self.redis
        if isinstance(redis, RedisCluster):
            # Callers have just used this key, so the client knows its node.
            node = redis.get_node_from_key(key)  # type: ignore[no-untyped-call]  # redis-py
            redis = redis.get_redis_connection(node)
        pipeline = redis.pipeline(transaction=False)  # over one connection
        pipeline.eval(script.text, 1, key, *args)
        pipeline.wait(replicas, WAIT_MILLISECONDS)
        reply, reached = pipeline.execute()
        if reached < replicas:
            raise NotReplicated(f"{reached} of {replicas} replicas")
        return reply

    def forget_connections(self) -> None:
        """Close idle connections: after an error they may lead to a server that is gone."""
        redis = self.__dict__.get("redis")
        if isinstance(redis, Redis):
            redis.connection_pool.disconnect(inuse_connections=False)


def _connect(url: str) -> Redis | RedisCluster:
    retry: Retry = Retry(ConstantBackoff(PAUSE), RETRIES)
    common: dict[str, Any] = {
        "decode_responses": True,
        "protocol": 2,  # supported by every server and proxy
        "socket_timeout": TIMEOUT,
        "socket_connect_timeout": TIMEOUT,
    }
    scheme, _, rest = url.partition("://")
    tls, plus, _ = scheme.partition("+cluster")
    if plus:
        nodes = [_node(f"//{node}") for node in rest.rpartition("@")[2].split("/")[0].split(",")]
        login = urlsplit(f"//{rest}")
        return RedisCluster(
            startup_nodes=nodes,
            ssl=tls == "rediss",
            username=unquote(login.username or "") or None,
            password=unquote(login.password or "") or None,
            retry=retry,
            **common,
        )
    return Node.from_pool(
        Pool.from_url(url, max_connections=MAX_CONNECTIONS, timeout=TIMEOUT, retry=retry, **common)
    )


def _node(address: str) -> ClusterNode:
    parts = urlsplit(address)
    return ClusterNode(  # type: ignore[no-untyped-call]  # redis-py
        parts.hostname or "localhost", parts.port or DEFAULT_PORT
    )
