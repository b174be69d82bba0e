"""The published contract: ``python -m openapi`` generates ``openapi.json`` from the app.

:mod:`openapi.examples` records the examples by playing games on a real store, with fixed ids and
times.
"""
