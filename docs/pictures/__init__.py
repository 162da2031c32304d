"""The pictures of the documentation, drawn from real runs on the demo site: `cd docs && python -m pictures`.

The same code draws the same pictures; tests/docs/test_pictures.py fails when a run has changed and they have not.
"""
