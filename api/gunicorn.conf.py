"""How gunicorn serves the app, for the launcher and for deployments alike.

Redis is neither imported here nor preloaded: gevent patches the sockets in the worker, and what
was imported before that would keep the blocking ones.
"""

import os

wsgi_app = "api:create_app()"
worker_class = "gevent"
workers = int(os.environ.get("WEB_CONCURRENCY") or os.cpu_count() or 1)
worker_connections = 8000  # held streams and idle clients are cheap; running out starves everyone
keepalive = 75
graceful_timeout = 10
timeout = 30
control_socket_disable = True  # it wants a writable home directory, which a container has not
