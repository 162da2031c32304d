"""The templates of a site: match pages with them, explain the matches, store the templates."""

from templex_scrapy.content import Kept
from templex_scrapy.template.explanation import Explanation, Fate, Reason, ValueType
from templex_scrapy.template.extract import extract_content
from templex_scrapy.template.find import find_template, find_template_async
from templex_scrapy.template.page_types import PageFeatures, common_share, text_numbers
from templex_scrapy.template.selectors import PageSelector, RemovedText, selector_of
from templex_scrapy.template.template import Fit, Match, Template, least_nbytes
from templex_scrapy.template.template_set import MAX_TEMPLATES, TemplateSet, sound_templates
from templex_scrapy.template.user_selectors import NO_SELECTORS, Selectors
from templex_scrapy.votes import FIT_RULES, Removed, site_texts_of, votes_for

__all__ = [
    "FIT_RULES",
    "MAX_TEMPLATES",
    "NO_SELECTORS",
    "Explanation",
    "Fate",
    "Fit",
    "Kept",
    "Match",
    "PageFeatures",
    "PageSelector",
    "Reason",
    "Removed",
    "RemovedText",
    "Selectors",
    "Template",
    "TemplateSet",
    "ValueType",
    "common_share",
    "extract_content",
    "find_template",
    "find_template_async",
    "least_nbytes",
    "selector_of",
    "site_texts_of",
    "sound_templates",
    "text_numbers",
    "votes_for",
]
