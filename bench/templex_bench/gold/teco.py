"""TeCo, the benchmark suite of the papers: a folder per site saved by wget, the gold standard as classes (thesis, 13).

The class ``TECO_notTemplate`` is on nodes that are no template, ``TECO_mainContent`` on the main content, each with all
that is below; ``TECO_mainMenu`` is on the node that is the main menu. The page that has such classes is the key page of
its site. The classes are taken out of the page that detectors and peers get; its nodes stay the same.

The suite comes as one archive for each category, each with a folder for each site named after its host. A folder of
such folders is a category; sites may as well lie directly in the suite's folder, or be given one at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from templex_bench.gold import marks
from templex_bench.gold.labels import LABEL, without_labels
from templex_bench.gold.model import Gold, KeyPage, Suite, SuiteError
from templex_bench.gold.saved import SavedPages, host_for, pages_below
from templex_scrapy.page import Page

NOT_TEMPLATE = "TECO_notTemplate"
MAIN_CONTENT = "TECO_mainContent"
MAIN_MENU = "TECO_mainMenu"
LAYOUT = "teco"
EXPECTED = (
    f"{LAYOUT}: a folder per site as wget saves it (also in one folder for each category), whose key page carries the "
    f"classes {NOT_TEMPLATE}, {MAIN_CONTENT} and {MAIN_MENU}"
)
CATEGORIES = frozenset({"companies", "forums", "institutions", "media", "personal"})
"""Names of the suite's archives, in lower case, which are those of its categories."""

_MARK = LABEL.encode()


@dataclass(frozen=True)
class TecoSite:
    """A site with one marked page, or more.

    Args:
        name: name of its folder, which is its host.
        category: name of the category's folder; empty where there is none.
        saved: its pages.
        keys: the marked ones among them.
    """

    name: str
    category: str
    saved: SavedPages
    keys: tuple[str, ...]

    linked = True

    @cached_property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of the marked pages."""
        return tuple(self.saved.url(path) for path in self.keys)

    def key_page(self, url: str) -> KeyPage:
        """The marked page at an address, without its marks."""
        path = self.saved.path(url)
        if path is None:
            raise SuiteError(f"{self.saved.folder}: no page is saved for {url}")
        marked = Page(self.saved.read(path), url)
        page = unmarked(marked)
        if len(page) != len(marked) or gold_of(page) != Gold():
            raise SuiteError(f"{self.saved.folder / path}: the marks cannot be taken out of the page")
        return KeyPage(page=page, category=self.category, gold=gold_of(marked))

    def fetch(self, url: str) -> Page | None:
        """The saved page at an address, without marks."""
        page = self.saved.fetch(url)
        return None if page is None else unmarked(page)

    def siblings(self, url: str) -> tuple[str, ...]:
        """Addresses of all other pages."""
        return tuple(other for other in map(self.saved.url, self.saved.paths) if other != url)

    def fingerprint(self) -> str:
        """Changes with the pages; the gold standard is in them."""
        return self.saved.fingerprint()


def gold_of(page: Page) -> Gold:
    """The gold standard that a marked page carries; what no mark tells is None."""
    marked: dict[str, list[int]] = {NOT_TEMPLATE: [], MAIN_CONTENT: [], MAIN_MENU: []}
    for position, label in enumerate(page.arrays.tag_strings):
        if LABEL in label:
            for mark in page.arrays.start_tag(position).classes & marked.keys():
                marked[mark].append(position)
    template = marks.others(page, marks.with_all_below(page, marked[NOT_TEMPLATE]))
    content = marks.with_all_below(page, marked[MAIN_CONTENT])
    return Gold(
        template=template if marked[NOT_TEMPLATE] else None,
        content=content if marked[MAIN_CONTENT] else None,
        text=marks.text_of(page, content) if marked[MAIN_CONTENT] else None,
        menu=min(marked[MAIN_MENU], default=None),
    )


def unmarked(page: Page) -> Page:
    """The page without the classes of the gold standard, its other classes as they were."""
    return Page(without_labels(page.text), page.url) if LABEL in page.text else page


def read(folder: Path) -> Suite | None:
    """The suite in a folder; None if no page in it carries a mark."""
    paths = pages_below(folder)
    marked = [path for path in paths if _is_marked(folder / path)]
    if not marked:
        return None
    homes = _homes(paths, marked)
    pages, keys = _grouped(paths, homes), _grouped(marked, homes)
    name = folder.resolve().name
    sites = [_site(folder, home, pages[home], keys[home]) for home in sorted(homes)]
    return Suite(name, LAYOUT, tuple(sites))


def _site(folder: Path, home: str, pages: Iterable[str], keys: Iterable[str]) -> TecoSite:
    path = (folder / home).resolve()
    above = path.parent.name
    saved = SavedPages(folder / home, _relative(pages, home), f"http://{host_for(path.name)}/")
    category = above if "/" in home or above.lower() in CATEGORIES else ""
    return TecoSite(path.name if home == "." else home, category, saved, _relative(keys, home))


def _is_marked(file: Path) -> bool:
    source = file.read_bytes()
    return _MARK in source and gold_of(Page(source, "http://site/")) != Gold()


def _homes(paths: Iterable[str], marked: Iterable[str]) -> list[str]:
    """The folders of the sites, relative to the suite's: it itself, its subfolders, or theirs where it has categories.

    A subfolder is a category when it has the name of one, or when it holds no page directly and marked pages in more
    than one folder of its own: a site has one key page.
    """
    below: dict[str, set[str]] = defaultdict(set)
    for path in marked:
        top, _, rest = path.partition("/")
        below[top if rest else "."].add("/".join((top, rest.partition("/")[0])))
    if "." in below or (len(below) == 1 and any("/" not in path for path in paths)):
        return ["."]
    direct = {path.partition("/")[0] for path in paths if path.count("/") == 1}
    homes: list[str] = []
    for top, inner in below.items():
        is_category = top not in direct and (top.lower() in CATEGORIES or len(inner) > 1)
        homes.extend(inner if is_category else [top])
    return sorted(homes)


def _grouped(paths: Iterable[str], homes: Iterable[str]) -> Mapping[str, list[str]]:
    """The paths of each site."""
    known = set(homes)
    found: dict[str, list[str]] = {home: [] for home in known}
    for path in paths:
        parts = path.split("/")
        homes_of_path = (".", parts[0], "/".join(parts[:2]))
        for home in homes_of_path:
            if home in known:
                found[home].append(path)
                break
    return found


def _relative(paths: Iterable[str], home: str) -> tuple[str, ...]:
    return tuple(paths) if home == "." else tuple(path.removeprefix(f"{home}/") for path in paths)
