"""The template of a site: votes, what is found of it in a page, what of that is removed, how it grows and is stored."""

from templex_scrapy.content.kept_parts import Kept
from templex_scrapy.template.detect import detect_template, detect_template_hybrid
from templex_scrapy.template.explanation import Explanation, Fate, PageVote, Reason, ValueType
from templex_scrapy.template.growth import (
    PendingPage,
    PendingPages,
    next_size,
    template_from_peers,
    template_from_subdigraph,
    with_voters,
)
from templex_scrapy.template.match import FEWEST_PAGES, FIT_COVERAGE, MAX_UNFAMILIAR, Match, extract_content
from templex_scrapy.template.removal import compile_selectors, selector_of
from templex_scrapy.template.template import Template, find_template
from templex_scrapy.template.template_set import TemplateSet

__all__ = [
    "FEWEST_PAGES",
    "FIT_COVERAGE",
    "MAX_UNFAMILIAR",
    "Explanation",
    "Fate",
    "Kept",
    "Match",
    "PageVote",
    "PendingPage",
    "PendingPages",
    "Reason",
    "Template",
    "TemplateSet",
    "ValueType",
    "compile_selectors",
    "detect_template",
    "detect_template_hybrid",
    "extract_content",
    "find_template",
    "next_size",
    "selector_of",
    "template_from_peers",
    "template_from_subdigraph",
    "with_voters",
]
