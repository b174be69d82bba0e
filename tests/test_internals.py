"""The internals of dependencies that the API replaces or relies on are still as it expects.

After an upgrade, a failure here names the module that must be adapted.
"""

from __future__ import annotations

import inspect
import json
import queue
import re
import runpy
import socket
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import flask_smorest
import pytest
from flask import Flask
from gunicorn import util
from gunicorn.http.errors import InvalidRequestMethod
from gunicorn.workers.base import Worker
from marshmallow import Schema
from prometheus_client import CollectorRegistry, Counter, Histogram, values
from redis import BlockingConnectionPool, Connection, Redis, exceptions
from redis.client import Pipeline

from api.observe.metrics import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
DEPENDENCIES: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "dependencies"
]

NODE = "adapt api/store/node.py to this redis-py"
CONFIGURATION = "adapt api/server/gunicorn.conf.py to this gunicorn"
METRICS = "adapt api/observe/metrics.py to this prometheus-client"
CONTRACT = "adapt api/http/contract.py to this flask-smorest"


def parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's parameters."""
    return list(inspect.signature(function).parameters)


# Versions.


def version_range(name: str) -> str:
    """Return the range of versions that pyproject.toml allows for a dependency."""
    found = [re.fullmatch(rf"{name}(?:\[\w+\])?([<>=][^;]*).*", text) for text in DEPENDENCIES]
    (match,) = filter(None, found)
    return match[1]


@pytest.mark.parametrize("name", ["flask-smorest", "gunicorn", "prometheus-client", "redis"])
def test_a_dependency_whose_internals_are_used_has_an_upper_bound(name: str) -> None:
    assert re.search(r",<\d", version_range(name)), f"give {name} an upper bound in pyproject.toml"


def test_flask_has_no_upper_bound() -> None:
    assert re.fullmatch(r">=[\d.]+", version_range("flask"))


# redis-py: api/store/node.py overrides how a command gets its connection, and is sent.


@pytest.fixture
def pool() -> BlockingConnectionPool:
    """A pool that has not connected yet."""
    return BlockingConnectionPool(max_connections=2, timeout=0.5)  # type: ignore[no-untyped-call]  # redis-py


def test_a_pool_keeps_its_free_connections_in_a_queue(pool: BlockingConnectionPool) -> None:
    assert isinstance(pool.pool, queue.Queue), NODE
    assert pool.pool.qsize() == 2, NODE


def test_a_place_in_the_queue_without_a_connection_is_none(pool: BlockingConnectionPool) -> None:
    assert pool.pool.get_nowait() is None, NODE


def test_a_pool_has_a_timeout(pool: BlockingConnectionPool) -> None:
    assert pool.timeout == 0.5, NODE


def test_a_pool_makes_a_connection_without_arguments(pool: BlockingConnectionPool) -> None:
    assert isinstance(pool.make_connection(), Connection), NODE  # type: ignore[no-untyped-call]  # redis-py


def test_a_pool_hands_out_and_takes_back_connections_by_these_methods() -> None:
    assert parameters(BlockingConnectionPool.get_connection)[0] == "self", NODE
    assert parameters(BlockingConnectionPool.release) == ["self", "connection"], NODE


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("get", ("key",)), ("set", ("key", "value")), ("hset", ("key", "field", "value"))],
)
def test_commands_are_sent_by_execute_command(name: str, arguments: tuple[str, ...]) -> None:
    class Recording(Redis):
        def execute_command(self, *args: Any, **_: Any) -> Any:  # noqa: ANN401  # redis-py's
            sent.append(args)

    sent: list[tuple[Any, ...]] = []
    getattr(Recording(), name)(*arguments)
    assert [command[0] for command in sent] == [name.upper()], NODE


def test_a_reply_is_parsed_for_a_connection_and_a_command() -> None:
    assert parameters(Redis.parse_response) == [
        *("self", "connection", "command_name", "options")
    ], NODE
    kind = inspect.signature(Redis.parse_response).parameters["options"].kind
    assert kind is inspect.Parameter.VAR_KEYWORD, NODE


def connection_to(listener: socket.socket) -> Connection:
    """Return a connection that sends nothing of its own, and soon gives up."""
    port = listener.getsockname()[1]
    return Connection(port=port, protocol=2, driver_info=None, socket_timeout=0.01)  # type: ignore[no-untyped-call]  # redis-py


