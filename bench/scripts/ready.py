"""What a search finds in chunks of the pages of ../shared/zoo and ../shared/sites; needs bm25s and trafilatura.

Queries are five words of one text of a page that no other page has. Hits are queries with a chunk of that page in the
first five by BM25; repeated is the share of the runs of five words in these that half of the pages have.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator

from isolated import SHARED
from templex_bench.suites import open_suite

from sample_project.chunks import chunks_of
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import Page, nodes_of
from templex_scrapy.render import CleanPage

QUERIES, FIRST, WORDS, LONG = 20, 5, 5, 10
_WORD = re.compile(r"\w+")


def retrieval() -> None:
    """Print what a search by BM25 finds in chunks of raw pages, of trafilatura's text, and of ours."""
    import trafilatura  # noqa: PLC0415 - asked for by this measure alone

    chance = random.Random("retrieval")  # noqa: S311 - not for secrets
    ways: dict[str, Callable[[CleanPage], str]] = {
        "raw": lambda clean: str(trafilatura.html2txt(clean.source)),
        "trafilatura": lambda clean: trafilatura.extract(clean.source, output_format="markdown") or "",
        "markdown": lambda clean: clean.markdown,
        "content_markdown": lambda clean: clean.content_markdown,
    }
    for suite in ("zoo", "sites"):
        queries, hits, words = 0, Counter[str](), Counter[str]()
        repeated = dict.fromkeys(ways, 0.0)
        for site in open_suite(SHARED / suite).sites:
            pages = [site.saved(site.url(path)) for path in sorted(site.paths)]
            cleaner = SiteCleaner.learn(pages)
            cleans = [cleaner.match(page).clean for page in pages]
            asked = list(_queries(pages, chance))
            queries += len(asked)
            for way, text_of in ways.items():
                texts = [text_of(clean) for clean in cleans]
                words[way] += sum(len(text.split()) for text in texts)
                found, again = _search(texts, asked)
                hits[way] += found
                repeated[way] += again
        for way in ways:
            shares = f"hits at {FIRST} {hits[way] / queries:.3f}, repeated {repeated[way] / queries:.3f}"
            print(f"retrieval {suite} {way}: {queries} queries, {shares}, words {words[way]}", flush=True)


def _queries(pages: list[Page], chance: random.Random) -> Iterator[tuple[int, str]]:
    texts = [{text for text in nodes_of(page).texts if text and len(_WORD.findall(text)) >= LONG} for page in pages]
    on = Counter(text for one in texts for text in one)
    own = [(number, text) for number, one in enumerate(texts) for text in sorted(one) if on[text] == 1]
    for number, text in chance.sample(own, min(QUERIES, len(own))):
        yield number, " ".join(chance.sample(_WORD.findall(text), WORDS))


def _search(texts: list[str], queries: list[tuple[int, str]]) -> tuple[int, float]:
    import bm25s  # noqa: PLC0415 - asked for by this measure alone

    chunks = [(number, chunk["text"]) for number, text in enumerate(texts) for chunk in chunks_of("", "", text)]
    on = Counter(run for text in texts for run in set(_runs(text)))
    index = bm25s.BM25()
    index.index(bm25s.tokenize([text for _, text in chunks], show_progress=False), show_progress=False)
    hits, repeated = 0, 0.0
    for number, query in queries:
        tokens = bm25s.tokenize(query, show_progress=False)
        first = index.retrieve(tokens, k=min(FIRST, len(chunks)), show_progress=False)[0][0]
        hits += any(chunks[at][0] == number for at in first)
        runs = [run for at in first for run in _runs(chunks[at][1])]
        repeated += sum(2 * on[run] >= len(texts) for run in runs) / max(1, len(runs))
    return hits, repeated


def _runs(text: str) -> list[tuple[str, ...]]:
    words = _WORD.findall(text)
    return [*zip(*(words[start:] for start in range(WORDS)), strict=False)]


if __name__ == "__main__":
    retrieval()
