"""When a page fits a template, and when it is of the type of the template's pages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Fit(IntEnum):
    """How well a page fits a template."""

    NONE = 0
    """Too little of the template is found in the page: nothing is removed."""

    SHARED = 1
    """Enough of the template is found: the two share a frame."""

    SAME_TYPE = 2
    """Enough of it is found, and the page has the names and the texts of the template's pages."""


@dataclass(frozen=True, slots=True)
class FitRules:
    """The numbers that decide what a template says of a page."""

    # pages of one layout have nearly all of them; a page of another layout that shares header and footer has a half
    coverage: float = 0.7
    """Share of a template's stable nodes that a page needs to fit."""

    # a submenu that some sections of a site lack is not stable: a page without it fits as well as the others
    nearly_all: float = 0.85
    """Share of the pages of a template that need a node to make it stable."""

    # one other page proves nothing: it may be the print version, or the next part of the same story
    fewest_pages: int = 2
    """Pages beside the key page without which nothing is removed."""

    # "What links here" leads elsewhere on each page of a wiki; of three pages, all may have the same words by chance:
    # three stories with "Read more"
    link_voters: int = 6
    """Pages beside the key page from which on a link outside the content is removed for its words alone."""

    # an article and a list of articles share the names of the frame, and not those of the content
    common_names: float = 0.7
    """Share of the names of two pages, or a page and a template, that both have if they are of one type."""

    # the German version of an English page has the same names, and none of these texts
    common_texts: float = 0.5
    """Share of the short texts of a frame that a page in the same language has."""

    # class names that are ids, such as post-123, are unknown as well: what the template's pages have of them is added
    max_unknown_names: float = 0.3
    """Share of the names of a page that no template knows, above which the page may be of a type of its own."""

    # each alignment takes a third of the time of cleaning
    max_aligned: int = 3
    """Templates that a page is aligned with, at most."""


FIT_RULES = FitRules()
