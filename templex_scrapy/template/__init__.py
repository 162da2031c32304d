"""The template of a site: votes, what is found of it in a page, what of that is removed, how it grows and is stored."""

from templex_scrapy.content.kept_parts import Kept
from templex_scrapy.template.detect import detect_template, detect_template_hybrid
from templex_scrapy.template.explanation import Explanation, Fate, PageVote, Reason, ValueType
from templex_scrapy.template.match import FEWEST_PAGES, FIT_COVERAGE, Match, extract_content
from templex_scrapy.template.page_type import COMMON_NAMES, COMMON_TEXTS, PageFeatures, common_share
from templex_scrapy.template.selectors import NO_SELECTORS, Selectors, selector_of
from templex_scrapy.template.template import Template, find_template, find_template_async
from templex_scrapy.template.template_set import MAX_TEMPLATES, TemplateSet
from templex_scrapy.template.votes import votes_for

__all__ = [
    "COMMON_NAMES",
    "COMMON_TEXTS",
    "FEWEST_PAGES",
    "FIT_COVERAGE",
    "MAX_TEMPLATES",
    "NO_SELECTORS",
    "Explanation",
    "Fate",
    "Kept",
    "Match",
    "PageFeatures",
    "PageVote",
    "Reason",
    "Selectors",
    "Template",
    "TemplateSet",
    "ValueType",
    "common_share",
    "detect_template",
    "detect_template_hybrid",
    "extract_content",
    "find_template",
    "find_template_async",
    "selector_of",
    "votes_for",
]
