"""A page as nodes in node order: its tree, links, words and node values."""

from templex_scrapy.compiled import running
from templex_scrapy.page.accessors import (
    body_of,
    elements_of,
    head_of,
    nodes_of,
    parse_cache_of,
    release,
    release_tree,
    root_of,
    take_tree,
    text_digest_of,
    values_of,
)
from templex_scrapy.page.cached_properties import cached_property
from templex_scrapy.page.decoding import decode_stored
from templex_scrapy.page.head import Head
from templex_scrapy.page.links import NO_PAGE_EXTENSIONS, absolute, canonical, is_page_url, join, site_of
from templex_scrapy.page.node_arrays import NodeArrays, integers, nodes_with, renumbered
from templex_scrapy.page.node_values import LINKS, MEDIA, NodeValues
from templex_scrapy.page.page import (
    MAX_DEPTH,
    Node,
    Page,
    distinct,
    is_too_large,
    weight,
)
from templex_scrapy.page.parse_cache import ParseCache
from templex_scrapy.page.parsing import whole
from templex_scrapy.page.reader import LEFT_OUT
from templex_scrapy.page.start_tags import TEXT, StartTag, tag_of, unescape
from templex_scrapy.page.subtrees import (
    counts_before,
    depths,
    is_hyperlink,
    is_link_text,
    roots_outside,
    subtree_flags,
    subtree_positions,
    subtree_sums,
    without,
)
from templex_scrapy.page.words import HEADINGS, INLINE, count_words

__all__ = [
    "HEADINGS",
    "INLINE",
    "LEFT_OUT",
    "LINKS",
    "MAX_DEPTH",
    "MEDIA",
    "NO_PAGE_EXTENSIONS",
    "TEXT",
    "Head",
    "Node",
    "NodeArrays",
    "NodeValues",
    "Page",
    "ParseCache",
    "StartTag",
    "absolute",
    "body_of",
    "cached_property",
    "canonical",
    "count_words",
    "counts_before",
    "decode_stored",
    "depths",
    "distinct",
    "elements_of",
    "head_of",
    "integers",
    "is_hyperlink",
    "is_link_text",
    "is_page_url",
    "is_too_large",
    "join",
    "nodes_of",
    "nodes_with",
    "parse_cache_of",
    "release",
    "release_tree",
    "renumbered",
    "root_of",
    "roots_outside",
    "running",
    "site_of",
    "subtree_flags",
    "subtree_positions",
    "subtree_sums",
    "tag_of",
    "take_tree",
    "text_digest_of",
    "unescape",
    "values_of",
    "weight",
    "whole",
    "without",
]
