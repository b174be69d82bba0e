"""The Flask app, customised where Flask documents that a subclass may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Flask
from flask.sessions import SessionInterface

from api.http.context import current_request
from api.http.requests import Request
from api.http.responses import options_response, sorted_methods

if TYPE_CHECKING:
    import flask


class NoSessions(SessionInterface):
    """No sessions: no cookie is read or set."""

    def open_session(self, app: Flask, request: flask.Request) -> None:
        """Open none; Flask then uses its null session."""


class App(Flask):
    """Flask with our requests, without sessions, and with logs that contain no paths."""

    request_class = Request
    session_interface = NoSessions()

    def make_default_options_response(self) -> flask.Response:
        """Return 204 with the methods of the path."""
        response = super().make_default_options_response()
        return options_response(sorted_methods(response.headers["Allow"]))

    def log_exception(self, exc_info: Any) -> None:  # noqa: ANN401  # Flask's own type is private
        """Log an unhandled exception by its route: the path may contain a game's id."""
        request = current_request()
        self.logger.error(
            "%s %s failed, request %s",
            request.method,
            request.route,
            request.id,
            exc_info=exc_info,
        )
