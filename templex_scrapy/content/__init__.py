"""What a page is about: its main content and its main menu."""

from templex_scrapy.content._head import Head
from templex_scrapy.content.conex import detect_content
from templex_scrapy.content.kept_parts import Kept, KeptParts
from templex_scrapy.content.main_content import content_nodes, find_content
from templex_scrapy.content.menex import detect_menu
from templex_scrapy.content.repetition import repeated_texts
from templex_scrapy.content.site_conex import detect_content_site

__all__ = [
    "Head",
    "Kept",
    "KeptParts",
    "content_nodes",
    "detect_content",
    "detect_content_site",
    "detect_menu",
    "find_content",
    "repeated_texts",
]
