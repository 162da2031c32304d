"""The whole demo site: every path and its answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sample_project.demo_site.frame import JOURNAL_PATH, LATEST_PATH, document
from sample_project.demo_site.ledger import (
    LOST_PATH,
    journal_entry,
    journal_index,
    journal_path,
)
from sample_project.demo_site.material import Entry, load_entries
from sample_project.demo_site.pages import Edition, image_path
from sample_project.demo_site.wording import ENGLISH, SPANISH

_ROBOTS = "User-agent: *\nDisallow: /basket\nDisallow: /letter\n"


@dataclass(frozen=True, kw_only=True)
class DemoPage:
    """One HTML page of the demo site.

    Attributes:
        path: its path.
        kind: "home", "list", "article" or "product".
        language: "en" or "es".
        design: "river", or "ledger" in the journal.
        title: its headline.
        prose: the page's own text, in the notation of the material; empty on home and list pages.
        facts: HTML of what several products share and belongs to each of them; empty outside of the shop.
        html: the document.
    """

    path: str
    kind: str
    language: str
    design: str
    title: str
    prose: str
    html: str
    facts: str = ""


@dataclass(frozen=True, kw_only=True)
class DemoSite:
    """All addresses of the site.

    Attributes:
        pages: the HTML pages by path; `/` and `/index.html` are the same page.
        files: pictures and robots.txt by path, with their content types.
        redirects: from one path to another.
        lost: paths that pages link to and that do not exist.
    """

    pages: Mapping[str, DemoPage]
    files: Mapping[str, tuple[str, bytes]]
    redirects: Mapping[str, str]
    lost: frozenset[str]


def build_site() -> DemoSite:
    """Make the site in memory, the same bytes on each run."""
    english, spanish = (Edition(words) for words in (ENGLISH, SPANISH))
    pages = {page.path: page for page in _pages(english, spanish)}
    pages["/index.html"] = pages["/"]
    section, newest = english.newest()[0]
    return DemoSite(
        pages=pages,
        files=dict(_files(english)),
        redirects={LATEST_PATH: english.path(section, newest)},
        lost=frozenset({LOST_PATH}),
    )


def _pages(english: Edition, spanish: Edition) -> Iterator[DemoPage]:
    for edition, other in ((english, spanish), (spanish, english)):
        own_prose = {
            edition.path(key, entry): entry.body
            for group in (edition.articles, edition.products)
            for key, entries in group.items()
            for entry in entries
        }
        for view in edition.views(other):
            yield DemoPage(
                path=view.path,
                kind=view.kind,
                language=view.words.language,
                design="river",
                title=view.title,
                prose=own_prose.get(view.path, ""),
                html=document(view),
                facts=view.facts,
            )
    yield from _journal(load_entries("en", "journal"))


def _journal(entries: list[Entry]) -> Iterator[DemoPage]:
    yield DemoPage(
        path=JOURNAL_PATH,
        kind="list",
        language="en",
        design="ledger",
        title="The workshop journal",
        prose="",
        html=journal_index(entries),
    )
    for position, entry in enumerate(entries):
        yield DemoPage(
            path=journal_path(entry),
            kind="article",
            language="en",
            design="ledger",
            title=entry["title"],
            prose=entry.body,
            html=journal_entry(entries, position),
        )


def _files(edition: Edition) -> Iterator[tuple[str, tuple[str, bytes]]]:
    yield "/robots.txt", ("text/plain; charset=utf-8", _ROBOTS.encode())
    yield "/favicon.svg", ("image/svg+xml", _picture("favicon"))
    for group in (edition.articles, edition.products):
        for entries in group.values():
            for entry in entries:
                yield image_path(entry), ("image/svg+xml", _picture(entry.key))


def _picture(name: str) -> bytes:
    """Draw a plane whose colour follows from the name."""
    hue = hashlib.sha256(name.encode()).digest()[0]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360">'
        f'<rect width="640" height="360" fill="hsl({hue} 35% 60%)"/></svg>\n'
    ).encode()
