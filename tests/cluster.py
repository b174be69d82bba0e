"""A Cluster of primaries without replicas, on this machine."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tests.servers import StoreServer, free_port, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SLOTS = 16384


class Node(NamedTuple):
    """One server of the Cluster, with its port for clients and that for other nodes."""

    server: StoreServer
    port: int
    bus: int


@contextmanager
def cluster(binary: str, primaries: int, *options: str) -> Iterator[list[Node]]:
    """Run so many primaries, each with as many of the slots."""
    with ExitStack() as stack:
        nodes: list[Node] = []
        for number in range(primaries):
            nodes.append(_node(binary, *options))
            stack.callback(nodes[-1].server.close)
            nodes[-1].server.start()
            with nodes[-1].server.client as client:
                first, last = (SLOTS * place // primaries for place in (number, number + 1))
                client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, last - 1)
                client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        with nodes[0].server.client as client:
            for node in nodes[1:]:
                client.execute_command("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
        wait_until(lambda: all(map(complete, nodes)))
        yield nodes


def complete(node: Node) -> bool:
    """Whether a node knows of a server for every slot."""
    with node.server.client as client:
        return "cluster_state:ok" in str(client.execute_command("CLUSTER", "INFO"))


def cluster_url(nodes: Sequence[Node]) -> str:
    """Return the address of the Cluster, by some of its nodes."""
    return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in nodes)


def _node(binary: str, *options: str) -> Node:
    port, bus = free_port(), free_port()
    ports = ("--port", str(port), "--cluster-port", str(bus))
    return Node(StoreServer(binary, *ports, "--cluster-enabled", "yes", *options), port, bus)
