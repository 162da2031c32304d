"""Crawls of the saved sites one after the other, with the template store of the first.

    python bench/scripts/recrawl.py                                # all sites in one crawl, three times
    python bench/scripts/recrawl.py --each --site fraser-lab --site kks-company

The second and third crawl must need no search and be equal to each other byte for byte; the pages that they clean
otherwise than the first crawl, which was still learning, are counted and shown. Nothing is downloaded; each crawl runs
in a process of its own.
"""

from __future__ import annotations

import argparse
import difflib
import html
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from crawl_sites import SITES, crawl

CRAWLS = 3
SHOWN = 8
"""Pages that are shown, of those that differ."""


@dataclass(frozen=True)
class Recrawled:
    """What one crawl brought: URL → the pages of its items, sorted; why it ended; the plug-in's stats."""

    items: dict[str, list[str]]
    reason: str
    stats: dict[str, int]

    def stat(self, name: str) -> int:
        """Return a stat of the plug-in."""
        return int(self.stats.get(f"templex/{name}", 0))

    @property
    def count(self) -> int:
        """Items in all."""
        return sum(map(len, self.items.values()))

    def text(self, url: str) -> str:
        """Return the items of a URL, one after the other."""
        return "".join(self.items.get(url, []))

    def differing(self, other: Recrawled) -> list[str]:
        """Return the URLs whose items are not the same in another crawl."""
        urls = self.items.keys() | other.items.keys()
        return sorted(url for url in urls if self.items.get(url) != other.items.get(url))


def recrawl(names: list[str]) -> list[Recrawled]:
    """Crawl sites three times, with one store."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"TEMPLEX_STORE": str(Path(folder, "templates.sqlite3"))}
        spec = {"sites": names, "addon": True, "keep": True, "settings": settings}
        return [Recrawled(one["html"], one["reason"], one["stats"]) for one in (crawl(spec) for _ in range(CRAWLS))]


def changed_words(before: str, after: str) -> Iterator[str]:
    """Describe which of a page's words only one of two crawls has."""
    texts = [
        html.unescape(re.sub(r"(?s)<(script|style)\b.*?</\1\s*>|<[^>]*>", " ", one)).split() for one in (before, after)
    ]
    matcher = difflib.SequenceMatcher(None, texts[0], texts[1], autojunk=False)
    for _, low, high, other_low, other_high in (code for code in matcher.get_opcodes() if code[0] != "equal"):
        for sign, words in (("-", texts[0][low:high]), ("+", texts[1][other_low:other_high])):
            if words:
                yield f"{sign} {len(words)} words: {' '.join(words)[:90]}"


def report(title: str, crawls: list[Recrawled], shown: int) -> bool:
    """Print the results of the crawls; return whether all is as it must be."""
    first, second, third = crawls
    for number, one in enumerate(crawls, 1):
        print(
            f"{title} crawl {number}: items {one.count}, {one.reason}; searches {one.stat('searches')},"
            f" candidates requested {one.stat('candidates/requested')}, templates loaded {one.stat('store/loaded')},"
            f" saved {one.stat('store/saved')}; cleaned {one.stat('items/cleaned')},"
            f" no template {one.stat('items/no_template')}"
        )
    unequal, later = second.differing(third), first.differing(second)
    longer = sum(len(second.text(url)) > len(first.text(url)) for url in later)
    print(
        f"{title} second and third: {len(unequal)} of {len(second.items)} pages differ;"
        f" first and second: {len(later)} differ, {longer} of them longer in the second"
    )
    for url, one, other in [(url, second, third) for url in unequal[:shown]] + [
        (url, first, second) for url in later[:shown]
    ]:
        before, after = one.text(url), other.text(url)
        # addresses and words come from foreign sites: nothing of them may steer the terminal
        print(f"  {url!a}: {len(before):,} -> {len(after):,} characters")
        for line in list(changed_words(before, after))[:4]:
            print(f"    {line if line.isprintable() else ascii(line)}")
    same_urls = first.items.keys() == second.items.keys() == third.items.keys()
    return same_urls and not unequal and not second.stat("searches") and not third.stat("searches")


def main() -> None:
    """Run what the command line asks for; exit code 1 if a recrawl searches, or two recrawls differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--each", action="store_true", help="a crawl for each site, instead of one for all")
    parser.add_argument("--site", action="append", choices=SITES, help="only this site")
    parser.add_argument("--shown", type=int, default=SHOWN, help="pages to show, of those that differ")
    options = parser.parse_args()
    names = options.site or SITES
    groups = [[name] for name in names] if options.each else [names]
    fine = [report(group[0] if len(group) == 1 else "all sites,", recrawl(group), options.shown) for group in groups]
    sys.exit(0 if all(fine) else 1)


if __name__ == "__main__":
    main()
