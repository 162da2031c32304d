"""The numbers that decide what a template says of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# with two votes of twelve, the note on an author would be removed below the three texts that he wrote
SHARE = 1 / 2
"""Share of many voters that must agree on a node, and of the pages of a site that have a text of the site."""


@dataclass(frozen=True, slots=True)
class FitRules:
    """When a page fits a template, when it is of the template's type, and when a node may be removed."""

    # pages of the same layout have nearly all; a page of another layout with the same header and footer has a half
    coverage: float = 0.7
    """Share of a template's stable nodes that a page needs to fit."""

    # a submenu that some sections of a site lack is not stable: a page without it fits as well as the others
    nearly_all: float = 0.85
    """Share of the pages of a template that need a node to make it stable."""

    # a single other page proves nothing: it may be the print version, or the next part of the same story
    fewest_pages: int = 2
    """Pages beside the key page without which nothing is removed."""

    # of three pages, all may have the same words by chance: three stories with "Read more"
    site_pages: int = 7
    """Pages without which nothing is said of the texts of a site."""

    # an article and a list of articles share the names of the frame, and not those of the content
    common_names: float = 0.7
    """Share of the names of two pages, or a page and a template, that both have if they are of the same type."""

    # the German version of an English page has the same names, and none of these texts
    common_texts: float = 0.5
    """Share of the short texts of a frame that a page in the same language has."""

    # class names that are ids, such as post-123, are unknown as well: what the template's pages have of them is added
    max_unknown_names: float = 0.3
    """Share of the names of a page that no template knows, above which the page may be of a new type."""

    # each alignment takes a third of the time of cleaning
    max_aligned: int = 3
    """Templates that a page is aligned with, at most."""


FIT_RULES = FitRules()


def votes_for(voters: int, votes_needed: int) -> int:
    """Return the votes that a node needs: at least the share :data:`SHARE` of the voters."""
    return max(votes_needed, int(SHARE * voters))


class VotesNeeded(NamedTuple):
    """How many pages of a template must agree on a node.

    Attributes:
        node: pages that must have the node, with the same value.
        stable: pages that must have the node to make it part of the frame.
        block: pages that must have a block somewhere.
    """

    node: int
    stable: int
    block: int
