"""The numbers of the rules for content and removal, each with its unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContentRules:
    """What decides where the content is, and what is kept in it.

    Chosen on the development suites of ``templex-bench``; ``bench/scripts/ablate.py`` prints what each is worth.
    """

    most: float = 0.7
    """Share of words that decides: a box with more is content, and one with more in links is a box of links."""

    nearly_all: float = 0.8
    """Share of the words, or of the own texts outside links, that the element with the content contains."""

    article: int = 60
    """Words in long blocks that are an article: the page is prose, and readers' comments are beside it."""

    prose: float = 0.12
    """Share of the words that are in long blocks on a page of prose."""

    running: float = 0.4
    """Share of the words that are in long blocks where boxes of links are no content."""

    long: int = 10
    """Words of a long block, at least."""

    small: int = 8
    """Words of a label, a note or a price, at most."""

    several: int = 3
    """Teasers in a row, at least; links in a line of text, at most."""

    box_links: int = 2
    """Links in a box of links, at least."""

    link_weight: int = 4
    """Words in links that weigh as much as one outside."""

    outside: int = 2
    """Own texts outside links that may be outside the content, at most: a date, a user's name."""

    facts: int = 8
    """Labels with a value of the page's own on a page of facts, such as a product's, at least."""

    differing: int = 2
    """Other pages that have another text in the place of a value, at least."""


RULES = ContentRules()
