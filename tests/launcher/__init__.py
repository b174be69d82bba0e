"""Tests of the launcher with real processes."""
