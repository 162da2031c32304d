"""A page as nodes in node order: tree, links, words and node values."""

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
from templex_scrapy.page.addresses import NO_PAGE_EXTENSIONS, absolute, canonical, is_page_url, join, site_of
from templex_scrapy.page.cached_properties import cached_property
from templex_scrapy.page.decoding import decode_stored
from templex_scrapy.page.head import Head
from templex_scrapy.page.node_arrays import NodeArrays, integers, nodes_with, renumbered
from templex_scrapy.page.node_values import LINKS, MEDIA, NodeValues
from templex_scrapy.page.page import MAX_DEPTH, Node, Page, distinct
from templex_scrapy.page.parse_cache import ParseCache
from templex_scrapy.page.parsing import repaired
from templex_scrapy.page.reader import LEFT_OUT
from templex_scrapy.page.size_limits import is_too_large, weight
from templex_scrapy.page.start_tags import TEXT, StartTag
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

__all__ = [  # noqa: RUF022 - by use
    # pages, and what is read of each
    "Head", "MAX_DEPTH", "Node", "Page", "ParseCache", "body_of", "decode_stored", "distinct", "elements_of", "head_of",
    "is_too_large", "nodes_of", "parse_cache_of", "release", "release_tree", "repaired", "root_of", "take_tree",
    "text_digest_of", "values_of", "weight",
    # nodes: start tags, values, arrays and flags over them
    "HEADINGS", "INLINE", "LEFT_OUT", "LINKS", "MEDIA", "NodeArrays", "NodeValues", "StartTag", "TEXT", "counts_before",
    "depths", "integers", "is_hyperlink", "is_link_text", "nodes_with", "renumbered", "roots_outside", "subtree_flags",
    "subtree_positions", "subtree_sums", "without",
    # addresses
    "NO_PAGE_EXTENSIONS", "absolute", "canonical", "is_page_url", "join", "site_of",
    # texts and others
    "cached_property", "count_words",
]  # fmt: skip
