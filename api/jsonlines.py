"""Log lines as JSON: one object a line, whatever the record holds.

Standard library only, for gunicorn's configuration loads this file by its path: the package around
it would bring the store's client before gevent has patched the sockets.
"""

import json
import logging
import re
import time
from datetime import UTC, datetime
from typing import Any

_BARE = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_BROKEN_REQUEST = re.compile(r"(Invalid request from ip=\S*?): .*", re.DOTALL)
_REQUEST = re.compile(r"(Error handling request).*", re.DOTALL)


class JsonFormatter(logging.Formatter):
    """Writes a record as one JSON object; what it was given as ``extra`` becomes members."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the record: time, level, logger, message, what else it has, and the exception."""
        line: dict[str, Any] = {
            "time": timestamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _BARE},
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def dropped(logger: str, lines: int) -> str:
    """Write that so many lines of a logger found nobody to read them."""
    line = {"time": timestamp(time.time()), "level": "warning", "logger": logger}
    return json.dumps({**line, "message": "lines were dropped", "lines": lines})


def timestamp(seconds: float) -> str:
    """Write a time as RFC 3339 in UTC, to the millisecond."""
    written = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return written.replace("+00:00", "Z")


def without_requests(record: logging.LogRecord) -> bool:
    """Take out of a line of gunicorn's what the client sent: a path holds the id of a game.

    It is a filter that lets every record pass.
    """
    message = record.getMessage()
    kept = _REQUEST.sub(r"\1", _BROKEN_REQUEST.sub(r"\1", message))
    if kept != message:
        record.msg, record.args = kept, ()
    return True
