"""What faults are staged on: a store, the API over it, and what lies between."""

from __future__ import annotations

import os
import socket
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING

from tests.faults.wire import Wire, to_path, wired
from tests.servers import ApiServer, StoreServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from redis import Redis

DISK = "64m"


@dataclass
class Stage:
    """Real processes; ``port`` is where the players ask."""

    store: StoreServer
    api: ApiServer
    port: int
    store_wire: Wire
    api_wire: Wire

    @property
    def client(self) -> Redis:
        """A client to look behind the API."""
        return self.store.client


@contextmanager
def staged(
    binary: str,
    *options: str,
    small_disk: bool = False,
    api_environment: Mapping[str, str] | None = None,
    store_environment: Mapping[str, str] | None = None,
    log: IO[bytes] | None = None,
) -> Iterator[Stage]:
    """Run a store that writes before it answers, the API over it, and wires between them."""
    with ExitStack() as stack:
        store = StoreServer(
            binary, "--appendfsync", "always", *options, environment=store_environment
        )
        if small_disk:
            stack.enter_context(_mounted(str(store.directory)))
        stack.callback(store.close)
        store.start()
        to_store = partial(to_path, f"{store.directory}/store.sock")
        store_wire = stack.enter_context(wired(to_store))
        url = f"redis://127.0.0.1:{store_wire.port}/0"
        # So high that it refuses nobody: what counts is that the store counts.
        settings = {"SCOUNDREL_REDIS_URL": url, "SCOUNDREL_CREATE_LIMIT": "9999/minute"}
        api = ApiServer({**settings, **(api_environment or {})}, log=log)
        stack.callback(api.close)
        api.start()
        api_wire = stack.enter_context(
            wired(lambda: socket.create_connection(("127.0.0.1", api.port)))
        )
        yield Stage(store, api, api_wire.port, store_wire, api_wire)


@contextmanager
def _mounted(directory: str) -> Iterator[None]:
    """Mount a small disk, which takes root."""
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "scoundrel", directory], check=True
    )
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", directory], check=True)
        os.rmdir(directory)  # noqa: PTH106  # beside the other calls
