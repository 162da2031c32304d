"""What each rule for the main content is worth: word F1 of the content without it, and with each number moved.

    TEMPLEX_COMPILED=0 python bench/scripts/ablate.py ../shared/wcxb ../shared/corpora/big9 ../shared/sites
    TEMPLEX_COMPILED=0 python bench/scripts/ablate.py ../shared/zoo ../shared/wide --pages 300

A rule is switched off, and a number is moved a quarter down and up. The differences to all rules are printed by suite,
with the number of sites that a change makes better or worse by more than .005. The folders are suites of
``templex-bench``, measured with ``find_content``; or ``zoo`` and ``wide``, whose pages are cleaned by ``SiteCleaner``:
word F1 of content and ``html`` (two columns) by the zoo's gold standard, in which lost labels count, and the share of
repeated words that is removed from the wide sites.
Of each at most so many key pages are read, spread over the sites.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from functools import cache, partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any
from unittest.mock import patch

import isolated  # noqa: F401 - finds tests/
from helpers.borders import moved
from templex_bench.candidates import HYPERLINK_ANALYSIS, SIBLINGS, compare
from templex_bench.measures.scores import score_counts, words_of
from templex_bench.suites import Site, open_suite
from templex_bench.suites.model import text_of

from templex_scrapy.compiled import IS_COMPILED
from templex_scrapy.content import (
    KeptParts,
    content_region,
    content_root,
    find_content,
    kept_repetitions,
    main_content,
)
from templex_scrapy.content.head import Head
from templex_scrapy.content.outline import Outline
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.learning import SiteCleaner
from templex_scrapy.page import Page
from templex_scrapy.template import Match

PAGES = 150
SIZE = 8  # pages that are compared, the key page included
TELLING = 0.005
FEWEST = 5  # words of the content of a page of the zoo


def _giving(value: Any) -> Callable[..., Any]:
    """Return a function that returns a value, or its first argument for ``...``, whatever its arguments are."""
    return lambda *given, **_: given[0] if value is ... else value


Patch = tuple[tuple[Any, str, Any], ...]


def _without_boxes(*kinds: str) -> Patch:
    """Remove no boxes of some kinds; the outline of a page is made once for all changes."""

    def without(function: Callable[..., Any], outline_of: Callable[[Any], Outline]) -> Callable[..., Any]:
        def call(first: Any, *others: Any, **options: Any) -> Any:
            before = {kind: list(getattr(outline_of(first), kind)) for kind in kinds}
            for kind in kinds:
                getattr(outline_of(first), kind).clear()
            found = function(first, *others, **options)
            for kind in kinds:
                getattr(outline_of(first), kind).extend(before[kind])
            return found

        return call

    remove = without(content_root.without_boxes, lambda words: words.outline)
    beside = without(content_region.find_beside, lambda own: own.outline)
    return ((main_content, "without_boxes", remove), (kept_repetitions, "find_beside", beside))


SWITCHED_OFF: dict[str, Patch] = {
    "declared boxes": _without_boxes("declared"),
    "named boxes": _without_boxes("named"),
    "readers' comments": _without_boxes("comments", "reviews"),
    "declared body": ((main_content, "declared_body", _giving(0)),),
    "document of the title": ((content_root, "_document", _giving(0)),),
    "way down": ((content_root, "_lowest", lambda _, root, *__, **___: root),),
    "prose": ((content_root, "is_prose", _giving(0)),),
    "boxes of links": ((main_content, "without_boxes_of_links", _giving(...)),),
    "boxes inside a text": ((main_content, "without_boxes_inside", _giving(...)),),
    "teasers behind a text": ((main_content, "without_teasers", _giving(...)),),
    "headline": (
        (main_content, "find_headline", _giving(-1)),
        (content_region, "find_headline", _giving(-1)),
        (content_root, "_document", _giving(0)),
    ),
    "between headline and root": ((main_content, "texts_between", _giving([])),),
    "forums": ((Head, "is_forum", False),),
    "facts": ((main_content, "find_facts", _giving([])),),
    "values": ((KeptParts, "_keep_values", _giving(None)),),
    "lines": ((KeptParts, "_keep_lines", _giving(None)),),
    "small parts": ((KeptParts, "_keep_small_parts", _giving(None)),),
}


@contextmanager
def patched(changed: Patch) -> Iterator[None]:
    """Set attributes, and what they were before at the end."""
    with ExitStack() as stack:
        for owner, name, value in changed:
            stack.enter_context(patch.object(owner, name, value))
        yield


def changes() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of each change, and what makes it."""
    yield "all rules", lambda: patched(())
    for name, changed in SWITCHED_OFF.items():
        yield name, lambda changed=changed: patched(changed)  # type: ignore[misc]
    for field in fields(THRESHOLDS):
        for factor in (0.75, 1.25):
            yield f"`{field.name}` x {factor:g}", lambda name=field.name, factor=factor: moved(THRESHOLDS, name, factor)  # type: ignore[misc]


