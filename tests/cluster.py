"""A Cluster of its own for a test: primaries with any number of replicas, all on this machine."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Self, cast

from redis import Redis, RedisCluster

from tests.ports import free_port
from tests.servers import Server, StoreServer, wait_until

if TYPE_CHECKING:
    from collections.abc import Sequence

SLOTS = 16384


class Node(StoreServer):
    """One server of a Cluster, with a port for clients and one for the other nodes."""

    def __init__(self, binary: str, *options: str) -> None:
        super().__init__(binary)
        self._settings = (
            *("--cluster-enabled", "yes", "--cluster-require-full-coverage", "no"),
            *("--appendfsync", "always", "--repl-diskless-sync-delay", "0"),
            *options,
        )
        self._choose_ports()
        self._has_started = False

    def _choose_ports(self) -> None:
        self.port, self.bus = free_port(), free_port()
        ports = ("--port", str(self.port), "--cluster-port", str(self.bus))
        self._options = (*ports, *self._settings)

    def start(self) -> Self:
        """Start the process; if a port is taken when it first starts, choose others."""
        while True:
            try:
                super().start()
            except AssertionError as error:
                # Later on, the other nodes know it by its ports.
                if self._has_started or "Address already in use" not in str(error):
                    raise
                self._choose_ports()
            else:
                self._has_started = True
                return self

    def ask(self, *command: str | int) -> Any:  # noqa: ANN401  # whatever it replies
        """Send it a command, and return its reply as it is."""
        with self.client as client:
            return client.execute_command(*command)

    @property
    def is_primary(self) -> bool:
        """Whether games are written here."""
        return self.primary_port is None

    @property
    def primary_port(self) -> int | None:
        """The port of the node that this one is a replica of, None if it is a primary."""
        role = self._role()
        return None if role[0] == "master" else int(role[2])

    @property
    def replicas(self) -> int:
        """How many replicas follow it."""
        return len(self._role()[2])

    @property
    def is_ready(self) -> bool:
        """Whether it finds the Cluster well, and every slot served."""
        said = str(self.ask("CLUSTER", "INFO"))
        return "cluster_state:ok" in said and f"cluster_slots_ok:{SLOTS}" in said

    def knows(self, nodes: int) -> bool:
        """Whether it has heard of so many nodes, itself among them."""
        return f"cluster_known_nodes:{nodes}" in str(self.ask("CLUSTER", "INFO"))

    @property
    def slots(self) -> frozenset[int]:
        """The slots that it serves, as it says itself."""
        ranges = (
            range(first, last + 1)
            for first, last, primary, *_ in self.ask("CLUSTER", "SLOTS")
            if primary[1] == self.port
        )
        return frozenset(chain.from_iterable(ranges))

    @property
    def offset(self) -> int:
        """How far it is in the stream of what is written."""
        role = self._role()
        return int(role[1] if role[0] == "master" else role[4])

    def _role(self) -> Sequence[Any]:
        role: Sequence[Any] = self.ask("ROLE")
        return role


class Cluster(Server):
    """Primaries that share the slots, and replicas of each."""

    def __init__(self, binary: str, *options: str, primaries: int = 3, replicas: int = 0) -> None:
        self.primaries = primaries
        self.replicas = replicas
        self.nodes = [Node(binary, *options) for _ in range(primaries * (1 + replicas))]

    @property
    def url(self) -> str:
        """The address of the API's store, once the nodes have started."""
        named = self.nodes[1 : self.primaries] or self.nodes
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in named)

    def start(self) -> Self:
        """Start the nodes, and wait until they serve."""
        first, *others = self.nodes
        for number, node in enumerate(self.nodes):
            node.start()
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            if number < self.primaries:
                begin, end = (SLOTS * place // self.primaries for place in (number, number + 1))
                node.ask("CLUSTER", "ADDSLOTSRANGE", begin, end - 1)
        for node in others:
            first.ask("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
        wait_until(lambda: all(node.knows(len(self.nodes)) for node in self.nodes))
        for number, node in enumerate(self.nodes[self.primaries :]):
            followed = self.nodes[number % self.primaries]
            node.ask("CLUSTER", "REPLICATE", followed.ask("CLUSTER", "MYID"))
        wait_until(lambda: self.is_whole)
        return self

    @property
    def is_whole(self) -> bool:
        """Whether all nodes serve, and every primary has its replicas."""
        return all(node.is_ready for node in self.nodes) and all(
            node.replicas == self.replicas for node in self.nodes if node.is_primary
        )

    @property
    def client(self) -> Redis:
        """A client to look behind the API."""
        client = RedisCluster(host="127.0.0.1", port=self._running()[0].port, decode_responses=True)
        # Of the two client classes tests only use what they have in common.
        return cast("Redis", client)

    def replica_of(self, primary: Node) -> Node:
        """Return a node that follows this one."""
        return next(node for node in self._running() if node.primary_port == primary.port)

    def empty(self) -> None:
        """Forget all data."""
        wait_until(lambda: self.is_whole)
        for node in self.nodes:
            if node.is_primary:
                node.ask("FLUSHALL")

    def close(self) -> None:
        """End all of them and forget their data."""
        for node in self.nodes:
            node.close()

    def _running(self) -> list[Node]:
        return [node for node in self.nodes if node.answers()]
