"""Pages about the API, and the web client."""
