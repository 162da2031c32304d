"""A folder of saved pages without a gold standard: what is found in them, not how good it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from templex_bench.suites.saved import Site, Suite, base_url_for, pages_below, spread

KEY_PAGES = 8
"""Key pages of a site, at most: spread over its pages, sorted by path."""

LAYOUT = "folder"
EXPECTED = f"{LAYOUT}: saved HTML pages of one site, or a folder of them per site, without a gold standard"


@dataclass(frozen=True, kw_only=True)
class FolderSite(Site):
    """Saved pages of which some are key pages."""

    @property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of some of the pages."""
        return tuple(map(self.url, spread(self.paths, KEY_PAGES)))


def read(folder: Path) -> Suite | None:
    """Read the pages in a folder; None if there are none.

    With pages directly in it, the folder is one site; otherwise each of its subfolders is one.
    """
    paths = pages_below(folder)
    if not paths:
        return None
    name = folder.resolve().name
    if any("/" not in path for path in paths):
        return Suite(name, LAYOUT, (_site(name, folder, paths),))
    below: dict[str, list[str]] = {}
    for path in paths:
        top, _, rest = path.partition("/")
        below.setdefault(top, []).append(rest)
    return Suite(name, LAYOUT, tuple(_site(top, folder / top, tuple(below[top])) for top in sorted(below)))


def _site(name: str, folder: Path, paths: tuple[str, ...]) -> FolderSite:
    site = FolderSite(name=name, folder=folder, paths=paths, base_url=base_url_for(name))
    return replace(site, linked=_link_each_other(site))


def _link_each_other(site: FolderSite) -> bool:
    for url in site.key_urls:
        page, own = site.fetch(url), site.path(url)
        if page is not None and any(site.path(link) not in {None, own} for link in page.links):
            return True
    return False
