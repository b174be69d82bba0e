"""The launcher, with real processes."""
