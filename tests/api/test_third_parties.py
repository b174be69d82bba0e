"""Flask's life cycle holds: extensions and views that were written for any Flask app work here."""

from __future__ import annotations

import logging
import subprocess
import sys
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import flask
import pytest
import sentry_sdk
from flask import abort, after_this_request, got_request_exception, request_finished
from flask import request_started as request_started_signal
from opentelemetry.instrumentation.flask import FlaskInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sentry_sdk.integrations.dedupe import DedupeIntegration
from sentry_sdk.integrations.flask import FlaskIntegration
from sentry_sdk.integrations.logging import LoggingIntegration
from sentry_sdk.transport import Transport
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Request

from api import create_app
from api.store import Store
from tests.api.client import UNKNOWN_ID
from tests.servers import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from flask.typing import ResponseValue
    from opentelemetry.sdk.trace import ReadableSpan
    from sentry_sdk.envelope import Envelope
    from werkzeug.test import TestResponse

    from tests.servers import StoreServer

PROBLEM = "application/problem+json"
AWAY = "redis://127.0.0.1:1"
"""A store that refuses connections."""


@pytest.fixture
def app(store_server: StoreServer) -> Flask:
    """An app of the test's own, to which it adds what it needs."""
    return create_app({"REDIS_URL": store_server.url})


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def problem(response: TestResponse) -> dict[str, Any]:
    """Return the problem in a response."""
    assert response.mimetype == PROBLEM
    body: dict[str, Any] = response.json or {}
    assert body["status"] == response.status_code
    assert body["request_id"] == response.headers["X-Request-ID"]
    return body


def fail() -> str:
    """Fail, as a view with a bug does."""
    raise RuntimeError("a bug")


# OpenTelemetry.


class Traced:
    """The spans of an app's requests."""

    def __init__(self, app: Flask) -> None:
        self._client = app.test_client()
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        FlaskInstrumentor.instrument_app(app, tracer_provider=provider)  # type: ignore[no-untyped-call]  # it is not typed

    def span(self, path: str) -> ReadableSpan:
        """Return the only span of a GET request."""
        # In a context of its own, because the instrumentation leaves values in it.
        copy_context().run(self._client.get, path)
        (span,) = self._exporter.get_finished_spans()
        return span


def status_of(span: ReadableSpan) -> object:
    attributes = span.attributes or {}
    return attributes.get("http.response.status_code", attributes.get("http.status_code"))


def test_opentelemetry_sees_one_span_for_a_request_that_succeeds(
    app: Flask, store_server: StoreServer
) -> None:
    other = create_app({"REDIS_URL": store_server.url})
    game = other.test_client().post("/v1/games", json={}).json or {}
    span = Traced(app).span(f"/v1/games/{game['id']}")
    assert (span.name, status_of(span)) == ("GET /v1/games/<game_id>", 200)


def test_opentelemetry_sees_one_span_for_a_game_that_is_not_found(app: Flask) -> None:
    span = Traced(app).span(f"/v1/games/{UNKNOWN_ID}")
    assert (span.name, status_of(span)) == ("GET /v1/games/<game_id>", 404)


def test_opentelemetry_sees_one_span_for_an_outage_of_the_store() -> None:
    span = Traced(create_app({"REDIS_URL": AWAY})).span(f"/v1/games/{UNKNOWN_ID}")
    assert (span.name, status_of(span)) == ("GET /v1/games/<game_id>", 503)


def test_opentelemetry_sees_one_span_for_a_bug(app: Flask) -> None:
    app.add_url_rule("/bug", view_func=fail)
    span = Traced(app).span("/bug")
    assert (span.name, status_of(span)) == ("GET /bug", 500)


def test_opentelemetry_sees_one_span_for_a_path_without_a_route(app: Flask) -> None:
    assert status_of(Traced(app).span("/nowhere")) == 404


def test_opentelemetry_knows_the_route_of_a_request(app: Flask) -> None:
    attributes = Traced(app).span(f"/v1/games/{UNKNOWN_ID}").attributes or {}
    assert attributes["http.route"] == "/v1/games/<game_id>"


INSTRUMENTED = """\
from opentelemetry.instrumentation.flask import FlaskInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
FlaskInstrumentor().instrument(tracer_provider=provider)

from api import create_app

create_app({"REDIS_URL": "redis://127.0.0.1:1"}).test_client().get("/livez")
print([span.name for span in exporter.get_finished_spans()])
"""