def measure(site: Site, urls: list[str]) -> dict[str, list[float]]:
    """Return the word F1 of each key page with a gold standard, by change."""
    found: dict[str, list[float]] = defaultdict(list)
    fetch, selection = cache(site.fetch), HYPERLINK_ANALYSIS if site.linked else SIBLINGS
    for url in urls:
        key = site.key_page(url)
        gold = key.gold.text
        if gold is None and key.gold.content is not None:
            gold = text_of(key.page, key.gold.content)
        if gold is None:
            continue
        pages = compare(site, key.page, fetch, size=SIZE, selection=selection).pages
        for name, change in changes():
            with change():
                text = text_of(key.page, find_content(key.page, pages))
            found[name].append(score_counts(words_of(text), words_of(gold)).f1 or 0.0)
    return found


def measure_cleaned(site: Site, paths: list[str], *, html: bool = False) -> dict[str, list[float]]:
    """Return the score of each page of a site of ``zoo`` or ``wide``, by change."""
    pages = {path: site.saved(site.url(path)) for path in site.paths}
    cleaner = SiteCleaner.learn(pages.values())
    is_zoo = (site.folder.parent / "gold.jsonl").exists()
    score = zoo_score(site, html=html) if is_zoo else wide_score(pages.values())
    found: dict[str, list[float]] = defaultdict(list)
    for path in paths:
        match = cleaner.match(pages[path])
        if score(path, match) is None:
            continue
        for name, change in changes():
            with change():
                found[name].append(score(path, Match(pages[path], match.alignments)) or 0.0)
    return found


def zoo_score(site: Site, *, html: bool) -> Callable[[str, Match], float | None]:
    """Return what gives the word F1 of content or ``html`` of a page, as ``measure_zoo.py``; None without content."""
    tool = importlib.import_module("measure_zoo")
    lines = (site.folder.parent / "gold.jsonl").read_text("utf-8").splitlines()
    gold = {page["page"]: page["nodes"] for page in map(json.loads, lines)}

    def score(path: str, match: Match) -> float | None:
        words, counts = tool.keyed(match.page.text)
        by_class: defaultdict[str, Counter[str]] = defaultdict(Counter)
        left = iter(words)
        for runs, count in zip(gold[path], counts, strict=True):
            of = [name for number, name in runs for _ in range(number)]
            for name in of if len(of) == count else [max(runs)[1] if runs else "frame"] * count:
                by_class[name][next(left)[0]] += 1
        if len(counts) != len(gold[path]):
            return None

        def total(names: Iterable[str]) -> Counter[str]:
            return sum((by_class[name] for name in names), Counter())

        if total(tool.CONTENT).total() < FEWEST:
            return None
        if html:
            kept = Counter(word for word, *_ in tool.keyed(match.clean.html)[0])
            return float(tool.f1(kept, total(tool.KEPT), total(("around", "dup", "other"))))
        found = Counter(tool.words(text_of(match.page, match.content)))
        return float(tool.f1(found, total(tool.CONTENT), total(tool.NEUTRAL)))

    return score


