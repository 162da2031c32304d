"""A web that is made while it is asked for: one large site, or thousands of small ones, for crawls without a network.

A page is a function of its address and of the size of the web, so that nothing has to be kept. As a program it serves
the large site over HTTP on a free port, and says where; a line for each request goes to the log file.

    python tests/made_web.py --pages 2000 --log asked.txt
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse

LANGUAGES = ("en", "es", "de")
SECTIONS = ("articles", "products", "threads", "manual", "events")
"""Each has pages of a kind of its own; the sixth kind are the lists of all of them."""
LISTED = 20
"""Pages that a list shows."""
SITE = "https://big.test"

_LABELS = {
    "en": "Home Articles Products Forum Manual Events Loved Contact Imprint Privacy Search Previous Next Here".split(),
    "es": "Inicio Textos Productos Foro Guía Agenda Leído Contacto Aviso Privacidad Buscar Antes Luego Aquí".split(),
    "de": "Start Texte Waren Forum Handbuch Termine Gelesen Kontakt Impressum Datenschutz Suche Vor Nach Hier".split(),
}
_SYLLABLES = {
    "en": "ba con der est fi gar hol ing jet ker lo men nor ous pre qui ren sto ter un ver wil yor".split(),
    "es": "a bra ción do es fue gua ha ir ja llo mente no os pa que rro sol tra un vez yo zar".split(),
    "de": "auf be chen dorf ein fach gen heit isch jahr keit lich mund ner ober pfad quer rung schaft ufer".split(),
}


@lru_cache(maxsize=3)
def _words(language: str) -> tuple[str, ...]:
    chance = random.Random(f"words {language}")
    return tuple("".join(chance.choices(_SYLLABLES[language], k=chance.randint(2, 4))) for _ in range(3_000))


class Prose:
    """Words that a page alone has: the same for the same page, and cheap."""

    def __init__(self, language: str, seed: str) -> None:
        self._chance = random.Random(seed)
        self._words = _words(language)

    def words(self, number: int) -> str:
        """So many words."""
        return " ".join(self._chance.choices(self._words, k=number))

    def number(self, low: int, high: int) -> int:
        """A number in this range, both ends included."""
        return low + int(self._chance.random() * (high - low + 1))

    def paragraphs(self, number: int) -> str:
        """So many paragraphs."""
        lengths = (self.number(25, 60) for _ in range(number))
        return "".join(f"<p>{self.words(length).capitalize()}.</p>\n" for length in lengths)


@dataclass(frozen=True)
class _Place:
    """What an address of the large site means: a list (``number`` is its page, from 1) or a page of a section."""

    language: str
    section: str
    number: int
    is_list: bool

    @property
    def kind(self) -> str:
        if not self.section:
            return "home"
        return "list" if self.is_list else self.section


class BigSite:
    """One site of six kinds of pages, and a home page, in three languages.

    Every page has the menu of its language, a list of the most read pages of its section and a footer; lists lead to
    all pages, pages to their neighbours and to their twins in the other languages.

    Raises:
        ValueError: if the site would be too small to have every kind of page.
    """

    _PATH = re.compile(r"/(en|es|de)/(?:(articles|products|threads|manual|events)/(?:(page/)?(\d+)/)?)?")

    def __init__(self, pages: int, host: str = SITE) -> None:
        if pages < 33:
            message = f"{pages} pages are too few: the site has 33 and more"
            raise ValueError(message)
        self.size = pages
        self.host = host
        groups = [(language, section) for language in LANGUAGES for section in SECTIONS]
        share, rest = divmod(pages - len(LANGUAGES), len(groups))
        sizes = {group: share + (index < rest) for index, group in enumerate(groups)}
        self._lists = {group: -(-size // (LISTED + 1)) for group, size in sizes.items()}
        self._details = {group: size - self._lists[group] for group, size in sizes.items()}
        self._frames: dict[tuple[str, str], tuple[str, str]] = {}

    @property
    def start_urls(self) -> Iterator[str]:
        """The home page in English."""
        yield f"{self.host}/en/"

    @property
    def urls(self) -> Iterator[str]:
        """The addresses of all pages."""
        yield from (f"{self.host}/{language}/" for language in LANGUAGES)
        for is_list, counts in ((True, self._lists), (False, self._details)):
            for (language, section), most in counts.items():
                places = (_Place(language, section, number, is_list) for number in range(1, most + 1))
                yield from (self.host + self.path(place) for place in places)

    def place(self, url: str) -> _Place | None:
        """What an address means, or None."""
        found = self._PATH.fullmatch(url.removeprefix(self.host))
        if found is None:
            return None
        language, section, page, number = found.groups()
        if section is None:
            return _Place(language, "", 1, is_list=True)
        is_list = page is not None or number is None
        place = _Place(language, section, int(number or 1), is_list=is_list)
        most = (self._lists if is_list else self._details)[language, section]
        is_canonical = number is None or not (number[0] == "0" or (is_list and number == "1"))
        return place if place.number <= most and is_canonical else None

    def kind(self, url: str) -> tuple[str, str]:
        """Kind and language of the page at an address."""
        place = self.place(url)
        if place is None:
            raise KeyError(url)
        return place.kind, place.language

    def page(self, url: str) -> str | None:
        """The page at an address; None where there is none."""
        place = self.place(url)
        if place is None:
            return None
        if (place.language, place.section) not in self._frames:
            self._frames[place.language, place.section] = self._frame(place.language, place.section)
        before, after = self._frames[place.language, place.section]
        prose = Prose(place.language, f"{place.kind} {place.language} {place.section} {place.number}")
        title = f"{prose.words(4).capitalize()} {place.number}"
        content = _CONTENTS[place.kind](self, place, prose, title)
        return f"{before.replace('TITLE', title)}{self._switch(place)}{content}{after}"

    def _frame(self, language: str, section: str) -> tuple[str, str]:
        """What stands before and after the content on all pages of a section."""
        labels = _LABELS[language]
        menu = "".join(
            f'<li class="nav-item"><a class="nav-link" href="/{language}/{name}"><span class="icon"></span>{label}</a>'
            "</li>\n"
            for name, label in zip(("", *(f"{name}/" for name in SECTIONS)), labels, strict=False)
        )
        read = ""
        if section:
            most = min(8, self._details[language, section])
            read = "".join(
                f'<li class="read"><a href="/{language}/{section}/{number}/">'
                f"{Prose(language, f'read {section} {number}').words(5).capitalize()}</a></li>\n"
                for number in range(1, most + 1)
            )
            read = f'<aside class="side side-{section}"><h2>{labels[6]}</h2><ol>{read}</ol></aside>'
        footer = "".join(f"<li><span>{label} {Prose(language, label).words(3)}</span></li>" for label in labels[7:10])
        before = (
            f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8"><title>TITLE</title>'
            f'<link rel="stylesheet" href="/site.css"></head>\n<body class="{section or "home"}">'
            f'<header class="top"><div class="brand"><a href="/{language}/">Big Test {labels[0]}</a>'
            f"<p>{Prose(language, 'claim').words(6)}</p></div>"
            f'<form class="search" action="/none"><input name="q"><button>{labels[10]}</button></form>'
            f'<nav class="main"><ul>{menu}</ul></nav></header>\n<div class="wrap">'
        )
        after = (
            f'</div>\n{read}<footer class="bottom"><ul>{footer}</ul>'
            f"<p>{Prose(language, 'legal').words(30).capitalize()}.</p></footer></body></html>\n"
        )
        return before, after

    def _switch(self, place: _Place) -> str:
        links = "".join(
            f'<a hreflang="{language}" href="{self.path(twin)}">{language.upper()}</a>'
            for language in LANGUAGES
            if language != place.language
            and self.place(self.path(twin := _Place(language, place.section, place.number, place.is_list)))
        )
        return f'<div class="languages">{links}</div>'

    @staticmethod
    def path(place: _Place) -> str:
        """The path of a place."""
        section = f"{place.section}/" if place.section else ""
        if not place.is_list:
            return f"/{place.language}/{section}{place.number}/"
        return f"/{place.language}/{section}" + (f"page/{place.number}/" if place.number > 1 else "")

    def neighbours(self, place: _Place) -> str:
        """Links to the pages before and after."""
        labels = _LABELS[place.language]
        most = (self._lists if place.is_list else self._details).get((place.language, place.section), 1)
        links = "".join(
            f'<a class="{rel}" rel="{rel}" href="{self.path(replace(place, number=number))}">{label}</a>'
            for rel, label, number in (("prev", labels[11], place.number - 1), ("next", labels[12], place.number + 1))
            if 1 <= number <= most
        )
        return f'<p class="pager">{links}</p>'

    def listed(self, place: _Place) -> Iterator[str]:
        """The paths of the pages that a list shows."""
        if not place.section:
            for section in SECTIONS:
                yield f"/{place.language}/{section}/1/"
            return
        first = (place.number - 1) * LISTED + 1
        last = min(first + LISTED - 1, self._details[place.language, place.section])
        for number in range(first, last + 1):
            yield f"/{place.language}/{place.section}/{number}/"


def _list(site: BigSite, place: _Place, prose: Prose, title: str) -> str:
    teasers = "".join(
        f'<div class="teaser"><h3><a href="{path}">{prose.words(5).capitalize()}</a></h3>'
        f"<p>{prose.words(12)}.</p></div>\n"
        for path in site.listed(place)
    )
    return (
        f'<main class="list"><h1>{title}</h1><section class="teasers">{teasers}</section>'
        f"{site.neighbours(place)}</main>"
    )


def _article(site: BigSite, place: _Place, prose: Prose, title: str) -> str:
    return (
        f'<main class="article"><p class="crumbs">{_LABELS[place.language][13]}</p><h1>{title}</h1>'
        f'<p class="byline">{prose.words(2).title()}, {prose.number(1, 28)}.{prose.number(1, 12)}.2024</p>'
        f'<figure><img src="/img/{prose.number(1, 10**6)}.jpg" alt="{prose.words(3)}"><figcaption>{prose.words(9)}'
        f"</figcaption></figure>{prose.paragraphs(prose.number(5, 9))}{site.neighbours(place)}</main>"
    )


def _product(site: BigSite, place: _Place, prose: Prose, title: str) -> str:
    rows = "".join(
        f"<tr><th>{name}</th><td>{prose.words(3)} {prose.number(1, 900)}</td></tr>"
        for name in _words(place.language)[: prose.number(5, 8)]
    )
    return (
        f'<main class="product"><div class="shot"><img src="/img/p{place.number}.jpg" alt="{title}"></div>'
        f'<div class="buy"><h1>{title}</h1><p class="price">{prose.number(3, 999)}.{prose.number(10, 99)} EUR</p>'
        f'<button class="cart">{_words(place.language)[99]}</button></div><table class="facts">{rows}</table>'
        f'<div class="description">{prose.paragraphs(prose.number(2, 5))}</div>{site.neighbours(place)}</main>'
    )


def _thread(site: BigSite, place: _Place, prose: Prose, title: str) -> str:
    posts = "".join(
        f'<article class="post"><div class="author"><b>{prose.words(1)}{prose.number(1, 99)}</b>'
        f'<small>{prose.words(2)}</small></div><div class="message">{prose.paragraphs(prose.number(1, 2))}'
        "</div></article>\n"
        for _ in range(prose.number(3, 7))
    )
    return f'<main class="thread"><h1>{title}</h1><div class="posts">{posts}</div>{site.neighbours(place)}</main>'


def _manual(site: BigSite, place: _Place, prose: Prose, title: str) -> str:
    parts = "".join(
        f"<section><h2>{number}. {prose.words(3)}</h2>{prose.paragraphs(1)}"
        f"<pre><code>{prose.words(12)}</code></pre></section>"
        for number in range(1, prose.number(3, 6))
    )
    return (
        f'<main class="manual"><h1>{title}</h1><dl class="signature"><dt>{prose.words(1)}</dt>'
        f"<dd>{prose.words(9)}</dd></dl>"
        f"{parts}{site.neighbours(place)}</main>"
    )


def _event(site: BigSite, place: _Place, prose: Prose, title: str) -> str:
    times = "".join(
        f"<li><time>{prose.number(8, 21)}:{prose.number(10, 59)}</time> {prose.words(5)}</li>" for _ in range(5)
    )
    return (
        f'<main class="event"><h1>{title}</h1><div class="when"><span class="day">{prose.number(1, 28)}</span>'
        f'<span class="place">{prose.words(2)}</span></div><ul class="programme">{times}</ul>'
        f"{prose.paragraphs(prose.number(2, 4))}{site.neighbours(place)}</main>"
    )


_CONTENTS: dict[str, Any] = {
    "home": _list,
    "list": _list,
    "articles": _article,
    "products": _product,
    "threads": _thread,
    "manual": _manual,
    "events": _event,
}


class ManySites:
    """Many sites of at most ten pages each, of a menu and a design of their own."""

    PATHS = ("/", "/a/", "/b/", "/c/", "/a/1/", "/a/2/", "/b/1/", "/b/2/", "/c/1/", "/c/2/")
    _URL = re.compile(r"https://host(\d{6})\.test(/.*)")

    def __init__(self, hosts: int, pages: int = len(PATHS)) -> None:
        self.hosts = hosts
        self.size = hosts * pages
        self._paths = self.PATHS[:pages]

    @property
    def start_urls(self) -> Iterator[str]:
        """The home page of each site."""
        return (f"https://host{number:06}.test/" for number in range(self.hosts))

    @property
    def urls(self) -> Iterator[str]:
        """The addresses of all pages, a site between others."""
        return (f"{start[:-1]}{path}" for path in self._paths for start in self.start_urls)

    def page(self, url: str) -> str | None:
        """The page at an address; None where there is none."""
        found = self._URL.fullmatch(url)
        if found is None or int(found[1]) >= self.hosts or found[2] not in self._paths:
            return None
        host, path = found.groups()
        language = LANGUAGES[int(host) % 3]
        frame, prose = Prose(language, host), Prose(language, url)
        name, tags = frame.words(1), ("div", "section", "article")
        menu = "".join(f'<li class="m-{name}"><a href="{other}">{frame.words(2)}</a></li>' for other in self._paths[:4])
        below = [other for other in self._paths[4:] if path != "/" and other.startswith(path) and other != path]
        links = "".join(f'<p class="more"><a href="{other}">{prose.words(4)}</a></p>' for other in below)
        outer = tags[frame.number(0, 2)]
        return (
            f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>{prose.words(3)}</title></head>'
            "<body>"
            f'<div class="top {name}"><h2>{frame.words(3)}</h2><ul>{menu}</ul></div>'
            f'<{outer} class="main-{name}"><h1>{prose.words(5)}</h1>{prose.paragraphs(6)}{links}</{outer}>'
            f'<div class="bottom"><p>{frame.words(20)}</p><ul><li>{frame.words(2)}</li><li>{frame.words(2)}</li></ul>'
            "</div>"
            "</body></html>"
        )


def web_of(name: str) -> BigSite | ManySites:
    """The web that a setting names: ``site:100000`` (pages) or ``hosts:10000:3`` (hosts and pages of each)."""
    kind, *sizes = name.split(":")
    if (kind, len(sizes)) not in {("site", 1), ("hosts", 1), ("hosts", 2)} or not all(map(str.isdecimal, sizes)):
        message = f"{name!r} names no web: site:PAGES and hosts:HOSTS[:PAGES] do"
        raise ValueError(message)
    return BigSite(int(sizes[0])) if kind == "site" else ManySites(*map(int, sizes))


class MadeWebHandler(BaseDownloadHandler):
    """Answers every request from the web that the setting ``MADE_WEB`` names, and counts (``made_web/…``)."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._web = web_of(crawler.settings["MADE_WEB"])
        self._latency = crawler.settings.getfloat("MADE_WEB_LATENCY", 0.0)

    async def download_request(self, request: Request) -> Response:
        """Make the page."""
        # even the fastest server answers later, and others are asked meanwhile
        await asyncio.sleep(self._latency)
        began = time.thread_time()
        html = self._web.page(request.url.partition("#")[0])
        self.crawler.stats.inc_value("made_web/requests")
        self.crawler.stats.inc_value("made_web/seconds", time.thread_time() - began)  # type: ignore[arg-type]
        if html is None:
            return TextResponse(request.url, status=404, body=b"no page", headers={"Content-Type": "text/plain"})
        headers = {"Content-Type": "text/html; charset=utf-8"}
        return HtmlResponse(request.url, body=html.encode(), headers=headers, request=request)


def serve(pages: int, log: Path, latency: float) -> None:
    """Serve the large site over HTTP on this machine, as fast as threads go; print where a crawl begins."""
    site, lines = BigSite(pages, host=""), log.open("ab", buffering=0)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            # one write for each, so that a reader never sees half a line
            lines.write(f"{self.path}\n".encode())
            time.sleep(latency)
            html = site.page(self.path)
            body = b"no page" if html is None else html.encode()
            self.send_response(404 if html is None else 200)
            self.send_header("Content-Type", "text/plain" if html is None else "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the terminal for what is measured."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}{next(site.start_urls)}", flush=True)
    server.serve_forever(poll_interval=0.05)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the large site."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--latency", type=float, default=0.0)
    options = parser.parse_args(arguments)
    serve(options.pages, options.log, options.latency)


if __name__ == "__main__":
    main()
