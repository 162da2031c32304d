"""The search for pages that share a template with a key page: ranked links and the complete subdigraph."""

from templex_scrapy.search.ranking import hyperlink_distance, rank_links
from templex_scrapy.search.subdigraph import MAX_LOADS, SIZE, SubdigraphSearch

__all__ = ["MAX_LOADS", "SIZE", "SubdigraphSearch", "hyperlink_distance", "rank_links"]