def wide_score(pages: Iterable[Page]) -> Callable[[str, Match], float | None]:
    """Return what gives the share of repeated words that are removed from a page, as ``measure_wide.py`` does."""
    tool = importlib.import_module("measure_wide")
    distinct = {tuple(tool.texts(page.text)) for page in pages}
    on = Counter(text for page in distinct for text in set(page))
    least = max(3, len(distinct) / 2)

    def repeated(html: str) -> int:
        return sum(len(tool.words(text)) for text in tool.texts(html) if on[text] >= least)

    def score(_: str, match: Match) -> float | None:
        before = repeated(match.page.text)
        return 1 - repeated(match.clean.html) / before if before else 1.0

    return score


def spread_over(pages: Iterable[tuple[Any, Iterable[str]]], most: int) -> list[tuple[Any, list[str]]]:
    """Return the sites with their first pages: of each site the first, then of each the second, and so on."""
    turns = zip_longest(*([(site, url) for url in urls] for site, urls in pages))
    chosen: dict[str, tuple[Any, list[str]]] = {}
    for site, url in islice((one for turn in turns for one in turn if one is not None), most):
        chosen.setdefault(site.name, (site, []))[1].append(url)
    return list(chosen.values())


def _hash(path: str) -> bytes:
    return hashlib.blake2b(path.encode()).digest()


def main() -> None:
    """Measure the suites that are named, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", type=Path)
    parser.add_argument("--pages", type=int, default=PAGES, help="key pages of a suite (default: %(default)s)")
    arguments = parser.parse_args()
    if IS_COMPILED:
        parser.error("set TEMPLEX_COMPILED=0: rules that are compiled cannot be switched off")
    means: dict[str, dict[str, float]] = {}
    better, worse = defaultdict[str, int](int), defaultdict[str, int](int)
    for folder in arguments.suites:
        name_of_suite = "/".join(folder.resolve().parts[-2:])
        measured: dict[str, Callable[[Any, list[str]], dict[str, list[float]]]] = {name_of_suite: measure}
        pages: list[tuple[Any, Iterable[str]]]
        if folder.name in {"zoo", "wide"}:
            sys.path.insert(0, str(folder.resolve().parent / "tools"))
            # a hash: the first pages by name are home pages and lists
            pages = [(site, sorted(site.paths, key=_hash)) for site in open_suite(folder).sites]
            measured = {name_of_suite: measure_cleaned}
            if folder.name == "zoo":
                measured[f"{name_of_suite} html"] = partial(measure_cleaned, html=True)
        else:
            pages = [(site, site.key_urls) for site in open_suite(folder).sites]
        jobs = spread_over(pages, arguments.pages)
        print(f"{name_of_suite}: {len(jobs)} sites", file=sys.stderr, flush=True)
        for column, function in measured.items():
            with ProcessPoolExecutor() as pool:
                sites = [site for site in pool.map(function, *zip(*jobs, strict=True)) if site]
            for name, _ in changes():
                means.setdefault(name, {})[column] = statistics.fmean(f1 for site in sites for f1 in site[name])
                differences = [statistics.fmean(site[name]) - statistics.fmean(site["all rules"]) for site in sites]
                better[name] += sum(difference > TELLING for difference in differences)
                worse[name] += sum(difference < -TELLING for difference in differences)
    base = means.pop("all rules")
    print(f"| | mean | {' | '.join(base)} | sites better | worse |\n|{'---|' * (len(base) + 4)}")
    print(
        f"| all rules | {statistics.fmean(base.values()):.4f} | {' | '.join(f'{f1:.3f}' for f1 in base.values())} | | |"
    )
    for name, by_suite in means.items():
        differences = [by_suite[suite] - base[suite] for suite in base]
        cells = " | ".join(f"{difference:+.3f}" for difference in differences)
        print(f"| {name} | {statistics.fmean(differences):+.4f} | {cells} | {better[name]} | {worse[name]} |")


if __name__ == "__main__":
    main()
