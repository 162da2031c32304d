"""What removal keeps of what belongs to a page: labels, values, unique tokens. Figures on the terminal.

    python bench/scripts/keep.py                  # everything
    python bench/scripts/keep.py shops swde       # some of: shops, swde, tokens, order

- shops: made shops (tests/made_shop.py), five orders of arrival: labels, values, own and frame texts that are in the
  cleaned page and in its main content; then the same shops with the words replaced by Chinese and by Japanese ones.
- swde: labelled values, and the label before each, in ../shared/corpora/swde.
- tokens: unique tokens at random places of pages of the saved sites, in text and in attributes that people read.
- order: pages of made shops and saved sites that the final templates of their crawl clean otherwise.

The pages are brought in order to the templates of their site as in a crawl, without a network. Labelled values in the
content outputs: the same with ``--content``. Snippets of WCXB are measured by ``templex-bench run``.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import gzip
import importlib
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from templex_scrapy import Page
from templex_scrapy.learning import Judged, NeedsVoters, SiteLearning
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import Match

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent.parent / "shared" if (ROOT.parent.parent / "shared").exists() else ROOT.parent / "shared"
sys.path[:0] = [str(SHARED / "tools"), str(ROOT / "tests")]
archive: Any = importlib.import_module("site_archive")
made_shop: Any = importlib.import_module("made_shop")

MADE, ORDERS, TOKENS = 20, 5, 100_000
_OPEN = re.compile(r"<(?:p|div|span|td|li|a|h\d)\b[^<>]*(?=>)")
_READ = ("title", "aria-label", "alt")

_HAN = "生活商品质量上下大小高中水火山石木花色白青新海风天光空家室衣食住行手心文化方法用料产地时间人力物气温度"
_KANJI = "生活商品質量上下大小高中水火山石木花色白青新海風天光空家室衣食住行手心文化方法用料産地時間人力物気温度"
_HIRAGANA = "いうえきくけしすせたつてなのはまみめもやらりるれわ"
_KATAKANA = "アイウオカキクケコサシスセタテトナフマムメラリルレワン"
# the forms that words have: the letters from which each letter is chosen
LANGUAGES: dict[str, tuple[tuple[str, ...], ...]] = {
    "English": (),
    "Chinese": ((_HAN, _HAN), (_HAN, _HAN), (_HAN, _HAN, _HAN)),
    "Japanese": ((_KANJI, _KANJI), (_KANJI, _KANJI, _HIRAGANA), (_KANJI, _HIRAGANA), (_KATAKANA,) * 4),
}
_TEXT = re.compile("(?<=>)[^<>]+(?=<)")
_WORD = re.compile("(?!kg\\b|[A-Z]+\\b)[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ']+")  # units and codes are none
_BLANK = re.compile("(?<=[\u3040-\u9fff]) +| +(?=[\u3040-\u9fff])")
_MARK = re.compile("(?<=[\u3040-\u9fff])[.:,?]")
_WIDE = {".": "\u3002", ":": "\uff1a", ",": "\uff0c", "?": "\uff1f"}


class Arrivals:
    """A site's pages, brought in order to its templates as a crawl does it that downloads faster than pages wait.

    Args:
        pages: the pages, in the order of their arrival.
        votes: as TEMPLEX_VOTES.
        search: whether pages may be searched for.
    """

    def __init__(self, pages: Sequence[Page], votes: int = 2, *, search: bool = True) -> None:
        self._pages = {page.url: page for page in pages}
        self._search = search
        self.site = SiteLearning(votes=votes)

    def __iter__(self) -> Iterator[Match]:
        waiting: list[Page] = []
        for page in self._pages.values():
            waiting.append(page)
            looking = waiting if self.site.is_complete else [page]
            if self.site.is_complete:
                self.site.voters_arrived()
            judged = {one: match for one in looking if (match := self._judge(one, wait=True)) is not None}
            yield from judged.values()
            waiting = [one for one in waiting if one not in judged]
        self.site.voters_arrived()
        for page in waiting:
            match = self._judge(page, wait=False)
            if match is not None:
                yield match

    def _judge(self, page: Page, *, wait: bool) -> Match | None:
        """Judge a page, with a search where a crawl would begin one; None if it waits."""
        may_search = self._search
        while not isinstance(verdict := self.site.judge(page, wait=wait, search=may_search), Judged):
            if isinstance(verdict, NeedsVoters):
                return None
            self.site.begin_search()
            search = SubdigraphSearch(page)
            while wanted := search.wanted():
                search.add(wanted[0], self._pages.get(wanted[0]))
            self.site.end_search(page, search.pages, loads=search.loads)
            may_search = False
        return verdict.match


def shops(*, content: bool) -> None:  # noqa: ARG001 - both are printed
    """Texts of made shops that are in the cleaned page and in its main content, by language."""
    for language in LANGUAGES:
        total, html, main = Counter[str](), Counter[str](), Counter[str]()
        for seed in range(MADE):
            shop = {url: in_language(made, language) for url, made in made_shop.Shop(seed).pages.items()}
            for order in range(ORDERS):
                pages = [Page(made.html, made.url) for made in shop.values()]
                random.Random(order).shuffle(pages)  # noqa: S311 - not for secrets
                for match in Arrivals(pages):
                    for position, what in made_shop.text_types(shop[match.page.url], match.page._arrays.texts):
                        total[what] += 1
                        html[what] += is_kept(match, position, content=False)
                        main[what] += is_kept(match, position, content=True)
        for what in ("label", "value", "own", "frame", "box"):
            kept = [f"{count[what]} ({count[what] / total[what]:.4f})" for count in (html, main)]
            print(f"shops {language:8} {what:5} of {total[what]}: kept {kept[0]}, in the content {kept[1]}")


def in_language(made: Any, language: str) -> Any:
    """Replace the words of a made page by words of a language, each by the same one everywhere.

    Attributes, digits and codes stay. Chinese and Japanese words have no blanks between them.
    """
    if not LANGUAGES[language]:
        return made

    def replaced(text: str) -> str:
        text = _WORD.sub(lambda word: word_in(language, word[0].lower()), text)
        return _MARK.sub(lambda mark: _WIDE[mark[0]], _BLANK.sub("", text))

    html = _TEXT.sub(lambda text: replaced(text[0]), made.html)
    return dataclasses.replace(made, html=html, texts=tuple((what, replaced(text)) for what, text in made.texts))


@functools.cache
def word_in(language: str, word: str) -> str:
    """Make up the word of a language that stands for an English one."""
    chance = random.Random(f"{language} {word}")  # noqa: S311 - not for secrets
    return "".join(map(chance.choice, chance.choice(LANGUAGES[language])))


def is_kept(match: Match, position: int, *, content: bool) -> bool:
    """Whether a text is in the output."""
    return position not in match.removable and (not content or not match.fits or position in match.content)


def swde(*, content: bool) -> None:
    """Labelled values and their labels."""
    folder = SHARED / "corpora" / "swde"
    for site, entries in json.loads((folder / "groups.json").read_text()).items():
        values = {entry["url"]: entry["values"] for entry in entries}
        total: Counter[tuple[str, bool]] = Counter()
        for match in Arrivals(shuffled(read(folder, entries)), search=False):
            texts = [
                (position, norm(text)) for position, text in enumerate(match.page._arrays.texts) if text is not None
            ]
            before = [-1, *(position for position, _ in texts)]
            for wanted in values[match.page.url].values():
                for index, (position, text) in enumerate(texts):
                    if text in map(norm, wanted):
                        total["values", is_kept(match, position, content=content)] += 1
                        if text.startswith(":"):
                            total["labels", is_kept(match, before[index], content=content)] += 1
        print(
            f"swde {site}: "
            + ", ".join(
                f"{w} lost {total[w, False]} of {total[w, True] + total[w, False]}" for w in ("values", "labels")
            )
        )


def shuffled(pages: Iterable[Page]) -> list[Page]:
    """The pages in a random order, the same one each time."""
    return sorted(pages, key=lambda page: random.Random(page.url).random())  # noqa: S311 - not for secrets


def norm(text: str) -> str:
    """Collapse white space."""
    return " ".join(text.split())


def read(folder: Path, entries: Iterable[dict[str, Any]]) -> list[Page]:
    """Read pages of a corpus."""
    return [
        Page(gzip.open(folder / "pages" / f"{entry['id']}.html.gz", "rt").read(), entry["url"]) for entry in entries
    ]


def tokens(*, content: bool) -> None:
    """Unique tokens in pages of the saved sites; also where a page is cleaned twice, and with one vote."""
    if content:
        return
    chance = random.Random("tokens")  # noqa: S311 - not for secrets
    put, lost = Counter[str](), Counter[str]()
    sites = list(saved_sites().values())
    while sum(put.values()) < TOKENS:
        pages = [mark(page, chance) for page in chance.choice(sites)]
        some = chance.sample(pages, min(16, len(pages)))
        arrivals = Arrivals([page for page, _ in some], chance.choice([1, 2]))
        marks_of = dict(some)
        for match in arrivals:
            page, marks = match.page, marks_of[match.page]
            again = arrivals.site.match(Page(match.clean.html, page.url)) if match.removable else match
            for token, where in marks.items():
                put[where] += 1
                lost[where] += token not in match.clean.html
                lost[f"{where}, cleaned twice"] += token in match.clean.html and token not in again.clean.html
    print("tokens put", dict(put), "lost", {where: count for where, count in lost.items() if count} or "none")


def mark(page: Page, chance: random.Random) -> tuple[Page, dict[str, str]]:
    """Put tokens at random places of a page, in texts and attributes that people read."""
    places = [found for found in _OPEN.finditer(page.text) if page.text.find("<body", found.start()) < 0]
    marks: dict[str, str] = {}
    parts, end = [], 0
    for found in sorted(chance.sample(places, min(12, len(places))), key=lambda found: found.start()):
        token = f"tok{chance.getrandbits(60):x}"
        where = chance.choice(("text", "text", *_READ, "fragment"))
        written = f"{found[0]}>{token} " if where == "text" else f'{found[0]} {where}="{token}">'
        if where == "fragment":
            written = f'{found[0]}><a href="/x#{token}">x</a>'
        marks[token] = where
        parts += [page.text[end : found.start()], written]
        end = found.end() + 1
    marked = Page("".join([*parts, page.text[end:]]), page.url)
    # a token in a script, or in an attribute that was there before, is no node
    shown = " ".join(text or "" for text in marked._arrays.texts) + " ".join(marked._arrays.tag_strings)
    return marked, {token: where for token, where in marks.items() if token in shown}


def saved_sites() -> dict[str, list[Page]]:
    """The pages of the saved sites."""
    found = {}
    for folder in sorted(path.parent for path in (SHARED / "sites").glob("*/site.json")):
        site = archive.SavedSite(folder)
        response = archive.HtmlResponse
        found[folder.name] = [Page.from_response(response(site.url(path), body=site.read(path))) for path in site.pages]
    return found


def order(*, content: bool) -> None:
    """Pages that the final templates of their crawl clean otherwise."""
    if content:
        return
    made = {f"shop {seed}": [Page(p.html, p.url) for p in made_shop.Shop(seed).pages.values()] for seed in range(8)}
    for name, sites in (("shops", made), ("sites", saved_sites())):
        pages = differ = 0
        for listed in sites.values():
            arrivals = Arrivals(shuffled(listed))
            first = {match.page: match.roots for match in arrivals}
            pages += len(first)
            differ += sum(arrivals.site.match(page).roots != roots for page, roots in first.items())
        print(f"order {name}: {differ} of {pages} pages differ from what the final templates give")


def main() -> None:
    """Run what the command line asks for."""
    measures = {"shops": shops, "swde": swde, "tokens": tokens, "order": order}
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", default=list(measures))
    parser.add_argument("--content", action="store_true", help="what the content outputs keep")
    arguments = parser.parse_args()
    for what in arguments.what:
        measures[what](content=arguments.content)


if __name__ == "__main__":
    main()
