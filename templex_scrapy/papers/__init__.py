"""The papers' detectors: TemEx and HybEx for the template, ConEx for the main content, MenEx for the main menu.

The plug-in uses MenEx alone. The others are for users of the papers, and for ``templex-bench``, which compares them
with the plug-in.
"""

from templex_scrapy.papers.conex import MAX_WORDS, detect_content
from templex_scrapy.papers.menex import detect_menu
from templex_scrapy.papers.site_conex import detect_content_site
from templex_scrapy.papers.temex import detect_template, detect_template_hybrid, without_nodes

__all__ = [
    "MAX_WORDS",
    "detect_content",
    "detect_content_site",
    "detect_menu",
    "detect_template",
    "detect_template_hybrid",
    "without_nodes",
]
