"""Extractors of other projects: functions from the source and address of a page to the text of its main content.

The call is the first in the documentation of the extractor, or a comment gives the reason. Site-level extractors also
get source and address of other pages. The extras ``peers``, ``peers312`` (from Python 3.12 on) and ``readability`` have
the packages; a missing extractor is left out. Two peers are rules without a package.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import reduce
from importlib import import_module, metadata
from itertools import groupby

from templex_bench.measures.texts import of_nodes
from templex_scrapy.page import Page, nodes_of

Extract = Callable[..., str]
"""From the source of a page and its address to text; at the level of a site, from those of other pages as well."""

Others = Sequence[tuple[str, str]]
"""Source and address of other pages of the site."""

SHINGLE, RUN = 6, 12
"""Words that must recur together, and least length of a run that is removed, in the rule of mdream's crawler."""


@dataclass(frozen=True, slots=True)
class Peer:
    """An extractor of another project; a rule has no package. ``load`` raises ImportError if it is not installed."""

    name: str
    package: str
    load: Callable[[], Extract]
    extra: str = "peers"
    title: str = ""
    of_site: bool = False

    @property
    def version(self) -> str | None:
        """The version that is installed; None if none is, or it cannot be imported."""
        try:
            self.load()
            return metadata.version(self.package) if self.package else "a rule"
        except ImportError:  # or its subclass PackageNotFoundError
            return None


def _trafilatura() -> Extract:
    extract = import_module("trafilatura").extract
    return lambda html, url: extract(html, url=url) or ""


def _resiliparse() -> Extract:
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda html, _: extract(html, main_content=True)


def _readability() -> Extract:
    document, extract_text = import_module("readability").Document, import_module("html_text").extract_text
    return lambda html, url: extract_text(document(html, url=url).summary())


def _justext() -> Extract:
    justext = import_module("justext")
    # the language of a page is not known, so that the frequent words of all languages count
    stoplist: frozenset[str] = reduce(
        frozenset.union, map(justext.get_stoplist, sorted(justext.get_stoplists())), frozenset()
    )

    def extract(html: str, _: str) -> str:
        paragraphs = justext.justext(html.encode("utf-8", "replace"), stoplist, encoding="utf-8")
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return extract


def _boilerpy3() -> Extract:
    # it did better here than ArticleExtractor
    extractor = import_module("boilerpy3.extractors").DefaultExtractor(raise_on_failure=False)
    return lambda html, _: extractor.get_content(html)


def _html_text() -> Extract:
    extract_text = import_module("html_text").extract_text
    return lambda html, _: extract_text(html)


def _rs_trafilatura() -> Extract:
    extract = import_module("trafipy").extract
    # as in the crate; the package turns it on
    return lambda html, url: extract(html, url=url, favor_recall=False).text


def _magic_html() -> Extract:
    extractor, extract_text = import_module("magic_html").GeneralExtractor(), import_module("html_text").extract_text
    return lambda html, url: extract_text(extractor.extract(html, base_url=url)["html"])


def _deduplicate() -> Extract:
    """Trafilatura leaves out segments that it has seen on more than two pages, in the order of the calls."""
    extract, forget = import_module("trafilatura").extract, import_module("trafilatura.meta").reset_caches

    def last(html: str, url: str, others: Others) -> str:
        forget()
        for source, address in others:
            extract(source, url=address, deduplicate=True)
        return extract(html, url=url, deduplicate=True) or ""

    return last


def _deboiler() -> Extract:
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    deboiler, dataset = import_module("deboiler").Deboiler, import_module("deboiler.dataset").ListDataset
    # it changes the root logger when it is imported
    root.setLevel(level)
    root.handlers[:] = handlers

    def cleaned(html: str, url: str, others: Others) -> str:
        # its reader takes no str with an encoding declaration
        records = [
            {"url": address, "content": source.encode("utf-8", "replace")} for source, address in (*others, (html, url))
        ]
        pages = dataset(records, status_key=None, content_type_key=None, verbose=False)
        cleaner = deboiler(verbose=False)
        cleaner.fit(pages)
        text: str = cleaner.transform_page(url, pages).cleaned_text
        return text

    return cleaned


def _half_of_pages() -> Extract:
    def without_common(html: str, url: str, others: Others) -> str:
        key = Page(html, url)
        texts = [{_words(text) for text in nodes_of(page).texts if text} for page in (key, *_pages(others))]
        common = _on_half(texts)
        nodes = {at for at, text in enumerate(nodes_of(key).texts) if text and _words(text) not in common}
        return of_nodes(key, nodes)

    return without_common


def _shingles() -> Extract:
    def without_common(html: str, url: str, others: Others) -> str:
        pages = [_words(of_nodes(page, range(len(page)))) for page in (Page(html, url), *_pages(others))]
        common = _on_half([{words[at : at + SHINGLE] for at in range(len(words) - SHINGLE + 1)} for words in pages])
        words = pages[0]
        covered = bytearray(len(words))
        for at in range(len(words) - SHINGLE + 1):
            if words[at : at + SHINGLE] in common:
                covered[at : at + SHINGLE] = b"\1" * SHINGLE
        runs = ((bool(flag), list(run)) for flag, run in groupby(range(len(words)), covered.__getitem__))
        return " ".join(words[at] for flag, run in runs if not flag or len(run) < RUN for at in run)

    return without_common


def _pages(others: Others) -> Iterator[Page]:
    return (Page(source, address) for source, address in others)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _on_half(pages: Sequence[AbstractSet[tuple[str, ...]]]) -> frozenset[tuple[str, ...]]:
    """Return the items that at least half of the pages have, and at least two pages."""
    counts = Counter(item for page in pages for item in page)
    return frozenset(item for item, count in counts.items() if count >= max(2, len(pages) / 2))


PEERS: Mapping[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer("trafilatura", "trafilatura", _trafilatura),
        Peer("resiliparse", "resiliparse", _resiliparse),
        Peer("readability", "readability-lxml", _readability, "readability"),
        Peer("justext", "jusText", _justext),
        Peer("boilerpy3", "boilerpy3", _boilerpy3),
        Peer("html_text", "html-text", _html_text),
        Peer("rs-trafilatura", "trafipy", _rs_trafilatura, "peers312", title="rs-trafilatura"),
        Peer("magic-html", "magic-html", _magic_html, "peers312"),
        Peer("deboiler", "deboiler", _deboiler, of_site=True),
        Peer("deduplicate", "trafilatura", _deduplicate, title="trafilatura, deduplicate", of_site=True),
        Peer("half-of-pages", "", _half_of_pages, title="without texts on half of the pages", of_site=True),
        Peer("shingles", "", _shingles, title="without shingles on half of the pages (mdream's rule)", of_site=True),
    )
}
"""The peers by name."""
