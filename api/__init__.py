"""The API: a stateless Flask app over the engine and a store.

Enter at :func:`create_app`. Each resource is a module of :mod:`api.resources`, found by being
there; :mod:`api.contract` is how they declare their operations.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from werkzeug.middleware.proxy_fix import ProxyFix

from api import commands, logs, metrics, openapi, problems, settings
from api.app import App
from api.contract import Api
from api.pages import pages
from api.resources import blueprints
from api.store import UNAVAILABLE, Store
from api.web import web

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask


def create_app(config: Mapping[str, Any] | None = None) -> App:
    """Return the app, set up from the ``SCOUNDREL_*`` variables, or from ``config`` instead.

    Raises SettingsError if a setting is unusable or no store is named, and WrongSecret if the
    store was used with another secret.
    """
    chosen = settings.from_environment() if config is None else settings.load(config)
    if chosen.redis_url is None:
        raise settings.SettingsError(
            "SCOUNDREL_REDIS_URL must name the store; `make run` starts one of its own"
        )
    app = App(__name__, static_folder=None)
    app.config.from_mapping(openapi.CONFIG)
    app.url_map.merge_slashes = False
    figures = metrics.Metrics()
    app.extensions["store"] = Store(
        chosen.redis_url,
        secret=chosen.secret,
        keep_lost_days=chosen.keep_lost_days,
        create_limit=chosen.create_limit,
        wait_replicas=chosen.wait_replicas,
        watch=figures,
    )
    # If the store is away the app starts all the same, and checks when it first needs the secret.
    with suppress(*UNAVAILABLE):
        app.extensions["store"].secret.check()
    if chosen.proxy_hops:
        behind_proxies(app, chosen.proxy_hops)
    metrics.register(app, figures)
    if chosen.log == "json":
        logs.register(app)
    else:
        logs.register_plain(app)
    api = Api(app)
    problems.register(app)
    for blueprint in blueprints():
        api.register_blueprint(blueprint)
    app.register_blueprint(pages)
    app.extensions["api"] = api
    app.register_blueprint(web)
    commands.register(app)
    return app


def behind_proxies(app: Flask, hops: int) -> None:
    """Have the app believe what the last ``hops`` proxies say of a request."""
    app.wsgi_app = ProxyFix(  # type: ignore[method-assign]  # Flask's own way to do it
        app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops, x_prefix=hops
    )
