"""Compare a saved page with the template of the site; print outputs and a summary."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse

from templex_scrapy.archives import HOST, ArchiveError, Record, read_file, read_folder, text_of
from templex_scrapy.commands.terminal import Progress
from templex_scrapy.figures import one_line, percent, share
from templex_scrapy.inspect import view
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import Page, site_of
from templex_scrapy.render import OUTPUT_NAMES
from templex_scrapy.stores import open_store
from templex_scrapy.template import Match, Template

if TYPE_CHECKING:
    from templex_scrapy.crawl import TemplexSettings

OUTPUTS = (*OUTPUT_NAMES, "json", "view")
"""Outputs of the command: an attribute of :class:`CleanPage`, all attributes as JSON, or the view."""

_IN_CHARSET_OF_PAGE = {"html", "content_document", "annotated_html", "template_html"}  # as the page may declare
_MOST_FILES = 5_000  # most files that are read in a folder


@dataclass(frozen=True, slots=True)
class PageResult:
    """A page compared with the template of the site.

    Attributes:
        why_not: why no template fits.
        compared: the number of pages read for the template, in words.
        encoding: the charset of the page.
    """

    match: Match
    why_not: str
    compared: str
    encoding: str

    @property
    def template_pages(self) -> list[str]:
        """The addresses of the other pages of the template."""
        template = self.match.template if self.match.fits else None
        urls = [] if template is None else [template.key_url, *template.page_urls]
        return [url for url in dict.fromkeys(urls) if url != self.match.page.url]

    def output(self, name: str) -> bytes:
        """Return an output of :data:`OUTPUTS`."""
        clean = self.match.clean
        if name == "view":
            return view(self.match).encode("utf-8")
        value: Any
        if name == "json":
            value = {
                "url": clean.url,
                "template_url": clean.template_url,
                "template_pages": self.template_pages,
                "reason": None if self.match.fits else self.why_not,
                "coverage": clean.coverage,
                "words": {"before": clean.words[0], "after": clean.words[1]},
                "menu": list(clean.menu),
                **{output: getattr(clean, output) for output in OUTPUT_NAMES},
            }
        else:
            value = getattr(clean, name)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        if name in _IN_CHARSET_OF_PAGE:
            # HTML parsers read character references where the charset lacks a character
            return text.encode(self.encoding, "xmlcharrefreplace")
        return f"{text.rstrip()}\n".encode("utf-8", "replace")

    def summary(self) -> str:
        """Describe the page and the template in a few lines."""
        match, (before, after) = self.match, self.match.clean.words
        rows = [("title", match.page.title)] if match.page.title else []
        rows.append(("template", f"{percent(len(match.nodes) / len(match.page))} of the page's nodes"))
        rows += [("" if number else "pages", url) for number, url in enumerate(self.template_pages)]
        words = f"{before:,} before, {after:,} after ({share(before, after)} removed)"
        if match.clean.kept_whole:
            words = f"{before:,}; nothing would be left, so the page is kept whole"
        after_this = "--output text prints the rest of the page; --output view shows why parts are removed"
        rows += [("words", words), ("compared", self.compared), ("next", after_this)]
        return "\n".join([one_line(match.page.url), *(f"  {label:<10}{one_line(text)}" for label, text in rows), ""])


def stored_templates(store: str | None, url: str) -> list[Template]:
    """Return the stored templates of the site of a page; StoreError if the store cannot be read, or is missing."""
    if store is None:
        return []
    # strict: a missing store is the user's mistake, and must not be made here
    with closing(open_store(store, strict=True)) as opened:
        return [stored.template for stored in opened.load(site_of(url) or "")]


def clean_saved(path: Path, settings: TemplexSettings, store: str | None, progress: Progress) -> PageResult:
    """Compare a saved page with ``TEMPLEX_MAX_LOADS`` pages in the folder at most, as ``templex clean`` does.

    The page of a folder is ``index.html``, or the first page. The folder of a page is the one above that is named like
    a host, or else the folder that the page is in.
    """
    above = path.absolute().parents
    folder = path if path.is_dir() else next((one for one in above if HOST.fullmatch(one.name)), above[0])
    file = folder / "index.html" if path.is_dir() else path
    records = (record for record in read_folder(folder) if isinstance(record, Record))
    first = next(records, None) if path.is_dir() and not file.is_file() else read_file(folder, file)
    if not isinstance(first, Record):
        raise ArchiveError(f"{path}: {'no HTML page in this folder' if first is None else first.why}")
    page = Page(text_of(first.html or "", first.charset), first.url)
    urls: list[str] = []

    def pages() -> Iterator[tuple[str, str]]:
        for record in islice(read_folder(folder), _MOST_FILES):
            if isinstance(record, Record) and record.html is not None and site_of(record.url) == site_of(page.url):
                urls.append(record.url)
                progress("Reading", f"{folder} ({len(urls):,} pages)")
                yield record.url, text_of(record.html, record.charset)

    cleaner = SiteCleaner.learn(
        pages(),
        preserve=settings.preserve,
        remove=settings.remove,
        templates=stored_templates(store, page.url),
        votes=settings.votes,
        sample=settings.max_loads,
    )
    why_not = "the other pages of the site in the folder have too little in common with the page"
    return PageResult(
        cleaner.match(page),
        "the folder has no other page of the site" if len(urls) < 2 else why_not,
        f"{min(len(urls), settings.max_loads):,} of {len(urls):,} pages in the folder",
        HtmlResponse(page.url, body=first.html if isinstance(first.html, bytes) else b"").encoding,
    )
