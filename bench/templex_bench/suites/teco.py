"""TeCo, the benchmark suite of the papers: a folder per site saved by wget, the gold standard as classes (thesis, 13).

The class ``TECO_notTemplate`` marks nodes that are no template, ``TECO_mainContent`` the main content, each with all
descendants; ``TECO_mainMenu`` marks the node that is the main menu. The page that has such classes is the key page of
its site. The classes are removed when a page is loaded, so that no detector and no peer sees them.

The suite comes as one archive for each category, with a folder for each site named after its host. A folder of such
folders is a category; sites may also be directly in the suite's folder, or be given one at a time. A ``site.json`` in a
site's folder says with ``split`` whether the site is for ``training`` or ``evaluation`` (Table 13.7), and ``category``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from templex_bench.suites.model import Gold, KeyPage, Suite, SuiteError, all_but, read_json, text_of
from templex_bench.suites.saved import SavedSite, base_url_for, pages_below
from templex_scrapy.page import Page, subtree_positions

LABEL = "TECO_"
NOT_TEMPLATE, MAIN_CONTENT, MAIN_MENU = "TECO_notTemplate", "TECO_mainContent", "TECO_mainMenu"
LAYOUT = "teco"
EXPECTED = (
    f"{LAYOUT}: a folder per site as wget saves it (also in one folder for each category), whose key page carries the "
    f"classes {NOT_TEMPLATE}, {MAIN_CONTENT} and {MAIN_MENU}"
)
CATEGORIES = frozenset({"companies", "forums", "institutions", "media", "personal"})
"""Names of the suite's archives, in lower case, which are those of its categories."""

_WRITTEN_CLASS = re.compile(r"""(\sclass\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class TecoSite(SavedSite):
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
    for position, tag_string in enumerate(page.arrays.tag_strings):
        if LABEL in tag_string:
            for mark in page.arrays.start_tag(position).classes & marked.keys():
                marked[mark].append(position)
    content = subtree_positions(page.arrays, marked[MAIN_CONTENT])
    return Gold(
        template=all_but(page, subtree_positions(page.arrays, marked[NOT_TEMPLATE])) if marked[NOT_TEMPLATE] else None,
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
    paths = pages_below(folder)
    marked = [path for path in paths if _is_marked(folder / path)]
    if not marked:
        return None
    homes = _homes(paths, marked)
    pages, keys = _grouped(paths, homes), _grouped(marked, homes)
    sites = [_site(folder, home, pages[home], keys[home]) for home in sorted(homes)]
    return Suite(folder.resolve().name, LAYOUT, tuple(sites))


def _site(folder: Path, home: str, pages: Iterable[str], keys: Iterable[str]) -> TecoSite:
    path = (folder / home).resolve()
    above = path.parent.name
    told = read_json(path / "site.json")
    known = above if "/" in home or above.lower() in CATEGORIES else ""
    return TecoSite(
        name=path.name if home == "." else home,
        category=str(told.get("category") or known),
        split=str(told.get("split") or ""),
        folder=folder / home,
        paths=_relative(pages, home),
        base_url=base_url_for(path.name),
        keys=_relative(keys, home),
    )


def _is_marked(file: Path) -> bool:
    source = file.read_bytes()
    return LABEL.encode() in source and gold_of(Page(source, "http://site/")) != Gold()


def _homes(paths: Iterable[str], marked: Iterable[str]) -> list[str]:
    """Return the folders of the sites, relative to the suite's.

    They are the suite's folder itself, its subfolders, or theirs where it has categories. A subfolder is a category
    when it has the name of one, or when it has no page directly in it and marked pages in more than one subfolder.
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
    """Return the paths of each site."""
    found: dict[str, list[str]] = {home: [] for home in homes}
    for path in paths:
        parts = path.split("/")
        home = next((home for home in (".", parts[0], "/".join(parts[:2])) if home in found), None)
        if home is not None:
            found[home].append(path)
    return found


def _relative(paths: Iterable[str], home: str) -> tuple[str, ...]:
    return tuple(paths) if home == "." else tuple(path.removeprefix(f"{home}/") for path in paths)
