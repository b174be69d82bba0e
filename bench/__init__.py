"""Benchmarks that anyone can rerun, each a module: ``python -m bench.engine``."""
