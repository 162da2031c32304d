"""Main content for reading: our best site-level method against the peers, on saved sites and on the pages of WCXB.

    python bench/scripts/content.py                        # the suites under ../shared
    python bench/scripts/content.py --cross-validate       # instead: our parameters chosen on the other sites
    python bench/scripts/content.py path/to/suite …        # any suites that the workbench reads

Word F1 (case-folded multisets of letters and digits): of sites the mean over sites of the mean over key pages, else the
mean over pages. The intervals are those of the paired difference, at 95 %, by bootstrap over sites. The peers come with
the extra ``peers``.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from templex_bench import texts
from templex_bench.bootstrap import Bootstrap
from templex_bench.candidates import find_subdigraph
from templex_bench.gold import Site, open_suite
from templex_bench.measures import Score, score_counts, words_of
from templex_bench.peers import PEERS

from templex_scrapy.content.main_content import (
    LINKED,
    LISTING,
    MOST,
    SHARE,
    content_without,
    find_content,
    repeated_texts,
)
from templex_scrapy.page import Page
from templex_scrapy.template.voters import distinct

SHARED = Path(__file__).resolve().parents[3] / "shared"
OURS = "ours"
VARIED: Mapping[str, Sequence[float]] = {
    "most": (MOST, 0.6, 0.8),
    "share": (SHARE, 0.85, 0.95),
    "linked": (LINKED, 0.6, 0.8),
    "listing": (LISTING, 0.2, 0.4),
}
"""For each parameter its default and what else it could be."""

Extract = Callable[["Case"], str]


@dataclass
class Case:
    """A key page, the words of its main content, and what it is compared with."""

    suite: str
    site: str
    kind: str
    page: Page
    gold: Mapping[str, int]
    template: frozenset[int] | None
    pages: Sequence[Page]
    loads: int
    scores: dict[str, Score] = field(default_factory=dict)

    @property
    def fresh(self) -> Page:
        """The key page before it was parsed."""
        return Page(self.page.text, self.page.url)


def load(folder: Path, size: int) -> list[Case]:
    """The cases of a suite; comparison pages are parsed once."""
    suite = open_suite(folder)
    return [case for site in suite.sites for case in _of_site(suite.name, site, size)]


def _of_site(suite: str, site: Site, size: int) -> Iterable[Case]:
    fetched: dict[str, Page | None] = {}

    def fetch(url: str) -> Page | None:
        if url not in fetched:
            fetched[url] = _without_tree(site.fetch(url))
        return fetched[url]

    for url in site.key_urls:
        key = site.key_page(url)
        if key.gold.text is None:
            continue
        if site.linked:
            found = find_subdigraph(key.page, fetch, size=size)
            pages, loads = found.pages, found.loads
        else:
            pages = tuple(page for other in site.siblings(url)[:size] if (page := fetch(other)) is not None)
            loads = len(pages)
        kind = key.category if not site.linked else ""
        yield Case(suite, site.name, kind, key.page, words_of(key.gold.text), key.gold.template, pages, loads)


def _without_tree(page: Page | None) -> Page | None:
    """The page with its nodes as lists alone; the trees of all pages would take gigabytes."""
    if page is not None:
        reading = page.parsed
        page.release()
        page.__dict__["reading"] = reading
    return page


def text_of(page: Page, nodes: Iterable[int]) -> str:
    """The texts of some nodes, a line for each, as the gold standard has them."""
    found = (page.arrays.texts[node] for node in sorted(nodes))
    return "\n".join(text for text in found if text is not None)


def _ours(case: Case) -> str:
    page = case.fresh
    return text_of(page, find_content(page, case.pages))


def _ours_as_read(case: Case) -> str:
    page = case.fresh
    return texts.of_nodes(page, find_content(page, case.pages))


def _ours_alone(case: Case) -> str:
    page = case.fresh
    return text_of(page, find_content(page, ()))


def _of_peer(extract: Callable[[str, str], str], case: Case) -> str:
    return extract(case.page.text, case.page.url)


def _gold_template(case: Case) -> str:
    return text_of(case.page, frozenset(range(len(case.page))) - (case.template or frozenset()))


def extractors(cases: Sequence[Case]) -> dict[str, Extract]:
    """Ours, then the peers that are installed, then the bound where there is a gold template."""
    found: dict[str, Extract] = {
        OURS: _ours,
        f"{OURS}, read by html-text": _ours_as_read,
        f"{OURS}, alone": _ours_alone,
    }
    for peer in PEERS.values():
        try:
            extract = peer.load()
        except ImportError:
            print(f"{peer.package} is not installed")
            continue
        found[f"{peer.name} {peer.version}"] = partial(_of_peer, extract)
    if any(case.template is not None for case in cases):
        found["bound: gold template removed"] = _gold_template
    return found


def measure(cases: Sequence[Case], name: str, extract: Extract) -> float:
    """Score each case; the mean CPU time a page, in seconds."""
    start = time.process_time()
    for case in cases:
        try:
            text = extract(case)
        except Exception as error:  # noqa: BLE001 - a peer that breaks down has found nothing
            print(f"{name} on {case.page.url}: {type(error).__name__}: {error}")
            text = ""
        case.scores[name] = score_counts(words_of(text), case.gold)
    return (time.process_time() - start) / len(cases)


def _measure(name: str, of: str, case: Case) -> float:
    value: float | None = getattr(case.scores[name], of)
    return value or 0.0


def f1_of(case: Case, name: str) -> float:
    """The word F1 of an extractor on a key page."""
    return _measure(name, "f1", case)


def _by_site(cases: Iterable[Case], value: Callable[[Case], float]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for case in cases:
        found.setdefault(case.site, []).append(value(case))
    return found


def _over_sites(cases: Sequence[Case]) -> bool:
    return not any(case.kind for case in cases)


def mean_of(cases: Sequence[Case], value: Callable[[Case], float]) -> float:
    """The mean over sites of the mean over key pages; of pages that have a kind, the mean over pages."""
    sites = _by_site(cases, value).values()
    if _over_sites(cases):
        return statistics.fmean(map(statistics.fmean, sites))
    return statistics.fmean(each for site in sites for each in site)


def difference(cases: Sequence[Case], a: str, b: str) -> str:
    """The mean of the paired differences in F1 with its interval."""
    sites = list(_by_site(cases, lambda case: f1_of(case, a) - f1_of(case, b)).values())
    weights = None if _over_sites(cases) else [float(len(site)) for site in sites]
    interval = Bootstrap().mean([statistics.fmean(site) for site in sites], weights)
    mean = mean_of(cases, lambda case: f1_of(case, a) - f1_of(case, b))
    return f"{mean:+.3f}" + (f" [{interval.low:+.3f}, {interval.high:+.3f}]" if interval is not None else "")


def report(cases: Sequence[Case]) -> None:
    """Measure and print all extractors on one suite."""
    pages, loads = (statistics.fmean(each) for each in zip(*((len(c.pages), c.loads) for c in cases), strict=True))
    print(f"\n== {cases[0].suite}: {len({case.site for case in cases})} sites, {len(cases)} key pages")
    print(f"{pages:.1f} pages compared, {loads:.1f} loads a key page")
    print(f"{'':36} P     R     F1    ms     F1 of ours less this one")
    names = extractors(cases)
    for name, extract in names.items():
        seconds = measure(cases, name, extract)
        row = [mean_of(cases, partial(_measure, name, of)) for of in ("precision", "recall", "f1")]
        against = difference(cases, OURS, name) if name != OURS else ""
        print(f"{name:34} {' '.join(f'{value:.3f}' for value in row)} {1000 * seconds:5.0f}    {against}", flush=True)
    if _over_sites(cases):
        for site in sorted({case.site for case in cases}):
            own = [case for case in cases if case.site == site]
            print(f"    {site:32} ours {mean_of(own, lambda case: f1_of(case, OURS)):.3f}")
        return
    for kind in sorted({case.kind for case in cases}):
        own = [case for case in cases if case.kind == kind]
        print(f"-- {kind}: {len(own)} pages, ours {mean_of(own, lambda case: f1_of(case, OURS)):.3f}")
        for name in names:
            if name != OURS:
                print(f"    {name:32} {mean_of(own, partial(_measure, name, 'f1')):.3f}  {difference(own, OURS, name)}")


def cross_validate(suites: Sequence[Sequence[Case]]) -> None:
    """Our F1 on each site with the parameters that are best on all other sites, of all suites."""
    every = [case for cases in suites for case in cases]
    choices = _choices()
    repeated = {id(case): _repeated(case) for case in every}
    for number, choice in enumerate(choices):
        for case in every:
            nodes = content_without(case.page, repeated[id(case)], **choice)
            case.scores[str(number)] = score_counts(words_of(text_of(case.page, nodes)), case.gold)
    chosen: dict[tuple[str, str], int] = {}
    for suite, site in dict.fromkeys((case.suite, case.site) for case in every):
        rest = [[case for case in cases if (case.suite, case.site) != (suite, site)] for cases in suites]
        chosen[suite, site] = max(range(len(choices)), key=lambda number: _total(rest, str(number)))
    print(f"\n== leave one site out, {len(choices)} combinations of {', '.join(VARIED)}")
    for cases in suites:
        value = mean_of(cases, lambda case: f1_of(case, str(chosen[case.suite, case.site])))
        print(f"{cases[0].suite}: F1 {value:.4f} with parameters chosen on all other sites")
    for number in sorted(set(chosen.values()), key=list(chosen.values()).count, reverse=True):
        print(f"    {list(chosen.values()).count(number):3} sites: {choices[number]}")


def _choices() -> list[dict[str, float]]:
    """The defaults, then all sets of parameters in which one of them differs."""
    default = {name: values[0] for name, values in VARIED.items()}
    return [default, *({**default, name: value} for name, values in VARIED.items() for value in values[1:])]


def _repeated(case: Case) -> frozenset[int]:
    others = distinct([case.page, *case.pages])[1:]
    return repeated_texts(case.page.arrays, [page.arrays for page in others])


def _total(suites: Sequence[Sequence[Case]], name: str) -> float:
    return sum(mean_of(cases, lambda case: f1_of(case, name)) for cases in suites if cases)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suites", nargs="*", type=Path, default=[SHARED / "sites", SHARED / "wcxb"])
    parser.add_argument("--size", type=int, default=8, help="pages to compare with, at most (default: 8)")
    parser.add_argument(
        "--cross-validate",
        action="store_true",
        help="nothing but ours, with parameters chosen without the site measured",
    )
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    suites = [load(folder, arguments.size) for folder in arguments.suites]
    if arguments.cross_validate:
        cross_validate(suites)
        return
    for cases in suites:
        report(cases)


if __name__ == "__main__":
    main()
