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
from api.store.watch import Watch

UNAVAILABLE: tuple[type[Exception], ...] = (RedisError, RedisClusterException)
"""What is raised when the store cannot answer, for whatever reason."""

TIMEOUT = 0.5
RETRIES = 1
MAX_CONNECTIONS = 64
DEFAULT_PORT = 6379
WAIT_MILLISECONDS = 400
"""How long replicas are waited for: less than :data:`TIMEOUT`, so that the answer is heard."""

_SCRIPTS = Path(__file__).parent / "scripts"


class NotReplicated(RedisError):
    """Fewer replicas than asked for have said in time that they have what was written."""


class Script:
    """A Lua script of this package. Its keys lie in one slot, so that it runs on a Cluster too."""

    def __init__(self, name: str, keys: int = 1) -> None:
        self.keys = keys
        self.text = (_SCRIPTS / f"{name}.lua").read_text()
        self.sha = sha1(self.text.encode(), usedforsecurity=False).hexdigest()


class Client:
    """Commands and scripts to the store.

    Every one of ours may be repeated without harm, so a lost connection or answer is tried once
    more; whatever still fails is one of :data:`UNAVAILABLE`.
    """

    def __init__(self, url: str, watch: Watch | None = None) -> None:
        self.watch = watch or Watch()
        self._url = url

    @cached_property
    def redis(self) -> Redis | RedisCluster:
        """The client proper, made on first use: a Cluster's asks for its nodes at once."""
        return _connect(self._url)

    def run(self, script: Script, *keys_and_args: str | int) -> Any:  # noqa: ANN401  # whatever the script returns
        """Run a script on its keys and return what it returns."""
        try:
            return self.redis.evalsha(script.sha, script.keys, *keys_and_args)
        except NoScriptError:
            return self.redis.eval(script.text, script.keys, *keys_and_args)

    def replicate(self, replicas: int, script: Script, key: str, *args: str | int) -> Any:  # noqa: ANN401  # likewise
        """Run a script that writes to one key, and return what it returns.

        Raises NotReplicated unless so many replicas have by then what anybody wrote to its node.
        """
        redis = self.redis
        if isinstance(redis, RedisCluster):
            # Our callers have just asked for this key, so the client knows where it lies now.
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
        """Drop the idle connections: after an error they may lead to a server that is gone."""
        redis = self.__dict__.get("redis")
        if isinstance(redis, Redis):
            redis.connection_pool.disconnect(inuse_connections=False)


def _connect(url: str) -> Redis | RedisCluster:
    retry: Retry = Retry(ConstantBackoff(PAUSE), RETRIES)
    common: dict[str, Any] = {
        "decode_responses": True,
        "protocol": 2,  # what every server and proxy speaks
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
