"""The published contract: ``openapi.json``, written by ``python -m openapi`` from the app.

Its examples are recorded, not invented: :mod:`openapi.examples` plays real games against a real
store, with the same ids and times each time.
"""
