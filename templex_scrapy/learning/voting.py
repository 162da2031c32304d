"""Choose the pages of a site that vote for which template, and make the templates."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from urllib.parse import urlsplit

from templex_scrapy.learning.budget import FREE_VOTES, MAX_LONE_VOTERS
from templex_scrapy.learning.events import TemplateTooLarge
from templex_scrapy.learning.sample import SampledPage
from templex_scrapy.page import Page, canonical
from templex_scrapy.template import FIT_RULES, Template, TemplateSet, common_share, least_nbytes, votes_for

# each voter costs a mapping
MAX_VOTERS = 12
"""Pages that vote for a template, at most. More voters change hardly any node."""

_FRAME = 0.1  # texts on a smaller share of the pages say nothing of a type


class Voting:
    """Makes the templates of a site from pages that vote.

    Args:
        votes: votes that a node needs where there are few voters, at least 1.
        max_template_bytes: bytes of the largest template that is made.
        report: called for each template that would be larger.

    Attributes:
        site_texts: the texts of the site (:func:`~templex_scrapy.votes.site_texts_of`); None until they are known.
        linked: text digests of pages that link each other. They vote first.
        voted: text digests of the pages of the last further sample. A type gets a template only if it has other pages.
    """

    def __init__(self, votes: int, max_template_bytes: int, report: Callable[[TemplateTooLarge], object]) -> None:
        self._votes = votes
        self._max_template_bytes = max_template_bytes
        self._report = report
        self.site_texts: Mapping[int, float] | None = None
        self.linked: frozenset[bytes] = frozenset()
        self.voted: frozenset[bytes] = frozenset()

    def of_sample(
        self, pages: list[SampledPage], *, reserve: Collection[SampledPage] = (), known: Iterable[Template] = ()
    ) -> tuple[list[Template], list[SampledPage]]:
        """Make a template for each type of the pages, and for each page that is alone, if there are enough voters.

        Args:
            pages: the pages of a sample, in an order that does not depend on that of their arrival.
            reserve: further pages that vote for pages that are alone.
            known: templates that serve pages already.

        Returns:
            The templates, and the pages of the types that have too few pages.
        """
        templates, few = self._of_types(pages)
        # imprint, contact form and jobs have a type each, and share the frame of their language
        templates += self._of_types(few, least_names=0)[0]
        types = TemplateSet([*known, *templates])
        # a frame's key page has the template of the frame
        keys = {template.key_url for template in templates}
        lone = [page for page in few if page.url not in keys and types.type_of(page.features) is None]
        frames = {page: frame for frame in by_type(pages, least_names=0) for page in frame} if lone else {}
        votes = FREE_VOTES + len(pages)
        # votes are few, so the page least like any template gets them first: of two lone pages, that without a frame
        for key in sorted(lone, key=lambda page: types.highest_likeness(page.features)):
            # only pages of the same language vote for the menu of a language
            of_frame = [page for page in frames[key] if page is not key]
            of_site = [page for page in (*pages, *reserve) if page is not key]
            candidates = of_frame if len(of_frame) >= FIT_RULES.fewest_pages else of_site
            voters = spread(candidates, MAX_LONE_VOTERS)[:votes]
            if len(voters) >= FIT_RULES.fewest_pages:
                votes -= len(voters)
                templates += self.of_page(key.page, voters, is_lone=True)
        return templates, few

    def _of_types(
        self, pages: list[SampledPage], least_names: float = FIT_RULES.common_names
    ) -> tuple[list[Template], list[SampledPage]]:
        """Make the template of each type that has new pages; return also the pages of types with too few pages."""
        templates: list[Template] = []
        few: list[SampledPage] = []
        for members in by_type(pages, least_names):
            if len(members) <= FIT_RULES.fewest_pages:
                few += members
            elif any(page.features.text_digest not in self.voted for page in members):
                key = most_typical(members)
                linked = [page for page in members if page is not key and page.features.text_digest in self.linked]
                unlinked = [page for page in members if page is not key and page not in linked]
                templates += self.of_page(key.page, [*linked, *spread(unlinked, MAX_VOTERS)][:MAX_VOTERS])
        return templates, few

    def of_page(self, key: Page, voters: Iterable[SampledPage], *, is_lone: bool = False) -> list[Template]:
        """Return the template of a key page; nothing if it is too large, or too few voters have something of it."""
        # of a page of 38,000 tags it is known before anybody votes
        if least_nbytes(key) <= self._max_template_bytes:
            pages = [voter.page for voter in voters]
            template = Template.from_pages(
                key, pages, votes_for(len(pages), self._votes), is_lone=is_lone, site_texts=self.site_texts
            )
            if len(template.page_urls) < FIT_RULES.fewest_pages:
                return []
            if template.nbytes <= self._max_template_bytes:
                return [template]
        self._report(TemplateTooLarge(key.url))
        return []


def shuffled(pages: Iterable[SampledPage]) -> list[SampledPage]:
    """Return pages in an order that depends on all of their texts, so that nobody can choose an address to come first.

    Who writes the pages of a wiki or a blog host would else fill all places of the voters.
    """
    pages = list(pages)
    key = hashlib.blake2b(b"".join(sorted(page.features.text_digest for page in pages)), digest_size=16).digest()

    def order(page: SampledPage) -> bytes:
        address = canonical(page.url) or page.url
        return hashlib.blake2b(address.encode("utf-8", "surrogatepass"), key=key, digest_size=8).digest()

    return sorted(pages, key=order)


def by_type(pages: Collection[SampledPage], least_names: float = FIT_RULES.common_names) -> list[list[SampledPage]]:
    """Group pages by type.

    A page is of the type of the page with which it has most in common, at least ``least_names`` of the names and
    ``FIT_RULES.common_texts`` of the texts of the site's frame; with ``least_names=0``, frames alone tell, as of a
    language. Only names and texts of several pages count. O(pages x types).
    """
    counts = Counter(name for page in pages for name in page.features.names)
    text_counts = Counter(text for page in pages for text in page.features.texts)
    least = max(2, _FRAME * len(pages))
    # "post-4711" is on a single page and says nothing about a type; a text on two pages of a hundred is of a series
    names = {name for name, count in counts.items() if count > 1}
    texts = {text for text, count in text_counts.items() if count >= least}
    types: list[tuple[frozenset[str], frozenset[int], list[SampledPage]]] = []
    for page in pages:
        of_names, of_texts = page.features.names & names, page.features.texts & texts
        best: tuple[float, list[SampledPage]] | None = None
        for other_names, other_texts, members in types:
            shared = common_share(of_names, other_names)
            # a short page has few of the frame's texts, and may share all of them with a long page
            fewer = min(len(of_texts), len(other_texts))
            # a page without a frame is of no type: eight, made on purpose, would outvote a type that has a frame
            shared_texts = len(of_texts & other_texts) / fewer if fewer else float(not texts)
            # by names the German edition is of the English type, by texts it is not
            is_near = shared >= least_names and shared_texts >= FIT_RULES.common_texts
            if is_near and (best is None or shared + shared_texts > best[0]):
                best = shared + shared_texts, members
        if best is not None:
            best[1].append(page)
        else:
            types.append((of_names, of_texts, [page]))
    return [members for _, _, members in types]


def most_typical(pages: Sequence[SampledPage]) -> SampledPage:
    """Return the page with most of the names and texts that half of the pages have: nobody votes for missing nodes."""
    counts = Counter(feature for page in pages for feature in (*page.features.names, *page.features.texts))
    common = {feature for feature, count in counts.items() if 2 * count >= len(pages)}
    return max(pages, key=lambda page: len(common & page.features.names) + len(common & page.features.texts))


def spread(pages: Iterable[SampledPage], most: int) -> list[SampledPage]:
    """Return up to ``most`` pages, from as many directories as possible: pages of a section share a submenu."""
    # twelve voters from /news/ alone would make the submenu of /news/ stable for all articles
    by_directory: dict[str, list[SampledPage]] = {}
    for page in pages:
        by_directory.setdefault(urlsplit(page.url).path.rpartition("/")[0], []).append(page)
    return [page for row in zip_longest(*by_directory.values()) for page in row if page is not None][:most]
