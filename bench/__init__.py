"""Benchmarks. Each is a module to run: ``python -m bench.engine``."""
