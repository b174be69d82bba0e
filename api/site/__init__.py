"""What people look at: the pages about the API, and the web client."""
