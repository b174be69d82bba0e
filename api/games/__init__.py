"""What can be done with games, and how games are represented. Nothing here knows a request."""
