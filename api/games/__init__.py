"""Use cases, and games as JSON and as text. Nothing here depends on Flask or on a request."""
