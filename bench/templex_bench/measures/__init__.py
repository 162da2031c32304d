"""Recall, precision and F1; words, links and texts of pages; means with intervals."""