def test_opentelemetry_can_be_activated_before_the_app_is_imported() -> None:
    """As the command ``opentelemetry-instrument`` does, which needs no change of the code."""
    done = subprocess.run(
        [sys.executable, "-c", INSTRUMENTED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "['GET /livez']\n", done.stderr


# Sentry.


class Reports(Transport):
    """Collects events instead of sending them."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[dict[str, Any]] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        """Keep the event of an envelope."""
        if event := envelope.get_event():
            self.events.append(dict(event))

    @property
    def exceptions(self) -> list[tuple[str, str]]:
        """Type and transaction of each exception that was reported."""
        return [
            (event["exception"]["values"][-1]["type"], event["transaction"])
            for event in self.events
            if "exception" in event
        ]


@pytest.fixture(scope="module")
def patches_of_sentry() -> Iterator[None]:
    """Undo the patches that Sentry's integrations make once for the process."""
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(flask.Flask, "__call__", flask.Flask.__call__)
        patches.setattr(logging.Logger, "callHandlers", logging.Logger.callHandlers)
        yield


@pytest.fixture
def sentry(patches_of_sentry: None) -> Iterator[Reports]:  # noqa: ARG001  # for its effect
    """Sentry with the integrations that concern Flask, until the test ends."""
    reports = Reports()
    sentry_sdk.init(
        dsn="https://key@sentry.invalid/1",
        transport=reports,
        default_integrations=False,
        integrations=[FlaskIntegration(), LoggingIntegration(), DedupeIntegration()],
        auto_session_tracking=False,
    )
    yield reports
    sentry_sdk.get_client().close()
    sentry_sdk.get_global_scope().set_client(None)
    sentry_sdk.get_isolation_scope().clear()
    sentry_sdk.get_current_scope().clear()


def probe_with_a_bug(_store: Store) -> None:
    """Fail in place of ``Store.probe``."""
    raise RuntimeError("a bug")


def test_sentry_reports_a_bug_in_an_operation(
    app: Flask, sentry: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "probe", probe_with_a_bug)
    app.test_client().get("/readyz")
    assert sentry.exceptions == [("RuntimeError", "health.get_readiness")]


@pytest.mark.usefixtures("sentry")
def test_a_bug_that_sentry_reports_is_still_a_problem(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "probe", probe_with_a_bug)
    response = app.test_client().get("/readyz")
    assert response.status_code == 500
    assert problem(response)["code"] == "internal_error"


def test_sentry_reports_a_bug_once(app: Flask, sentry: Reports) -> None:
    app.add_url_rule("/bug", view_func=fail)
    app.test_client().get("/bug")
    assert ["exception" in event for event in sentry.events] == [True]


@pytest.mark.parametrize("path", ["/nowhere", f"/v1/games/{UNKNOWN_ID}", "/v1/games?no=such"])
def test_sentry_does_not_report_a_problem(app: Flask, sentry: Reports, path: str) -> None:
    assert app.test_client().get(path).status_code >= 400
    assert sentry.events == []


def test_sentry_does_not_report_an_outage_of_the_store(sentry: Reports) -> None:
    app = create_app({"REDIS_URL": AWAY})
    assert app.test_client().get("/readyz").status_code == 503
    assert sentry.events == []


# Hooks.


def test_a_before_request_hook_can_refuse_a_request(app: Flask, client: FlaskClient) -> None:
    app.before_request(lambda: abort(403))
    response = client.get("/livez")
    body = problem(response)
    assert response.status_code == 403
    assert (body["type"], body["code"]) == ("about:blank", "forbidden")


def test_a_before_request_hook_can_respond_itself(app: Flask, client: FlaskClient) -> None:
    app.before_request(lambda: ("Closed.", 503))
    response = client.get("/livez")
    assert (response.status_code, response.text) == (503, "Closed.")


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "unauthorized"),
        (418, "im_a_teapot"),
        (429, "too_many_requests"),
        (503, "service_unavailable"),
    ],
)
def test_an_abort_is_a_problem_named_by_its_status(
    app: Flask, client: FlaskClient, status: int, code: str
) -> None:
    app.before_request(lambda: abort(status))
    response = client.get("/livez")
    body = problem(response)
    assert response.status_code == status
    assert (body["type"], body["code"]) == ("about:blank", code)


def raise_status(status: int) -> None:
    """Raise an HTTP exception of an extension's own."""
    error = HTTPException("Not here.")
    error.code = status
    raise error


@pytest.mark.parametrize("status", [402, 499])
def test_an_http_exception_of_an_extension_s_own_keeps_its_status(
    app: Flask, client: FlaskClient, status: int
) -> None:
    app.before_request(lambda: raise_status(status))
    response = client.get("/livez")
    assert response.status_code == status
    assert problem(response)["type"] == "about:blank"


