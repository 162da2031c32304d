"""The numbers of the rules for content and removal, each with its unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What decides where the content is, and what is kept in it.

    Chosen on the development suites of ``templex-bench``; ``bench/scripts/ablate.py`` prints what each is worth.
    """

    # a story in <form class="comments"> is the content, whatever its box is called
    large_share: float = 0.7
    """Share of words that decides: a box with more is content, and one with more in links is a box of links."""

    # a list of <div class="sort"> would lose most of its words
    small_share: float = 0.3
    """Share of words that may go with small boxes; share in links that a long block has at most."""

    # <div>Tuesday</div> above the article must not keep the whole page around both
    nearly_all: float = 0.8
    """Share of the words, or of the unique texts outside links, that the element with the content contains."""

    # below "Rain." and nothing else, the readers' comments are what the page has to say
    article_words: int = 60
    """Words in long blocks that are an article: the page is prose, and readers' comments are beside it."""

    # in <div class="entry-content">, a third of a news page was a summary
    body_share: float = 0.4
    """Share of the words in long blocks that the declared body of an article has, at least."""

    # a front page has some long teasers as well, among hundreds of short ones
    prose_share: float = 0.12
    """Share of the words that are in long blocks on a page of prose."""

    # "Hail again", "Snow again": below a story they lead elsewhere, in an archive they are the content
    running_share: float = 0.4
    """Share of the words that are in long blocks where boxes of links are no content."""

    # "By Ann of the hills, Tuesday" is shorter, as are most menu entries and captions
    long_block: int = 10
    """Words of a long block, at least."""

    # "Country of origin", "Be the first to write a review"; a notice on delivery has more
    label_words: int = 8
    """Words of a label, a note or a price, at most."""

    # "by Ann, Bo and Cy" is still a line of text
    line_links: int = 3
    """Links in a line of text, at most."""

    # one link with words around it may be a sentence of the article
    box_links: int = 2
    """Links in a box of links, at least."""

    # a short article beside a long list of links is still most of its page
    link_weight: int = 4
    """Words in links that weigh as much as one outside."""

    # "Hail again", and its lead of a few sentences; a section of a manual has its links in sentences
    teaser_share: float = 0.15
    """Share of the words of a box behind a text that are in links that stand alone, at least."""

    # "Last change on 3 May" in the footer must not make the footer content
    outside_texts: int = 2
    """Own texts outside links that may be outside the content, at most: a date, a user's name."""

    # an article has a few as well, such as "By", "Published" and "Photo"
    fact_labels: int = 8
    """Labels with a unique value on a page of facts, such as a product's, at least."""

    # on one page the text may be missing, so that the next one follows the label
    differing_pages: int = 2
    """Other pages that have another text in the place of a value, at least."""


THRESHOLDS = Thresholds()
