"""How good the templates are at the end of a whole crawl, when pages have joined their voters.

    python bench/scripts/matured.py

Each saved site is crawled whole at its own address, without a network; its templates are written to a store. The gold
key pages are then cleaned with what the store has. Means are taken over the key pages of a site, then over the sites.
Columns: template nodes P R F1, words P R F1 against the main content, templates, searches, times that a template grew.
"""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any

from crawl_sites import SHARED, SITES, archive, crawl, gold
from scrapy.http import HtmlResponse

from templex_scrapy import Page
from templex_scrapy.stores import open_store
from templex_scrapy.template import TemplateSet

COLUMNS = "P R F1 wP wR wF1 templates searches grown".split()


def known(store: str) -> TemplateSet:
    """Return the templates of the only site in a store."""
    with closing(open_store(store)) as opened:
        (site,) = opened.sites()
        return TemplateSet(stored.template for stored in opened.load(site))


def scores(templates: TemplateSet, page: Page, truth: Any) -> tuple[float, ...]:
    """Return P, R, F1 of the nodes and of the words."""
    match = templates.match(page)
    return (*gold.scores(match.nodes, truth.template), *gold.word_scores(match.clean.text, truth.content_text))


def measure(name: str) -> list[float]:
    """Crawl a site and score what was learnt."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "templates.sqlite3")
        stats = crawl({"sites": [name], "addon": True, "settings": {"TEMPLEX_STORE": store}})["stats"]
        templates = known(store)
    site = archive.SavedSite(SHARED / "sites" / name)
    rows = []
    for path, url in zip(site.manifest["gold"]["key_pages"], site.key_urls, strict=True):
        source = HtmlResponse(url, body=site.read(path)).text
        rows.append(scores(templates, Page(source, url), gold.GoldPage(source, site.manifest["gold"])))
    counts = (len(templates.templates), stats.get("templex/searches", 0), stats.get("templex/templates/grown", 0))
    return [*(fmean(column) for column in zip(*rows, strict=True)), *map(float, counts)]


def main() -> None:
    """Print the table."""
    print(f"{'site':32}" + "".join(f"{column:>10}" for column in COLUMNS))
    rows = []
    for name in SITES:
        rows.append(measure(name))
        print(f"{name:32}" + "".join(f"{value:10.3f}" for value in rows[-1]), flush=True)
    print(f"{'mean':32}" + "".join(f"{fmean(column):10.3f}" for column in zip(*rows, strict=True)), flush=True)


if __name__ == "__main__":
    main()