def test_the_description_of_an_abort_is_the_problem_s_detail(
    app: Flask, client: FlaskClient
) -> None:
    app.before_request(lambda: abort(403, "Only on weekdays."))
    assert problem(client.get("/livez"))["detail"] == "Only on weekdays."


def test_an_abort_with_a_response_returns_it(app: Flask, client: FlaskClient) -> None:
    app.before_request(lambda: abort(flask.Response("Closed.", 403)))
    response = client.get("/livez")
    assert (response.status_code, response.text) == (403, "Closed.")


def test_an_early_response_has_the_common_headers(app: Flask, client: FlaskClient) -> None:
    app.before_request(lambda: "Closed.")
    headers = client.get("/livez").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Request-ID"]


def test_an_after_request_hook_can_change_the_response(app: Flask, client: FlaskClient) -> None:
    @app.after_request
    def add_header(response: flask.Response) -> flask.Response:
        response.headers["X-Added"] = "yes"
        return response

    assert client.get("/livez").headers["X-Added"] == "yes"


def test_an_after_request_hook_sees_a_problem(app: Flask, client: FlaskClient) -> None:
    seen: list[int] = []

    @app.after_request
    def note_status(response: flask.Response) -> flask.Response:
        seen.append(response.status_code)
        return response

    client.get(f"/v1/games/{UNKNOWN_ID}")
    assert seen == [404]


def test_a_teardown_request_hook_runs(app: Flask, client: FlaskClient) -> None:
    seen: list[BaseException | None] = []
    app.teardown_request(seen.append)
    client.get("/livez")
    assert seen == [None]


def test_a_teardown_request_hook_gets_the_exception_of_a_bug(
    app: Flask, client: FlaskClient
) -> None:
    seen: list[BaseException | None] = []
    app.teardown_request(seen.append)
    app.add_url_rule("/bug", view_func=fail)
    client.get("/bug")
    assert [type(error) for error in seen] == [RuntimeError]


def test_an_after_this_request_function_runs(app: Flask, client: FlaskClient) -> None:
    @app.before_request
    def add_function() -> None:
        @after_this_request
        def add_header(response: flask.Response) -> flask.Response:
            response.headers["X-Added"] = "yes"
            return response

    assert client.get("/livez").headers["X-Added"] == "yes"


def test_a_function_that_a_response_calls_on_close_runs(app: Flask, client: FlaskClient) -> None:
    closed: list[bool] = []

    @app.after_request
    def add_function(response: flask.Response) -> flask.Response:
        response.call_on_close(lambda: closed.append(True))
        return response

    client.get("/livez").close()
    assert closed == [True]


def test_an_error_handler_of_a_status_is_obeyed(app: Flask, client: FlaskClient) -> None:
    app.register_error_handler(404, lambda _error: ("Nothing.", 404))
    assert client.get("/nowhere").text == "Nothing."


def test_an_error_handler_of_an_exception_is_obeyed(app: Flask, client: FlaskClient) -> None:
    app.register_error_handler(RuntimeError, lambda error: (str(error), 500))
    app.add_url_rule("/bug", view_func=fail)
    assert client.get("/bug").text == "a bug"


def test_a_second_request_object_on_the_same_environment_does_no_harm(
    app: Flask, client: FlaskClient
) -> None:
    app.add_url_rule("/added", view_func=lambda: Request(flask.request.environ).path)
    assert client.get("/added").text == "/added"


# Signals.


def test_the_signal_that_a_request_started_is_sent(app: Flask, client: FlaskClient) -> None:
    seen: list[str] = []

    def receive(_app: Flask, **_: Any) -> None:  # noqa: ANN401  # the signal's
        seen.append(flask.request.path)

    with request_started_signal.connected_to(receive, app):
        client.get("/livez")
    assert seen == ["/livez"]


@pytest.mark.parametrize(("path", "status"), [("/livez", 200), ("/nowhere", 404)])
def test_the_signal_that_a_request_finished_is_sent(
    app: Flask, client: FlaskClient, path: str, status: int
) -> None:
    seen: list[int] = []

    def receive(_app: Flask, response: flask.Response, **_: Any) -> None:  # noqa: ANN401  # the signal's
        seen.append(response.status_code)

    with request_finished.connected_to(receive, app):
        client.get(path)
    assert seen == [status]


@pytest.mark.parametrize(
    ("path", "sent"), [("/bug", [RuntimeError]), (f"/v1/games/{UNKNOWN_ID}", [])]
)
def test_the_signal_of_an_exception_is_sent_for_bugs_alone(
    app: Flask, client: FlaskClient, path: str, sent: list[type]
) -> None:
    seen: list[type] = []
    app.add_url_rule("/bug", view_func=fail)

    def receive(_app: Flask, exception: Exception, **_: Any) -> None:  # noqa: ANN401  # the signal's
        seen.append(type(exception))

    with got_request_exception.connected_to(receive, app):
        client.get(path)
    assert seen == sent


