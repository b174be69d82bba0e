"""``python -m api.launcher``: one command that plays, with a store of its own if none is named."""
