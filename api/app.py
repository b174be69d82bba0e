"""The app: Flask, but for what no request needs here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from flask import Flask
from werkzeug.routing import MapAdapter

from api import problems
from api.current import request
from api.requests import Request
from api.responses import Response, options_response, sorted_methods

if TYPE_CHECKING:
    from collections.abc import Callable

    import flask


class App(Flask):
    """Flask, but for a plain OPTIONS, the log of a defect, and what no request needs here."""

    request_class = Request
    response_class = Response

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # as Flask's
        super().__init__(*args, **kwargs)
        self.watchers: list[Callable[[Request, Response], None]] = []
        """What is shown each request that is answered, and its answer."""

    def full_dispatch_request(self) -> Response:
        """Answer a request, and show it to the watchers.

        They are all there is of hooks, sessions and signals, which Flask looks for each time.
        """
        try:
            response = self.dispatch_request()
        except Exception as error:  # noqa: BLE001  # whatever it is, there is an answer to it
            response = self.handle_user_exception(error)
        return self.process_response(cast("Response", response))

    def process_response(self, response: flask.Response) -> Response:
        """Show an answer to the watchers; also Flask's own, to an error in a handler of errors."""
        shown = cast("Response", response)
        asking = request()
        for watcher in self.watchers:
            watcher(asking, shown)
        return shown

    def do_teardown_request(self, *_: object) -> None:
        """Do nothing: there are no hooks at the end either."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a hook or view as it is: none is asynchronous, and Flask asks at every call."""
        return func

    def create_url_adapter(self, request: flask.Request | None) -> MapAdapter | None:
        """Return what finds a request's route: by path and method, for the host decides nothing."""
        if request is None:
            return None
        prefix, scheme, method = request.root_path or "/", request.scheme, request.method
        return MapAdapter(self.url_map, "", prefix, "", scheme, request.path, method)

    def make_default_options_response(self) -> Response:
        """Answer with the methods that the path knows, and no body."""
        allowed = sorted_methods(super().make_default_options_response().headers["Allow"])
        return options_response(allowed)

    def log_exception(self, exc_info: Any) -> None:  # noqa: ANN401  # Flask's own type is private
        """Log an error of a watcher, or of a handler of errors, as one of the view itself."""
        problems.log_defect(exc_info[1])
