"""A Scrapy plugin that takes the template of a site out of the items of a crawl.

Switch it on with ``ADDONS = {"templex_scrapy.Addon": 500}``; from Python the core is used as it is:

    template = find_template(Page(html, url), fetch)
    cleaned = template.match(page).strip()
"""

from templex_scrapy.addon import Addon
from templex_scrapy.detectors.conex import detect_content
from templex_scrapy.detectors.hybrid import detect_template_hybrid
from templex_scrapy.detectors.menex import detect_menu
from templex_scrapy.detectors.site_conex import detect_content_site
from templex_scrapy.detectors.temex import detect_template
from templex_scrapy.links import rank_links
from templex_scrapy.match import Match, combine
from templex_scrapy.page import Node, Page
from templex_scrapy.subdigraph import SubdigraphSearch
from templex_scrapy.template import Template, find_template

__version__ = "0.1.0"

__all__ = [
    "Addon",
    "Match",
    "Node",
    "Page",
    "SubdigraphSearch",
    "Template",
    "combine",
    "detect_content",
    "detect_content_site",
    "detect_menu",
    "detect_template",
    "detect_template_hybrid",
    "find_template",
    "rank_links",
]