# Views and settings of Flask.


@pytest.mark.parametrize(
    ("result", "mimetype", "body"),
    [
        ("text", "text/html", b"text"),
        (b"bytes", "text/html", b"bytes"),
        ({"a": 1}, "application/json", b'{"a":1}'),
        ([1, 2], "application/json", b"[1,2]"),
        (flask.Response("made", mimetype="text/plain"), "text/plain", b"made"),
    ],
)
def test_a_view_may_return_what_flask_turns_into_a_response(
    app: Flask, client: FlaskClient, result: ResponseValue, mimetype: str, body: bytes
) -> None:
    app.add_url_rule("/added", view_func=lambda: result)
    response = client.get("/added")
    assert (response.status_code, response.mimetype) == (200, mimetype)
    assert response.data.strip() == body


def test_a_view_may_return_body_status_and_headers(app: Flask, client: FlaskClient) -> None:
    app.add_url_rule("/added", view_func=lambda: ({"a": 1}, 202, {"X-Added": "yes"}))
    response = client.get("/added")
    assert (response.status_code, response.json) == (202, {"a": 1})
    assert response.headers["X-Added"] == "yes"


def test_a_view_may_stream_its_response(app: Flask, client: FlaskClient) -> None:
    @app.get("/streamed")
    def stream() -> flask.Response:
        parts = (f"{flask.request.path} {number}\n" for number in range(2))
        return flask.Response(flask.stream_with_context(parts))

    response = client.get("/streamed")
    assert response.is_streamed
    assert response.text == "/streamed 0\n/streamed 1\n"


def test_a_streamed_response_has_the_common_headers(app: Flask, client: FlaskClient) -> None:
    app.add_url_rule("/streamed", view_func=lambda: iter(["a", "b"]))
    response = client.get("/streamed")
    assert response.text == "ab"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_a_view_that_is_added_is_served_to_head(app: Flask, client: FlaskClient) -> None:
    app.add_url_rule("/added", view_func=lambda: "text")
    response = client.head("/added")
    assert (response.status_code, response.data) == (200, b"")
    assert response.content_length == 4


def test_head_returns_the_headers_of_get(client: FlaskClient) -> None:
    head, get = client.head("/livez"), client.get("/livez")
    assert head.data == b""
    assert without_id(head) == without_id(get)


def without_id(response: TestResponse) -> dict[str, str]:
    return {name: text for name, text in response.headers.items() if name != "X-Request-ID"}


def test_url_for_gives_a_full_url(app: Flask, client: FlaskClient) -> None:
    app.add_url_rule("/added", view_func=external_url)
    response = client.get("/added", base_url="https://cards.example/below")
    assert response.text == "https://cards.example/below/v1/games/some-id"


def external_url() -> str:
    return flask.url_for("games.get_game", game_id="some-id", _external=True)


@pytest.mark.parametrize(("host", "status"), [("cards.example", 200), ("other.example", 400)])
def test_trusted_hosts_are_obeyed(app: Flask, client: FlaskClient, host: str, status: int) -> None:
    app.config["TRUSTED_HOSTS"] = ["cards.example"]
    assert client.get("/livez", headers={"Host": host}).status_code == status


def test_an_untrusted_host_is_a_problem(app: Flask, client: FlaskClient) -> None:
    app.config["TRUSTED_HOSTS"] = ["cards.example"]
    response = client.get("/livez", headers={"Host": "other.example"})
    assert problem(response)["code"] == "malformed_request"


def write_session() -> str:
    """Write to the session, and return the error."""
    with pytest.raises(RuntimeError) as error:
        flask.session["name"] = "value"
    return str(error.value)


def test_a_session_cannot_be_written(app: Flask, client: FlaskClient) -> None:
    app.add_url_rule("/added", view_func=write_session)
    assert client.get("/added").text.startswith("The session is unavailable")


def test_a_session_can_be_read_and_is_empty(app: Flask, client: FlaskClient) -> None:
    app.add_url_rule("/added", view_func=lambda: dict(flask.session))
    assert client.get("/added", headers={"Cookie": "session=forged"}).json == {}


@pytest.mark.parametrize("view", [write_session, lambda: dict(flask.session)])
def test_no_cookie_is_set(app: Flask, client: FlaskClient, view: Callable[[], Any]) -> None:
    app.secret_key = "a key, as an extension may set one"  # noqa: S105  # of this test alone
    app.add_url_rule("/added", view_func=view)
    assert "Set-Cookie" not in client.get("/added").headers