def test_a_connection_connects_when_it_sends_its_first_command() -> None:
    """The pool hands out connections that are not connected, or no longer."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connection = connection_to(listener)
        connection.send_command("PING")  # type: ignore[no-untyped-call]  # redis-py
        with listener.accept()[0] as accepted:
            received = accepted.recv(100)
        connection.disconnect()  # type: ignore[no-untyped-call]  # redis-py
    assert received == b"*1\r\n$4\r\nPING\r\n", NODE


def test_a_connection_whose_reply_is_late_is_closed() -> None:
    """Otherwise the retry would read the late reply as its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connection = connection_to(listener)
        connection.send_command("PING")  # type: ignore[no-untyped-call]  # redis-py
        assert connection.is_connected
        with pytest.raises(exceptions.TimeoutError):
            Redis().parse_response(connection, "PING")  # type: ignore[no-untyped-call]  # redis-py
    assert not connection.is_connected, NODE


def test_a_pipeline_uses_one_connection_of_the_pool() -> None:
    source = inspect.getsource(Pipeline)
    assert "self.connection_pool.get_connection()" in source, NODE
    assert "self.connection_pool.release(" in source, NODE


# gunicorn: its configuration replaces the function that writes error pages.


def test_write_error_has_the_parameters_of_its_replacement() -> None:
    assert parameters(util.write_error) == ["sock", "status_int", "reason", "mesg"], CONFIGURATION


def test_write_nonblock_takes_a_socket_and_bytes() -> None:
    assert parameters(util.write_nonblock)[:2] == ["sock", "data"], CONFIGURATION


def refuse(client: object) -> None:
    """Refuse a request as gunicorn's worker does, before the app sees it."""
    worker = SimpleNamespace(log=Mock(), cfg=None)
    Worker.handle_error(worker, None, client, ("127.0.0.1", 1), InvalidRequestMethod("?"))


def test_a_worker_calls_write_error_for_a_request_that_it_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[tuple[Any, ...]] = []
    monkeypatch.setattr(util, "write_error", lambda *arguments: written.append(arguments))
    client = object()
    refuse(client)
    ((*first, message),) = written
    assert first == [client, 400, "Bad Request"], CONFIGURATION
    assert isinstance(message, str), CONFIGURATION


def test_a_request_that_gunicorn_refuses_gets_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "write_error", util.write_error)  # to be restored after the test
    runpy.run_path(str(ROOT / "api" / "server" / "gunicorn.conf.py"))
    here, there = socket.socketpair()
    with here, there:
        refuse(here)
        head, _, body = there.recv(4096).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 "), CONFIGURATION
    assert json.loads(body)["code"] == "malformed_request", CONFIGURATION


# prometheus-client: the metrics choose the class that holds their values.


def test_the_class_of_values_is_made_for_a_process_identifier() -> None:
    assert parameters(values.MultiProcessValue) == ["process_identifier"], METRICS


def test_the_process_identifier_names_the_file_of_values(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(DIRECTORY, str(tmp_path))
    monkeypatch.setattr(values, "ValueClass", values.MultiProcessValue(lambda: 7))  # type: ignore[no-untyped-call]  # prometheus_client
    Counter("counted", "Counted.", registry=CollectorRegistry()).inc()
    assert [path.name for path in tmp_path.iterdir()] == ["counter_7.db"], METRICS


@pytest.mark.parametrize("kind", [Counter, Histogram])
def test_a_metric_makes_its_values_with_the_chosen_class(
    monkeypatch: pytest.MonkeyPatch, kind: type[Counter | Histogram]
) -> None:
    made = Mock(wraps=values.MutexValue)
    monkeypatch.setattr(values, "ValueClass", made)
    kind("metric", "A metric.", ["label"], registry=CollectorRegistry()).labels("a")
    assert made.called, METRICS


# flask-smorest: the blueprint reads the documentation that decorators leave on a view.


def test_the_locations_of_arguments_are_documented_on_the_view() -> None:
    def view() -> None:
        pass

    decorated = flask_smorest.Blueprint("name", __name__).arguments(Schema, location="query")(view)
    (parameter,) = decorated._apidoc["arguments"]["parameters"]
    assert parameter["in"] == "query", CONTRACT


def test_an_api_registers_its_shared_responses_by_one_method(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The API's own class overrides it."""
    register = Mock()
    monkeypatch.setattr(flask_smorest.Api, "_register_responses", register)
    app = Flask(__name__)
    app.config.update(API_TITLE="A", API_VERSION="1", OPENAPI_VERSION="3.1.0")
    flask_smorest.Api(app)
    register.assert_called_once_with()
