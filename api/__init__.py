"""The API: a stateless Flask app over the engine and a store.

:func:`create_app` puts it together. The packages, each of which imports only those above it:

- :mod:`api.store`: games, boards and secrets in Redis
- :mod:`api.games`: use cases, and games as JSON and as text
- :mod:`api.http`: requests, responses, problems, and how operations are declared
- :mod:`api.resources`: the operations, one module for each resource
- :mod:`api.site`: pages about the API, and the web client
- :mod:`api.observe`: metrics and logs
- :mod:`api.server`: the launcher, the embedded store, gunicorn's configuration

:mod:`api.settings` defines the settings, :mod:`api.commands` the commands for operators.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Return the app, configured by the ``SCOUNDREL_*`` variables, or by ``config`` instead.

    Raises SettingsError if a setting is invalid or no store is named, and WrongSecret if the store
    was used with another secret.
    """
    # Imported here, because settings and the launcher load this package without needing Flask.
    from werkzeug.middleware.proxy_fix import ProxyFix

    from api import commands, settings
    from api.http import errors, openapi, responses
    from api.http.app import App
    from api.http.contract import Api
    from api.http.requests import MAX_CONTENT_LENGTH
    from api.observe import logs
    from api.observe.metrics import Metrics, metrics
    from api.resources import blueprints
    from api.site.pages import pages
    from api.site.web_client import web_client
    from api.store import UNAVAILABLE, Store

    chosen = settings.from_environment() if config is None else settings.load(config)
    if chosen.redis_url is None:
        raise settings.SettingsError(
            "SCOUNDREL_REDIS_URL must name the store; `make run` starts one of its own"
        )
    app = App(__name__, static_folder=None)
    app.config.from_mapping(openapi.CONFIG, MAX_CONTENT_LENGTH=MAX_CONTENT_LENGTH)
    app.url_map.merge_slashes = False
    app.wsgi_app = responses.CommonHeaders(app.wsgi_app)  # type: ignore[method-assign]  # as Flask documents it
    if hops := chosen.proxy_hops:
        app.wsgi_app = ProxyFix(app.wsgi_app, hops, hops, hops, 0, hops)  # type: ignore[method-assign]  # as Flask documents it

    observer = Metrics()
    store = Store(
        chosen.redis_url,
        secret=chosen.secret,
        keep_lost_days=chosen.keep_lost_days,
        create_limit=chosen.create_limit,
        wait_replicas=chosen.wait_replicas,
        observer=observer,
    )
    # Without the store the app starts all the same, and checks the secret when it first needs it.
    with suppress(*UNAVAILABLE):
        store.secret.check()
    app.extensions.update(store=store, metrics=observer)

    logs.register(app, chosen.log)
    observer.register(app)
    errors.register(app)
    app.extensions["api"] = api = Api(app)
    for blueprint in blueprints():
        api.register_blueprint(blueprint)
    for pages_blueprint in (metrics, pages, web_client):
        app.register_blueprint(pages_blueprint)
    commands.register(app)
    return app
