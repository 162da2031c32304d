"""Clean the stored pages of a site: learn the templates from a sample, then clean each page."""

from __future__ import annotations

import hashlib
import zlib
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self
from urllib.parse import urlsplit

from templex_scrapy.learning.site_learning import FIRST_SAMPLE, MAX_SAMPLE_BYTES, Judged, Patience, SiteLearning
from templex_scrapy.page import Page, ParseCache, canonical, decode_stored, is_too_large, release, site_of
from templex_scrapy.render import CleanPage
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import Match, Selectors, Template, TemplateSet, sound_templates

SAMPLE = 400
"""Pages that a site is learnt from: ten times those of a crawl's first sample, which are enough for one type."""

_PARSE_BYTES = 40_000_000  # so that 400 pages of 30 kB are read once; as estimated, which is more than they take
_VERSION = 1


class SiteCleaner:
    """Cleans the stored pages of one site, without a crawl.

    Args:
        templates: the templates of the site.
        preserve: CSS selectors of elements to keep, with their descendants and ancestors.
        remove: CSS selectors of elements to remove whatever other pages have, unless ``preserve`` keeps them.

    Raises:
        cssselect.SelectorError: if a selector is invalid.
    """

    def __init__(
        self, templates: Iterable[Template] = (), *, preserve: Iterable[str] = (), remove: Iterable[str] = ()
    ) -> None:
        self.templates = tuple(templates)
        self._selectors = Selectors(preserve, remove)
        self._set = TemplateSet(self.templates)

    @classmethod
    def learn(
        cls,
        pages: Iterable[Page | tuple[str, str | bytes]],
        *,
        preserve: Iterable[str] = (),
        remove: Iterable[str] = (),
        templates: Iterable[Template] = (),
        votes: int = 2,
        sample: int = SAMPLE,
    ) -> Self:
        """Learn the templates of a site from a sample of the pages, as a crawl does.

        Pages are chosen by a hash of their URLs, from as many directories as there are. So neither the order of the
        pages nor the number of those that are not chosen changes the result. Pages of the sample that link each other
        form complete subdigraphs; for the others, pages of their type vote.

        Args:
            pages: pages, or pairs of URL and HTML; bytes are read as stored pages. Only the sample stays in memory.
            preserve: as for the constructor.
            remove: as for the constructor.
            templates: known templates, such as those of a store. Nothing is learnt from pages that fit them.
            votes: votes that a node needs if there are few voters, at least 1.
            sample: pages of the sample, at least 1.

        Complexity:
            O(pages x log(sample)) to choose the sample, plus the cost of learning it. Memory: the sample.
        """
        chosen = _Spread(sample)
        for page in pages:
            url, html = (page.url, page.text) if isinstance(page, Page) else page
            chosen.offer(url, html)
        learning = SiteLearning(
            votes=votes, max_pages=sample, max_bytes=MAX_SAMPLE_BYTES * max(1, sample // FIRST_SAMPLE)
        )
        cache = ParseCache(_PARSE_BYTES)
        learning.add_stored(templates)
        _teach(learning, [Page(text, url, parse_cache=cache) for url, text in chosen], release)
        return cls(learning.templates, preserve=preserve, remove=remove)

    @classmethod
    def learn_held(
        cls,
        pages: Iterable[Page],
        *,
        preserve: Sequence[str] = (),
        remove: Sequence[str] = (),
        templates: Iterable[Template] = (),
    ) -> tuple[Self, dict[Page, Match]]:
        """Learn as :meth:`learn` does from at most :data:`SAMPLE` pages, none too large, that stay in memory.

        Returns:
            The cleaner, and the matches that :meth:`match` would return for most pages.
        """
        of_site = sorted((page for page in pages if site_of(page.url) is not None), key=lambda page: _order(page.url))
        if len({page.url for page in of_site}) < len(of_site):
            return cls.learn(of_site, preserve=preserve, remove=remove, templates=templates), {}
        learning = SiteLearning(max_pages=SAMPLE, max_bytes=MAX_SAMPLE_BYTES * (SAMPLE // FIRST_SAMPLE), hold=True)
        learning.add_stored(templates)
        matches = _teach(learning, of_site)
        # learning knows nothing of selectors
        is_same = not (preserve or remove)
        return cls(learning.templates, preserve=preserve, remove=remove), matches if is_same else {}

    def match(self, page: Page) -> Match:
        """Compare a page with the templates. If a template raises an error, leave it out.

        A page without a site fits no template; a page that is too large is not changed.
        """
        # to map and render such a page would take minutes
        if is_too_large(page.text):
            return Match(page)
        if site_of(page.url) is None:
            return Match(page, selectors=self._selectors)
        try:
            match = self._set.match(page, selectors=self._selectors)
            _ = match.removal  # a template that raises does so here
        except Exception as error:  # noqa: BLE001 - raised again if no template is at fault
            match = TemplateSet(sound_templates(self.templates, page, error)).match(page, selectors=self._selectors)
        return match

    def clean(self, pages: Iterable[Page | tuple[str, str | bytes]]) -> Iterator[CleanPage]:
        """Yield each page cleaned, in the order given, one at a time. The cleaner learns nothing from these pages."""
        for page in pages:
            yield self.match(page if isinstance(page, Page) else Page(_text(page[1]), page[0])).clean

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON or MessagePack."""
        return {
            "version": _VERSION,
            "preserve": [selector.css for selector in self._selectors.preserve],
            "remove": [selector.css for selector in self._selectors.remove],
            "templates": [template.to_dict() for template in self.templates],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make a cleaner from the data that :meth:`to_dict` returned.

        Raises:
            ValueError: if it is something else.
        """
        if data.get("version") != _VERSION:
            raise ValueError(f"version {data.get('version')!r} of a SiteCleaner; this is version {_VERSION}")
        try:
            templates = map(Template.from_dict, data["templates"])
            return cls(templates, preserve=data["preserve"], remove=data["remove"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"no data of a SiteCleaner: {error!r}") from error


def _teach(
    learning: SiteLearning, pages: list[Page], read: Callable[[Page], object] = lambda _: None
) -> dict[Page, Match]:
    """Let a site be learnt from pages, in an order that depends on nothing but the pages; call ``read`` with each.

    Returns:
        Matches that the templates, as they are at the end, would give as well.
    """
    by_length = sorted(pages, key=lambda page: (len(urlsplit(page.url).path), page.url))
    for page in by_length:
        learning.judge(page, patience=Patience.VOTERS)
        read(page)
    if by_length and not learning.templates:
        by_address = {address: page for page in pages for address in (page.url, canonical(page.url)) if address}
        learning.begin_search()
        # the page with the shortest path is likely the home page, and links to the menu's pages
        search = SubdigraphSearch(by_length[0])
        # links to pages that are not there are no candidates: in an archive they cannot be loaded
        for url in search.candidates:
            if url in by_address and not search.done:
                search.add(url, by_address[url])
        learning.end_search(search.key, search.pages, loads=search.loads)
    learning.learn()
    judged = []
    for page in pages:
        # a page that fits no template, such as the only contact form, gets a template of its own
        judged.append((page, learning.judge(page)))
        read(page)
    last = TemplateSet(learning.templates)
    return {
        page: verdict.match
        for page, verdict in judged
        if isinstance(verdict, Judged) and last.judges_alike(page, verdict.templates)
    }


class _Spread:
    """A sample of pages that is the same in any order of arrival.

    The pages of each directory are ranked by a hash of their addresses; those with the lowest ranks are kept, and of
    those with the same rank those with the lowest hashes. A dropped page could not return, because ranks only grow.
    """

    def __init__(self, max_pages: int) -> None:
        self._max_pages = max_pages
        self._directories: dict[str, list[tuple[bytes, str, bytes]]] = {}
        self._count = 0
        self._last: tuple[int, bytes] | None = None  # rank and hash of the last page, once the sample is full

    def offer(self, url: str, html: str | bytes) -> None:
        """Take a page, unless enough others rank before it, the page is too large, or the URL names no site."""
        if site_of(url) is None:
            return
        order = _order(url)
        # by hash alone, ten thousand articles would leave no room for the three pages of /about/
        directory = urlsplit(url).path.rpartition("/")[0]
        kept = self._directories.get(directory, [])
        rank = bisect_left(kept, (order, "", b""))
        if self._last is not None and (rank, order) > self._last:
            return
        text = _text(html)
        if is_too_large(text):
            return
        # pages with one address count once each, and the same page once
        entry = order, url, zlib.compress(text.encode("utf-8", "surrogatepass"), level=1)
        if entry in kept:
            return
        insort(self._directories.setdefault(directory, kept), entry)
        self._count += 1
        if self._count > self._max_pages:
            # the directory with most pages loses a page
            longest = max(self._directories, key=self._rank_of_last)
            self._directories[longest].pop()
            self._count -= 1
            if not self._directories[longest]:
                del self._directories[longest]
        if self._count == self._max_pages:
            self._last = max(map(self._rank_of_last, self._directories))

    def _rank_of_last(self, directory: str) -> tuple[int, bytes]:
        kept = self._directories[directory]
        return len(kept) - 1, kept[-1][0]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Iterate over URLs and sources, in the order of the hashes."""
        for _, url, packed in sorted(page for kept in self._directories.values() for page in kept):
            yield url, zlib.decompress(packed).decode("utf-8", "surrogatepass")


def _order(url: str) -> bytes:
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _text(html: str | bytes) -> str:
    return decode_stored(html) if isinstance(html, bytes) else html
