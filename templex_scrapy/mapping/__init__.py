"""The equal top-down mapping of two pages."""

from templex_scrapy.mapping.similarity import (
    PUBLISHED,
    PUBLISHED_CONTENT,
    PUBLISHED_QUICK,
    ROUNDING,
    TEMPLEX,
    Similarity,
)
from templex_scrapy.mapping.tree_mapping import NodeMapping, map_pages, map_to_key, map_trees, map_voter

__all__ = [
    "PUBLISHED",
    "PUBLISHED_CONTENT",
    "PUBLISHED_QUICK",
    "ROUNDING",
    "TEMPLEX",
    "NodeMapping",
    "Similarity",
    "map_pages",
    "map_to_key",
    "map_trees",
    "map_voter",
]
