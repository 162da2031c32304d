"""Count the pages that TEMPLEX_SKIP_UNCHANGED skips: ``python bench/scripts/unchanged.py ../shared/zoo``.

Each saved site is read twice, with the templates of the first time. All pages have a counter at their end. The second
time it counts on, the menu has another entry, and links have another session. The content is the same.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from templex_bench.suites import open_suite

from templex_scrapy import SiteCleaner

_LINK = re.compile(r"<a [^<>]*>[^<>]+</a>")


def at(html: str, number: int, menu: str, *, is_later: bool) -> str:
    """Return a page as one of the crawls finds it; ``menu`` is a link of most pages."""
    visitors = number * 7919 % 10_000 + 400 * is_later
    counter = f"<p>You are visitor number {visitors}, printed on {1 + 20 * is_later} March</p></body>"
    if is_later:
        html = html.replace(menu, f'{menu} <a href="/novelties">Novelties</a>', 1)
        html = re.sub(r'href="(/[^"?#]*)"', rf'href="\1?sid={visitors:x}"', html)
    return html.replace("</body>", counter)


def main() -> None:
    """Print a line for each site, and the sums."""
    total = Counter[str]()
    for site in open_suite(Path(sys.argv[1])).sites:
        saved = [(url, site.saved(url).text) for url in map(site.url, site.paths)]
        links = Counter(link for _, html in saved for link in dict.fromkeys(_LINK.findall(html)))
        ((menu, _),) = links.most_common(1) or [("", 0)]
        pages, changed = (
            [(url, at(html, number, menu, is_later=is_later)) for number, (url, html) in enumerate(saved)]
            for is_later in (False, True)
        )
        cleaner = SiteCleaner.learn(pages)
        counts = Counter(pages=len(pages))
        for (_, html), (_, new), before, after in zip(
            pages, changed, cleaner.clean(pages), cleaner.clean(changed), strict=True
        ):
            words, is_same = len(after.content_text.split()), before.content_hash == after.content_hash
            counts += Counter(body=html == new, hash=is_same, words=words, skipped=words * is_same)
        total += counts
        print(site.name, _told(counts), sep="\t", flush=True)
    print("all", _told(total), sep="\t")


def _told(counts: Counter[str]) -> str:
    same, words = counts["hash"] / counts["pages"], counts["skipped"] / max(counts["words"], 1)
    return f"{counts['pages']} pages\t{counts['body']} with the same body\t{same:.1%} skipped\t{words:.1%} of the words"


if __name__ == "__main__":
    main()
