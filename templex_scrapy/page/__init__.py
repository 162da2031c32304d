"""A page as nodes in node order: its tree, links, words and node values."""
