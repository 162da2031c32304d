"""The fuzzer: sites of made pages and of mutated real ones, and what must hold for each of them.

Hypothesis shrinks a site that fails. ``tests/integration/test_fuzz.py`` runs it for a short while, or for
``FUZZ_SECONDS``.
"""

from __future__ import annotations

import html
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from helpers.made_sites import HOST, MENU
from helpers.strategies import PIECES, STARTS
from templex_scrapy import Page, Template, find_content, rank_links
from templex_scrapy.page import nodes_of
from templex_scrapy.render import OUTPUT_NAMES
from templex_scrapy.render.dates import written_day
from templex_scrapy.template import TemplateSet

SECONDS_FOR_A_PAGE = 2.0
SITE_SIZE = 8
_SITES = Path(__file__).resolve().parents[3] / "shared" / "sites"
_LARGEST = 40_000  # bytes of a real page
_WORD = re.compile(r"[A-Za-z0-9]{4,}")


@cache
def real_pages() -> list[list[str]]:
    """Small pages of each saved site."""
    found: list[list[str]] = []
    for folder in sorted(_SITES.glob("*/www")):
        files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size < _LARGEST)
        bodies = [body for path in files if b"<body" in (body := path.read_bytes()).lower()]
        if len(bodies) >= SITE_SIZE:
            found.append([Page(body, HOST).text for body in bodies[:20]])
    return found


_COMMON = """some words |<p>the same sentence on all pages</p>|<a href=/p1>link</a>|<br>|</p>|<h2>A heading</h2>|<main>
</main>|<article>|</article>|<nav>|</nav>|<aside>|<footer>|<form>|<label>|<dl><dt>Label:</dt><dd>|</dl>|<td>|<pre>
<ul><li>|<li>|<table><tr><th>Label<td>|<span>|</span>""".replace("\n", "|").split("|")


def _fragment(chance: Random) -> str:
    which = chance.random()
    if which < 0.9:
        return chance.choice(PIECES if which < 0.6 else _COMMON)
    return "".join(chr(chance.randrange(chance.choice([0x80, 0x500, 0xD800]))) for _ in range(chance.randint(0, 4)))


def _row(chance: Random) -> list[str]:
    return [_fragment(chance) for _ in range(chance.randint(0, 7))]


def made_site(chance: Random) -> list[str]:
    """Pages with a common frame, each with fragments and words of its own."""
    start, menu = chance.choice(STARTS), chance.choice([MENU, MENU, ""])
    before, after = "".join(_row(chance)), "".join(_row(chance))
    pages = []
    for number in range(SITE_SIZE):
        own = "".join(f"{fragment} own{number}word{k} " for k, fragment in enumerate([*_row(chance), ""]))
        pages.append(f"{start}{menu}{before}{own}{after}")
    return pages


def _mutated(chance: Random, text: str) -> str:
    for _ in range(chance.randint(0, 4)):
        kind = chance.choice(["insert", "delete", "double", "move"])
        start = chance.randint(0, len(text))
        end = min(start + chance.randint(0, 3_000), len(text))
        piece = _fragment(chance) if kind == "insert" else text[start:end]
        if kind in {"delete", "move"}:
            text = text[:start] + text[end:]
        if kind != "delete":
            to = chance.randint(0, len(text))
            text = text[:to] + piece + text[to:]
    return text


def site(chance: Random) -> list[str]:
    """A made site, or a quarter of the time pages of a saved site with changes, where there are any."""
    if not _SITES.exists() or chance.random() >= 0.25:
        return made_site(chance)
    pages = chance.choice(real_pages())
    first = chance.randint(0, len(pages) - SITE_SIZE)
    return [_mutated(chance, text) for text in pages[first : first + SITE_SIZE]]


def words(pages: list[Page]) -> set[str]:
    """The words of the texts of pages."""
    return {word for page in pages for text in nodes_of(page).texts if text for word in _WORD.findall(text)}


def check(texts: list[str]) -> None:
    """Do with the pages of a site all that is done with pages, and check it."""
    pages = [Page(text, f"{HOST}p{number}") for number, text in enumerate(texts)]
    found = [words([page]) for page in pages]
    with page_time(3):
        template = Template.from_pages(pages[0], pages[1:3])
    again = Template.from_dict(template.to_dict())
    for number, page in enumerate(pages):
        with page_time():
            match = TemplateSet([template]).match(page)
            # Markdown takes a third of the time: of the last page only
            names = [name for name in OUTPUT_NAMES if page is pages[-1] or "markdown" not in name]
            made = [getattr(match.clean, name) for name in names]
            rank_links(page)
        check_words(page, found[number].difference(*found[:number], *found[number + 1 :]), made[0], made[1])
    assert again.match(page).clean.html == made[0]
    find_content(page, pages)


def check_words(page: Page, unique: set[str], cleaned: str, text: str) -> None:
    """No word that this page alone has is lost, and none is invented."""
    left, written = words([Page(cleaned, page.url)]), html.unescape(cleaned)
    assert not (lost := [word for word in unique - left if word not in written]), f"lost: {lost}"
    joined = "".join(text.split())
    assert not (lost := [word for word in unique if word not in joined]), f"lost in the text: {lost}"
    known = words([page]) | set(_WORD.findall(html.unescape(page.text)))
    assert not (invented := left - known), f"invented: {invented}"


@contextmanager
def page_time(pages: int = 1) -> Iterator[None]:
    """Check the CPU time that so many pages take."""
    began = time.thread_time()
    yield
    assert time.thread_time() - began < pages * SECONDS_FOR_A_PAGE, "too slow"


def fuzz(seconds: float) -> int:
    """Try sites for so long, and return how many pages were tried; hypothesis prints the smallest site that fails."""
    written_day("14 thermidor 2020")  # libraries of dates load their data, which takes 1.4 s of CPU once in a process
    deadline, tried = time.monotonic() + seconds, 0

    def try_site(texts: list[str]) -> None:
        nonlocal tried
        tried += 1
        check(texts)

    phases, checks = [Phase.generate, Phase.shrink], list(HealthCheck)
    profile: Any = settings(
        max_examples=50, derandomize=False, database=None, deadline=None, phases=phases, suppress_health_check=checks
    )
    sites = st.randoms(use_true_random=False).map(site)
    while time.monotonic() < deadline:
        seed(tried)(profile(given(sites)(try_site)))()
    print(f"fuzzer: {tried * SITE_SIZE} pages tried, {tried} sites")
    return tried * SITE_SIZE
