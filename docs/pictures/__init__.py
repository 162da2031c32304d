"""The pictures of the documentation, drawn from real runs on the demo site: `cd docs && python -m pictures`."""
