"""Votes, templates, and what of a page they remove."""
