"""Web sites for tests, beside the demo site of the sample project.

- :func:`html_page` and :class:`Site`: pages of a menu, and a server for them; :func:`mirror`: such pages as files.
- :class:`BigSite` and :class:`ManySites`: one large site, or thousands of small ones, made while a crawl asks for them
  (:class:`MadeWebHandler`), without a network. A page is a function of its address and of the size of the web.
"""

from __future__ import annotations

import asyncio
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse

MENU = ["/", "/news/", "/shop/", "/about/", "/contact/"]
BANNER, FOOTER = "repeated banner", "Repeated footer"
WORDS = """
    river stone lantern harbour meadow copper violin orchard winter signal velvet marble canyon
    feather anchor saddle cinnamon glacier thunder pebble
""".split()


def html_page(path: str, *, menu: Iterable[str] | None = None, body: str = "", head: str = "") -> str:
    """A page with a menu and a footer that repeat, and an article of its own."""
    links = "".join(f'<li><a href="{url}">Section {url}</a></li>' for url in (MENU if menu is None else menu))
    seed = sum(map(ord, path))
    story = " ".join(WORDS[(seed * 7 + i * i) % len(WORDS)] for i in range(60))
    return (
        f"<!DOCTYPE html><html><head><title>{path}</title>{head}</head><body>"
        f'<header class="top"><p>Welcome to the repeated banner</p><ul class="menu">{links}</ul></header>'
        f'<main class="article"><h1>Headline of {path}</h1><p>Story {path}: {story}</p>{body}</main>'
        '<footer class="bottom"><p>Repeated footer with imprint and terms</p></footer></body></html>'
    )


@dataclass
class Reply:
    """The answer of a server to a path."""

    body: str | bytes = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


