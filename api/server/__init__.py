"""``python -m api.server``: one command that runs gunicorn, and a store if none is configured."""
