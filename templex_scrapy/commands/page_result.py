"""Compare a saved page with the template of the site; print outputs and a summary."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse

from templex_scrapy.archives import (
    HOST,
    NO_HOST,
    ArchiveError,
    Record,
    Skipped,
    address_below,
    is_page_name,
    read_file,
    read_folder,
    text_of,
)
from templex_scrapy.commands.terminal import Progress, printable
from templex_scrapy.figures import percent, share
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
_MOST_PAGES = 5  # most pages of a template in the summary
_MOST_FILES = 5_000  # most files that are read in a folder


@dataclass(frozen=True, slots=True)
class PageResult:
    """A page compared with the template of the site.

    Attributes:
        label: the name of the page for people: the file or the address.
        why_not: why no template fits.
        compared: the number of pages read for the template, in words.
        encoding: the charset of the page.
    """

    match: Match
    label: str
    why_not: str
    compared: str
    encoding: str = "utf-8"

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
            return view(self.match, called=_name_of).encode("utf-8")
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
        match, (before, after), pages = self.match, self.match.clean.words, self.template_pages
        rows = [("title", match.page.title)] if match.page.title else []
        rows.append(("template", f"{percent(len(match.nodes) / len(match.page))} of the page's nodes"))
        rows += [("" if number else "pages", _name_of(url)) for number, url in enumerate(pages[:_MOST_PAGES])]
        if len(pages) > _MOST_PAGES:
            rows.append(("", f"and {len(pages) - _MOST_PAGES:,} more"))
        words = f"{before:,} before, {after:,} after ({share(before, after)} removed)"
        if match.clean.kept_whole:
            words = f"{before:,}; nothing would be left, so the page is kept whole"
        after_this = "--output text prints the rest of the page; --output view shows why parts are removed"
        rows += [("words", words), ("compared", self.compared), ("next", after_this)]
        return "\n".join([printable(self.label), *(f"  {label:<10}{printable(text)}" for label, text in rows), ""])


def _name_of(url: str) -> str:
    """Return the name of a page for people: the path in the folder, if the address is made up."""
    return (url.removeprefix(NO_HOST) or "index.html") if url.startswith(NO_HOST) else url


def stored_templates(store: str | None, url: str) -> list[Template]:
    """Return the stored templates of the site of a page.

    Raises:
        StoreError: if the store cannot be read, or is missing.
    """
    if store is None:
        return []
    # strict: a missing store is the user's mistake, and must not be made here
    with closing(open_store(store, strict=True)) as opened:
        return [stored.template for stored in opened.load(site_of(url) or "")]


def clean_saved(path: Path, settings: TemplexSettings, store: str | None, progress: Progress) -> PageResult:
    """Compare a saved page with ``TEMPLEX_MAX_LOADS`` pages in the folder at most, as ``templex clean`` does.

    The page of a folder is ``index.html``, or the first page.

    Raises:
        ArchiveError: if there is no page.
        OSError: if the file cannot be read.
        StoreError: if the store cannot be read.
    """
    folder = path if path.is_dir() else _folder_of(path)
    file = folder / "index.html" if path.is_dir() else path
    first: Record | Skipped | None
    if path.is_dir() and not file.is_file():
        first = next((record for record in read_folder(folder) if isinstance(record, Record)), None)
    else:
        first = read_file(folder, file)
    if not isinstance(first, Record):
        raise ArchiveError(f"{path}: {'no HTML page in this folder' if first is None else first.why}")
    page = Page(text_of(first.html or "", first.charset), first.url)
    # if the page declares an address that ends with the path of the file, the other pages are below the same address
    path_there = file.absolute().relative_to(folder.absolute())
    ends = (f"/{path_there.as_posix()}", f"/{address_below('', path_there.parts)}")
    base = next((f"{page.url.removesuffix(end)}/" for end in ends if page.url.endswith(end)), NO_HOST)
    urls: list[str] = []

    def pages() -> Iterator[tuple[str, str]]:
        for record in islice(read_folder(folder), _MOST_FILES):
            if isinstance(record, Record) and record.html is not None:
                url = record.url.replace(NO_HOST, base, 1)
                if site_of(url) == site_of(page.url):
                    urls.append(url)
                    progress("Reading", f"{folder} ({len(urls):,} pages)")
                    yield url, text_of(record.html, record.charset)

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
        str(file if file.is_file() else path),
        "the folder has no other page of the site" if len(urls) < 2 else why_not,
        f"{min(len(urls), settings.max_loads):,} of {len(urls):,} pages in the folder",
        HtmlResponse(page.url, body=first.html if isinstance(first.html, bytes) else b"").encoding,
    )


def _folder_of(file: Path) -> Path:
    """Return the folder of the site: a folder named like a host, or the highest above that has pages."""
    folder = file.absolute().parent
    named = next((above for above in (folder, *folder.parents) if HOST.fullmatch(above.name)), None)
    # the links of site/news/today.html lead to ../index.html; some folders may not be listed
    with suppress(PermissionError):
        while (
            named is None
            and folder != folder.parent
            and any(is_page_name(entry.name) for entry in folder.parent.iterdir())
        ):
            folder = folder.parent
    return named or folder
