"""TeCo, the benchmark suite of the papers: a folder per site saved by wget, the gold standard as classes (thesis, 13).

The class ``TECO_notTemplate`` marks nodes that are no template, ``TECO_mainContent`` the main content, each with all
descendants; ``TECO_mainMenu`` marks the node that is the main menu. The page that has such classes is the key page of
its site. The classes are removed when a page is loaded, so that no detector and no peer sees them.

The suite comes as one archive for each category, with a folder for each site named after its host; one category or one
site is a suite as well. Whether a site is for ``training`` or ``evaluation`` is in teco.csv (Tables 13.7 and 13.8: of
thirty sites of a category the last nine); a ``site.json`` in a site's folder may say otherwise, and ``category``.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from templex_bench.suites.model import Gold, KeyPage, SuiteError, all_but, read_json, text_of
from templex_bench.suites.saved import Site, Suite, base_url_for, pages_below
from templex_scrapy.page import Page, nodes_of, subtree_positions

LABEL = "TECO_"
NOT_TEMPLATE, MAIN_CONTENT, MAIN_MENU = "TECO_notTemplate", "TECO_mainContent", "TECO_mainMenu"
LAYOUT = "teco"
EXPECTED = (
    f"{LAYOUT}: a folder per site as wget saves it (also in one folder for each category), whose key page carries the "
    f"classes {NOT_TEMPLATE}, {MAIN_CONTENT} and {MAIN_MENU}"
)
_SPLITS: Mapping[str, str] = {
    one["host"]: one["split"] for one in csv.DictReader(Path(__file__).with_name("teco.csv").open(encoding="utf-8"))
}
_WRITTEN_CLASS = re.compile(r"""(\sclass\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class TecoSite(Site):
    """A site with one marked page, or more; its name is that of its folder, which is its host."""

    category: str
    keys: tuple[str, ...]

    @property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of the marked pages."""
        return tuple(map(self.url, self.keys))

    def key_page(self, url: str) -> KeyPage:
        """Return the marked page at an address, without its marks."""
        marked = self.saved(url)
        page = unlabelled(marked)
        if len(page) != len(marked) or gold_of(page) != Gold():
            raise SuiteError(f"{self.folder / str(self.path(url))}: the marks cannot be taken out of the page")
        return KeyPage(page=page, category=self.category, gold=gold_of(marked))

    def fetch(self, url: str) -> Page | None:
        """Return the page at an address, without marks, or None."""
        page = super().fetch(url)
        return None if page is None else unlabelled(page)


def gold_of(page: Page) -> Gold:
    """Read the gold standard from the marks of a page."""
    marked: dict[str, list[int]] = {NOT_TEMPLATE: [], MAIN_CONTENT: [], MAIN_MENU: []}
    for position, tag_string in enumerate(nodes_of(page).tag_strings):
        if LABEL in tag_string:
            for mark in nodes_of(page).start_tag(position).classes & marked.keys():
                marked[mark].append(position)
    content = subtree_positions(nodes_of(page), marked[MAIN_CONTENT])
    return Gold(
        template=all_but(page, subtree_positions(nodes_of(page), marked[NOT_TEMPLATE]))
        if marked[NOT_TEMPLATE]
        else None,
        content=content if marked[MAIN_CONTENT] else None,
        text=text_of(page, content) if marked[MAIN_CONTENT] else None,
        menu=min(marked[MAIN_MENU], default=None),
    )


def unlabelled(page: Page) -> Page:
    """Return the page without the classes of the gold standard; its other classes and its nodes are unchanged."""
    return Page(without_labels(page.text), page.url, aliases=page.aliases) if LABEL in page.text else page


def without_labels(source: str) -> str:
    """Remove the class names of the gold standard from a source; an empty ``class`` is removed as a whole."""
    return _WRITTEN_CLASS.sub(_rewritten, source) if LABEL in source else source


def _rewritten(written: re.Match[str]) -> str:
    start, value = written.groups()
    if LABEL not in value:
        return written[0]
    quote = value[0] if value[0] in "\"'" else ""
    names = [name for name in value.strip("\"'").split() if not name.startswith(LABEL)]
    return f"{start}{quote}{' '.join(names)}{quote}" if names else ""


def read(folder: Path) -> Suite | None:
    """Read the suite in a folder; None if no page in it carries a mark."""
    pages: dict[str, list[str]] = defaultdict(list)
    marked: dict[str, list[str]] = defaultdict(list)
    for path in pages_below(folder):
        home = _home(folder, path)
        pages[home].append(path.removeprefix(f"{home}/"))
        if _is_marked(folder / path):
            marked[home].append(pages[home][-1])
    sites = tuple(_site(folder, home, pages[home], marked[home]) for home in sorted(marked))
    return Suite(folder.resolve().name, LAYOUT, sites) if sites else None


def _home(folder: Path, path: str) -> str:
    """Return the folder of the site that a page belongs to: the first one with the name of a host, else the suite's."""
    above = path.split("/")[:-1]
    named = [at for at, name in enumerate(above, 1) if "." in name]
    return "/".join(above[: named[0]]) if named and "." not in folder.resolve().name else "."


def _site(folder: Path, home: str, pages: Iterable[str], keys: Iterable[str]) -> TecoSite:
    path = (folder / home).resolve()
    told = read_json(path / "site.json")
    return TecoSite(
        name=path.name if home == "." else home,
        category=str(told.get("category") or path.parent.name),
        split=str(told.get("split") or _SPLITS.get(path.name, "")),
        folder=folder / home,
        paths=tuple(pages),
        base_url=base_url_for(path.name),
        keys=tuple(keys),
    )


def _is_marked(file: Path) -> bool:
    source = file.read_bytes()
    return LABEL.encode() in source and gold_of(Page(source, "http://site/")) != Gold()
