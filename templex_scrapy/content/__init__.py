"""What a page is about: its main content, and what is kept because it belongs to it."""

from templex_scrapy.content.head import NO_HEAD, Head
from templex_scrapy.content.kept_repetitions import Kept, KeptParts
from templex_scrapy.content.main_content import content_nodes, find_content
from templex_scrapy.content.thresholds import THRESHOLDS

__all__ = ["NO_HEAD", "THRESHOLDS", "Head", "Kept", "KeptParts", "content_nodes", "find_content"]
