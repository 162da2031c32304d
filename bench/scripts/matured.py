"""How good the templates are at the end of a whole crawl, when pages have joined their voters.

    python bench/scripts/matured.py            # 12 voters, the default
    python bench/scripts/matured.py 3 12       # templates as they were learnt, and grown

Each saved site is crawled whole at its own address, without a network, the templates going to a store. The gold key
pages are then cleaned with what the store has. Means are taken over the key pages of a site, then over the sites.
Columns: template nodes P R F1, words P R F1 against the main content, templates, searches, times that a template grew.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any

from crawl_sites import SHARED, SITES, archive, crawl, gold
from scrapy.http import HtmlResponse

from templex_scrapy import Page
from templex_scrapy.crawl.site import SiteTemplates
from templex_scrapy.stores import open_store

COLUMNS = "P R F1 wP wR wF1 templates searches grown".split()


def key_pages(name: str) -> list[tuple[Page, Any]]:
    """The key pages of a site, each with its gold standard."""
    site = archive.SavedSite(SHARED / "sites" / name)
    found = []
    for path, url in zip(site.manifest["gold"]["key_pages"], site.key_urls, strict=True):
        source = HtmlResponse(url, body=site.read(path)).text
        found.append((Page(source, url), gold.GoldPage(source, site.manifest["gold"])))
    return found


def known(store: str) -> SiteTemplates:
    """The templates of the only site in a store."""
    with closing(open_store(store)) as opened:
        (site,) = opened.sites()
        templates = SiteTemplates(site)
        for stored in opened.load(site):
            templates.adopt(stored.template)
    return templates


def scores(templates: SiteTemplates, page: Page, truth: Any) -> tuple[float, ...]:
    """P, R, F1 of the nodes and of the words."""
    match = templates.fit(page)
    if match is None:
        words = " ".join(text for text in page.arrays.texts if text is not None)
        return (0.0, 0.0, 0.0, *gold.word_scores(words, truth.content_text))
    return (*gold.scores(match.nodes, truth.template), *gold.word_scores(match.clean.text, truth.content_text))


def measure(name: str, voters: int) -> list[float]:
    """Crawl a site and score what was learnt."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "templates.sqlite3")
        settings = {"TEMPLEX_STORE": store, "TEMPLEX_MAX_VOTERS": voters}
        stats = crawl({"sites": [name], "addon": True, "settings": settings})["stats"]
        templates = known(store)
    rows = [scores(templates, page, truth) for page, truth in key_pages(name)]
    counts = (len(templates.templates), stats.get("templex/searches", 0), stats.get("templex/templates/grown", 0))
    return [*(fmean(column) for column in zip(*rows, strict=True)), *map(float, counts)]


def main() -> None:
    """Print a table for each number of voters."""
    for voters in [int(argument) for argument in sys.argv[1:]] or [12]:
        print(f"up to {voters} voters")
        print(f"{'site':32}" + "".join(f"{column:>10}" for column in COLUMNS))
        rows = []
        for name in SITES:
            rows.append(measure(name, voters))
            print(f"{name:32}" + "".join(f"{value:10.3f}" for value in rows[-1]), flush=True)
        print(f"{'mean':32}" + "".join(f"{fmean(column):10.3f}" for column in zip(*rows, strict=True)), flush=True)


if __name__ == "__main__":
    main()
