"""Items that are ready to use: values under labels, and chunks for retrieval. Figures on the terminal.

    python bench/scripts/ready.py fields        # labelled values of ../shared/corpora/swde
    python bench/scripts/ready.py retrieval  # chunks of the zoo and the saved sites; needs bm25s and trafilatura

- fields: of each attribute, pages on which the label that has it most often has the right value.
- retrieval: queries are five words of one text of a page that no other page has; hits are queries with a chunk of that
  page in the first five by BM25; repeated is the share of the runs of five words in these that half of the pages have.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator

import keep

from sample_project.chunks import chunks_of
from templex_scrapy import Page
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.render import CleanPage

QUERIES, FIRST, WORDS, LONG = 20, 5, 5, 10
_WORD = re.compile(r"\w+")


def fields() -> None:
    """Print recall and precision of the fields."""
    folder = keep.SHARED / "corpora" / "swde"
    for site, entries in json.loads((folder / "groups.json").read_text()).items():
        pages = keep.read(folder, entries)
        wanted = [{name: {_plain(text) for text in texts} for name, texts in e["values"].items()} for e in entries]
        _print_fields(f"swde {site}", pages, wanted)


def _print_fields(name: str, pages: list[Page], wanted: list[dict[str, set[str]]]) -> None:
    cleaner = SiteCleaner.learn(pages)
    total, given, right = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for page, values in zip(pages, wanted, strict=True):
        found = cleaner.match(page).clean.fields
        given.update(found.keys())
        total.update(values.keys())
        right.update((n, label) for n, texts in values.items() for label in found if _plain(found[label]) in texts)
    best = {name: max((key for key in right if key[0] == name), key=right.__getitem__, default=None) for name in total}
    hits = sum(right[key] for key in best.values() if key)
    answers = sum(given[key[1]] for key in best.values() if key)
    print(f"fields {name}: recall {hits / total.total():.3f}, precision {hits / max(1, answers):.3f}", end="; ")
    print(", ".join(f"{n} {right[key] if key else 0}/{total[n]}" for n, key in best.items()), flush=True)


def _plain(text: str) -> str:
    return " ".join(text.split()).lstrip(": ").casefold()


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
        for folder in sorted(path.parent for path in (keep.SHARED / suite).glob("*/site.json")):
            site = keep.archive.SavedSite(folder)
            pages = [Page(site.read(path), site.url(path)) for path in site.pages]
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
            print(
                f"retrieval {suite} {way}: {queries} queries, hits at {FIRST} {hits[way] / queries:.3f}, "
                f"repeated {repeated[way] / queries:.3f}, words {words[way]}",
                flush=True,
            )


def _queries(pages: list[Page], chance: random.Random) -> Iterator[tuple[int, str]]:
    texts = [{text for text in page._arrays.texts if text and len(_WORD.findall(text)) >= LONG} for page in pages]
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
    for what in sys.argv[1:]:
        {"fields": fields, "retrieval": retrieval}[what]()
