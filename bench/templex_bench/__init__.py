"""Measures template, menu and content detectors against gold standards."""
