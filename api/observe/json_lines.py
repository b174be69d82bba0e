"""Log lines as JSON, one object per line. Standard library only."""

import json
import logging
import re
import time
from datetime import UTC, datetime
from traceback import format_tb
from typing import Any

_BARE = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_BROKEN_REQUEST = re.compile(r"(Invalid request from ip=\S*?): .*", re.DOTALL)
_REQUEST = re.compile(r"(Error handling request).*", re.DOTALL)


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object; its ``extra`` attributes become members."""

    def format(self, record: logging.LogRecord) -> str:
        """Return time, level, logger, message, extra attributes, and the exception."""
        line: dict[str, Any] = {
            "time": timestamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _BARE},
        }
        if record.exc_info:
            line["exception"] = without_message(record.exc_info)
        return json.dumps(line, default=str)


def without_message(exc_info: Any) -> str:  # noqa: ANN401  # logging's own type is private
    """Return a traceback without the exception's message, which may contain a game's id."""
    kind, _, traceback = exc_info
    return "".join([*format_tb(traceback), str(kind.__name__)])


def dropped(logger: str, lines: int) -> str:
    """Return the line that says how many lines of a logger were dropped."""
    line = {"time": timestamp(time.time()), "level": "warning", "logger": logger}
    return json.dumps({**line, "message": "lines were dropped", "lines": lines})


def timestamp(seconds: float) -> str:
    """Return a time as RFC 3339 in UTC, to the millisecond."""
    written = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return written.replace("+00:00", "Z")


def without_requests(record: logging.LogRecord) -> bool:
    """Remove client input from a record of gunicorn's: a path may contain a game's id.

    A logging filter that lets every record pass.
    """
    message = record.getMessage()
    kept = _REQUEST.sub(r"\1", _BROKEN_REQUEST.sub(r"\1", message))
    if kept != message:
        record.msg, record.args = kept, ()
    return True
