"""Extractors of other projects, each as one function from a page's source and address to the text of its main content.

Each is called as its documentation shows first, except where a comment says otherwise, and gets nothing but a page's
source and address. They come with the extras ``peers`` and ``readability``; those that are missing are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from importlib import import_module, metadata

Extract = Callable[[str, str], str]
"""From the source of a page and its address to text."""


@dataclass(frozen=True, slots=True)
class Peer:
    """An extractor of another project.

    Attributes:
        name: its name in the results.
        package: its name on the package index.
        load: imports it and returns the function; ImportError if it is not installed.
        extra: the extra of the bench that it comes with.
    """

    name: str
    package: str
    load: Callable[[], Extract]
    extra: str = "peers"

    @property
    def version(self) -> str | None:
        """The version that is installed; None if none is, or it cannot be imported."""
        try:
            self.load()
            return metadata.version(self.package)
        except ImportError:  # PackageNotFoundError is one
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


PEERS: Mapping[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer("trafilatura", "trafilatura", _trafilatura),
        Peer("resiliparse", "resiliparse", _resiliparse),
        Peer("readability", "readability-lxml", _readability, "readability"),
        Peer("justext", "jusText", _justext),
        Peer("boilerpy3", "boilerpy3", _boilerpy3),
        Peer("html_text", "html-text", _html_text),
    )
}
"""The peers by name."""
