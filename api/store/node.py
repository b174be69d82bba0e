"""A client of one node that skips what redis-py does around each command.

Its statistics and its check of the connection before each command double the cost of a command
here; the retry covers the check. Commands, pipelines and replies remain redis-py's.
"""

from __future__ import annotations

import time
from queue import Empty
from typing import Any

from redis import BlockingConnectionPool, Redis, exceptions

PAUSE = 0.02
"""Seconds before a command is retried."""


class Pool(BlockingConnectionPool):
    """Connections to one node, handed out unchecked."""

    def get_connection(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401  # deprecated arguments of redis-py
        """Return a free connection; waits for one up to the pool's timeout."""
        try:
            return self.pool.get(timeout=self.timeout) or self.make_connection()  # type: ignore[no-untyped-call]  # redis-py
        except Empty:
            raise exceptions.ConnectionError("every connection is in use") from None

    def release(self, connection: Any) -> None:  # noqa: ANN401  # redis-py's connection classes have no common base
        """Take back a connection."""
        self.pool.put_nowait(connection)


class Node(Redis):
    """One node. A command whose connection or reply is lost is retried once."""

    def execute_command(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401  # as redis-py's
        """Send a command, and return its reply."""
        pool = self.connection_pool
        connection = pool.get_connection()
        try:
            try:
                return self._exchange(connection, args, options)
            except (exceptions.ConnectionError, exceptions.TimeoutError):
                time.sleep(PAUSE)
                return self._exchange(connection, args, options)
        finally:
            pool.release(connection)

    def _exchange(self, connection: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:  # noqa: ANN401  # as above
        connection.send_command(*args)
        return self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call]  # redis-py
