"""The votes of pages on a key page, and the parts of each page that they remove."""

from templex_scrapy.votes.ballot import Ballot, take_votes
from templex_scrapy.votes.blocks import Blocks, flag_blocks
from templex_scrapy.votes.flags import (
    EQUAL,
    MOVED,
    PRESENT,
    REMOVABLE,
    any_of,
    positions_of,
    template_nodes,
    where,
    without_flag,
)
from templex_scrapy.votes.key_page import KeyPage, find_flags
from templex_scrapy.votes.removal import Removal, Removed, find_removal
from templex_scrapy.votes.rules import FIT_RULES, votes_for
from templex_scrapy.votes.site_texts import numbers_of_texts, site_texts_of

__all__ = [
    "EQUAL",
    "FIT_RULES",
    "MOVED",
    "PRESENT",
    "REMOVABLE",
    "Ballot",
    "Blocks",
    "KeyPage",
    "Removal",
    "Removed",
    "any_of",
    "find_flags",
    "find_removal",
    "flag_blocks",
    "numbers_of_texts",
    "positions_of",
    "site_texts_of",
    "take_votes",
    "template_nodes",
    "votes_for",
    "where",
    "without_flag",
]