class Site:
    """A web site on a free port of this machine, with a log of the requests; ``otherwise`` answers other paths."""

    def __init__(self, otherwise: Callable[[str], Reply] = lambda _: Reply("not found", 404, "text/plain")) -> None:
        self.replies: dict[str, Reply | Callable[[str], Reply]] = {}
        self.log: list[str] = []
        self.headers: list[tuple[str, dict[str, str]]] = []
        self.lock, self.now, self.most = threading.Lock(), 0, 0  # requests at a time
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.log.append(self.path)
                site.headers.append((self.path, dict(self.headers.items())))
                reply = site.replies.get(self.path, otherwise)
                if callable(reply):
                    reply = reply(self.path)
                with site.lock:
                    site.now += 1
                    site.most = max(site.most, site.now)
                time.sleep(reply.delay)
                with site.lock:
                    site.now -= 1
                body = reply.body.encode() if isinstance(reply.body, str) else reply.body
                try:
                    self.send_response(reply.status)
                    length = {"Content-Type": reply.content_type, "Content-Length": str(len(body))}
                    for name, value in {**length, **reply.headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    return  # the client has given up

            do_POST = do_GET  # noqa: N815 - the name is the base class's

            def log_message(self, *_: object) -> None:
                """Keep the test output clean."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def add(self, path: str, reply: Any = None, **options: Any) -> None:
        """Put a page on the site: a reply, a function of the path, a body, or a page with menu and article."""
        reply = html_page(path, **options) if reply is None else reply
        self.replies[path] = Reply(reply) if isinstance(reply, str) else reply

    def fetches(self) -> Counter[str]:
        return Counter(self.log)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


NAMES = ("index", "news", "shop", "about")


def write(file: Path, source: str | bytes) -> Path:
    """Write a file, and the folders that it is in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(source.encode() if isinstance(source, str) else source)
    return file


def mirror(folder: Path, links: str = "{name}.html", *, head: str = "") -> Path:
    """Four pages that link to each other, one file for each; ``links`` is how a link to one is written."""
    menu = [links.format(name=name) for name in NAMES]
    for name in NAMES:
        write(folder / f"{name}.html", html_page(f"/{name}", menu=menu, head=head.format(name=name)))
    return folder


LANGUAGES = ("en", "es", "de")
SECTIONS = ("articles", "products", "threads", "manual", "events")
"""Each has pages of a kind of its own; the sixth kind are the lists of all of them."""
LISTED = 20  # pages that a list shows
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


_FIELD = re.compile(r"\{([wn])(\d+)(?:-(\d+))?\}")


@cache
def _words(language: str) -> tuple[str, ...]:
    chance = random.Random(f"words {language}")
    return tuple("".join(chance.choices(_SYLLABLES[language], k=chance.randint(2, 4))) for _ in range(3_000))


class Prose:
    """Words that a page alone has: the same for the same page, and cheap."""

    def __init__(self, language: str, seed: str) -> None:
        self._chance = random.Random(seed)
        self._words = _words(language)

    def words(self, number: int) -> str:
        return " ".join(self._chance.choices(self._words, k=number))

    def number(self, low: int, high: int) -> int:
        """A number in this range, both ends included."""
        return low + int(self._chance.random() * (high - low + 1))

    def fill(self, text: str) -> str:
        """A text with so many words for each ``{w5}`` and ``{w25-60}``, a number of the range for each ``{n1-28}``."""

        def field(found: re.Match[str]) -> str:
            low, high = int(found[2]), int(found[3] or found[2])
            number = self.number(low, high) if high > low else low
            return str(number) if found[1] == "n" else self.words(number)

        return _FIELD.sub(field, text)


class _Place(NamedTuple):
    """What an address of the large site means: a list (``number`` is its page, from 1) or a page of a section."""

    language: str
    section: str
    number: int
    is_list: bool

    @property
    def kind(self) -> str:
        return "home" if not self.section else "list" if self.is_list else self.section


class BigSite:
    """One site of six kinds of pages, and a home page, in three languages.

    Every page has the menu of its language, a list of the most read pages of its section and a footer; lists lead to
    all pages, pages to their neighbours and to their twins in the other languages. It has 33 pages and more.
    """

    _PATH = re.compile(r"/(en|es|de)/(?:(articles|products|threads|manual|events)/(?:(page/)?(\d+)/)?)?")

    def __init__(self, pages: int, host: str = SITE) -> None:
        self.size = pages
        self.host = host
        groups = [(language, section) for language in LANGUAGES for section in SECTIONS]
        share, rest = divmod(pages - len(LANGUAGES), len(groups))
        sizes = {group: share + (index < rest) for index, group in enumerate(groups)}
        self._lists = {group: -(-size // (LISTED + 1)) for group, size in sizes.items()}
        self._details = {group: size - self._lists[group] for group, size in sizes.items()}

    @property
    def start_urls(self) -> Iterator[str]:
        yield f"{self.host}/en/"

    @property
    def urls(self) -> Iterator[str]:
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
        most = (self._lists if is_list else self._details)[language, section]
        return _Place(language, section, int(number or 1), is_list) if int(number or 1) <= most else None

    def kind(self, url: str) -> tuple[str, str]:
        """Kind and language of the page at an address."""
        place = self.place(url)
        assert place is not None, url
        return place.kind, place.language

    def page(self, url: str) -> str | None:
        """The page at an address; None where there is none."""
        place = self.place(url)
        if place is None:
            return None
        before, after = self._frame(place.language, place.section)
        prose = Prose(place.language, f"{place.kind} {place.language} {place.section} {place.number}")
        title = f"{prose.words(4).capitalize()} {place.number}"
        kind = "list" if place.is_list else place.section
        start, part, times, end = _CONTENTS[kind]
        content = prose.fill(f"{start}{part * prose.number(*times)}{end}")
        if place.is_list:
            teasers = (prose.fill(_TEASER).replace("PATH", path) for path in self._listed(place))
            content = content.replace("LISTED", "".join(teasers))
        content = content.replace("TITLE", title).replace("HERE", _LABELS[place.language][13])
        before = before.replace("TITLE", title) + self._switch(place)
        return f'{before}<main class="{kind}">{content}{self._neighbours(place)}</main>{after}'

    @cache  # noqa: B019 - there are few sites
    def _frame(self, language: str, section: str) -> tuple[str, str]:
        """What stands before and after the content on all pages of a section."""
        labels = _LABELS[language]
        prose = Prose(language, f"frame {language}")
        paths = ("", *(f"{name}/" for name in SECTIONS))
        menu = "".join(
            f'<li class="nav-item"><a href="/{language}/{path}"><span class="icon"></span>{label}</a></li>'
            for path, label in zip(paths, labels, strict=False)
        )
        footer = "".join(f"<li><span>{label} {prose.words(3)}</span></li>" for label in labels[7:10])
        before = (
            f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8"><title>TITLE</title>'
            f'<link rel="stylesheet" href="/site.css"></head>\n<body class="{section or "home"}">'
            f'<header class="top"><div class="brand"><a href="/{language}/">Big Test {labels[0]}</a>'
            f"<p>{prose.words(6)}</p></div><form class='search' action='/none'><input name='q'><button>{labels[10]}"
            f'</button></form><nav class="main"><ul>{menu}</ul></nav></header>\n<div class="wrap">'
        )
        after = f'<footer class="bottom"><ul>{footer}</ul><p>{prose.words(30)}.</p></footer></body></html>\n'
        if not section:
            return before, f"</div>{after}"
        read = "".join(
            f'<li class="read"><a href="/{language}/{section}/{number}/">{prose.words(5)}</a></li>\n'
            for number in range(1, min(8, self._details[language, section]) + 1)
        )
        return before, f'</div><aside class="side side-{section}"><h2>{labels[6]}</h2><ol>{read}</ol></aside>{after}'

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
        section = f"{place.section}/" if place.section else ""
        if not place.is_list:
            return f"/{place.language}/{section}{place.number}/"
        return f"/{place.language}/{section}" + (f"page/{place.number}/" if place.number > 1 else "")

    def _neighbours(self, place: _Place) -> str:
        labels = _LABELS[place.language]
        most = (self._lists if place.is_list else self._details).get((place.language, place.section), 1)
        links = "".join(
            f'<a class="{rel}" rel="{rel}" href="{self.path(place._replace(number=number))}">{label}</a>'
            for rel, label, number in (("prev", labels[11], place.number - 1), ("next", labels[12], place.number + 1))
            if 1 <= number <= most
        )
        return f'<p class="pager">{links}</p>'

    def _listed(self, place: _Place) -> Iterator[str]:
        if not place.section:
            for section in SECTIONS:
                yield f"/{place.language}/{section}/1/"
            return
        first = (place.number - 1) * LISTED + 1
        last = min(first + LISTED - 1, self._details[place.language, place.section])
        for number in range(first, last + 1):
            yield f"/{place.language}/{place.section}/{number}/"


# of each kind of page what stands before and after a part, and how often the part comes; fields as Prose.fill has them
_PARAGRAPH = "<p>{w25-60}.</p>\n"
_POST = "<article class=post><b>{w1}{n1-99}</b><small>{w2}</small><div class=message><p>{w25-90}.</p></div></article>\n"
_FACT = "<tr><th>HERE</th><td>{w3} {n1-900}</td></tr>"
_CHAPTER = "<section><h2>{w3}</h2><p>{w25-60}.</p><pre><code>{w12}</code></pre></section>"
_TIME = "<li><time>{n8-21}:{n10-59}</time> {w5}</li>"
_CONTENTS = {
    "list": ("<h1>TITLE</h1><section class=teasers>", "", (0, 0), "LISTED</section>"),
    "articles": ("<h1>TITLE</h1><p class=byline>{w2}, {n1-28}.{n1-12}.2024</p><p>{w9}</p>", _PARAGRAPH, (5, 9), ""),
    "products": ("<div class=buy><h1>TITLE</h1>{n3-999} EUR</div><table>", _FACT, (5, 8), f"</table>{_PARAGRAPH * 3}"),
    "threads": ("<h1>TITLE</h1><div class=posts>", _POST, (3, 7), "</div>"),
    "manual": ("<h1>TITLE</h1><dl class=signature><dt>{w1}</dt><dd>{w9}</dd></dl>", _CHAPTER, (2, 5), ""),
    "events": ("<h1>TITLE</h1><div class=when>{n1-28} {w2}</div><ul>", _TIME, (5, 5), f"</ul>{_PARAGRAPH * 3}"),
}
_TEASER = '<div class="teaser"><h3><a href="PATH">{w5}</a></h3><p>{w12}.</p></div>\n'


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
        outer, body = tags[frame.number(0, 2)], prose.fill("<p>{w25-60}.</p>\n" * 6)
        return (
            f'<!DOCTYPE html><html lang="{language}"><head><title>{prose.words(3)}</title></head><body>'
            f'<div class="top {name}"><h2>{frame.words(3)}</h2><ul>{menu}</ul></div>'
            f'<{outer} class="main-{name}"><h1>{prose.words(5)}</h1>{body}{links}</{outer}>'
            f'<div class="bottom"><p>{frame.words(20)}</p><ul><li>{frame.words(4)}</li></ul></div></body></html>'
        )


def web_of(name: str) -> BigSite | ManySites:
    """The web that a setting names: ``site:100000`` (pages) or ``hosts:10000:3`` (hosts and pages of each)."""
    kind, *sizes = name.split(":")
    return {"site": BigSite, "hosts": ManySites}[kind](*map(int, sizes))


class MadeWebHandler(BaseDownloadHandler):
    """Answers every request from the web that the setting ``MADE_WEB`` names, and counts (``made_web/…``)."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._web = web_of(crawler.settings["MADE_WEB"])
        self._latency = crawler.settings.getfloat("MADE_WEB_LATENCY", 0.0)

    async def download_request(self, request: Request) -> Response:
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
