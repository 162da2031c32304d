"""Recall, precision and F1 of what was found; words, links and texts of pages; means with intervals."""
