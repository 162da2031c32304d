"""Sites whose gold standard is written down as CSS selectors: a folder per site with ``site.json`` and ``www``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lxml.cssselect import CSSSelector, SelectorError

from templex_bench.gold import marks
from templex_bench.gold.model import Gold, KeyPage, Suite, SuiteError, fingerprint_of
from templex_bench.gold.saved import SavedPages
from templex_scrapy.page import Page

MANIFEST = "site.json"
LAYOUT = "sites"
EXPECTED = (
    f"{LAYOUT}: a folder per site with {MANIFEST} (base_url, pages, and gold: key_pages, not_template, main_content, "
    "main_menu as CSS selectors) and the pages in www"
)


@dataclass(frozen=True)
class SelectedSite:
    """A site with a manifest.

    Args:
        name: name of the site.
        category: its kind.
        saved: its pages.
        gold: ``key_pages`` (paths), ``not_template`` and ``main_content`` (lists of selectors, with everything below
            what they match), ``main_menu`` (a selector, or None).
    """

    name: str
    category: str
    saved: SavedPages
    gold: Mapping[str, Any]

    linked = True

    @cached_property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of the key pages."""
        return tuple(self.saved.url(path) for path in self.gold["key_pages"])

    def key_page(self, url: str) -> KeyPage:
        """The key page at an address, with what the selectors find in it."""
        path = self.saved.path(url)
        if path is None:
            raise SuiteError(f"{self.saved.folder}: no page is saved for {url}")
        page = Page(self.saved.read(path), url)
        not_template = self._select(page, "not_template")
        content = self._select(page, "main_content")
        menu = self._select(page, "main_menu") or ()
        gold = Gold(
            template=None if not_template is None else marks.others(page, marks.with_all_below(page, not_template)),
            content=None if content is None else marks.with_all_below(page, content),
            text=None if content is None else marks.text_of(page, marks.with_all_below(page, content)),
            menu=min(menu, default=None),
        )
        return KeyPage(page=page, category=self.category, gold=gold)

    def fetch(self, url: str) -> Page | None:
        """The saved page at an address."""
        return self.saved.fetch(url)

    def siblings(self, url: str) -> tuple[str, ...]:
        """Addresses of all other pages."""
        return tuple(other for other in map(self.saved.url, self.saved.paths) if other != url)

    def fingerprint(self) -> str:
        """Changes with the pages and with the manifest."""
        return fingerprint_of([self.saved.fingerprint(), self.category, json.dumps(self.gold, sort_keys=True)])

    def _select(self, page: Page, what: str) -> list[int] | None:
        """Positions of the elements that the selectors match; None if the gold standard has no such entry."""
        selectors = self.gold.get(what)
        if selectors is None:
            return None
        matched = set()
        for selector in [selectors] if isinstance(selectors, str) else selectors:
            try:
                matched.update(CSSSelector(selector)(page.root))
            except SelectorError as error:
                raise SuiteError(f"{self.saved.folder.parent / MANIFEST}: {selector!r} is no selector") from error
        arrays, elements = page.arrays, page.elements
        return [
            position
            for position, place in enumerate(arrays.places)
            if arrays.texts[position] is None and elements[place] in matched
        ]


def read(folder: Path) -> Suite | None:
    """The suite in a folder: its own site, or those of its subfolders; None if there is no manifest.

    Raises:
        SuiteError: if a manifest is not as it should be.
    """
    manifests = [folder / MANIFEST] if (folder / MANIFEST).is_file() else sorted(folder.glob(f"*/{MANIFEST}"))
    if not manifests:
        return None
    sites: dict[str, SelectedSite] = {}
    for site in map(_site, manifests):
        other = sites.setdefault(site.name, site)
        if other is not site:
            both = " and ".join(str(one.saved.folder.parent) for one in (other, site))
            raise SuiteError(f"{both} have the same name {site.name!r} in their {MANIFEST}: rename one")
    return Suite(folder.resolve().name, LAYOUT, tuple(sites.values()))


def _site(manifest: Path) -> SelectedSite:
    try:
        data = json.loads(manifest.read_text(encoding="utf-8"))
        gold = data["gold"]
        site = SelectedSite(
            name=str(data.get("name") or manifest.parent.name),
            category=str(data.get("category") or ""),
            saved=SavedPages(manifest.parent / "www", tuple(map(str, data["pages"])), str(data["base_url"])),
            gold={**gold, "key_pages": [str(path) for path in gold["key_pages"]]},
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise SuiteError(f"{manifest} is not as it should be: {what}. Expected {EXPECTED}") from error
    _check(manifest, site)
    return site


def _check(manifest: Path, site: SelectedSite) -> None:
    if not site.saved.base_url.startswith(("http://", "https://")) or not site.saved.base_url.endswith("/"):
        raise SuiteError(f"{manifest}: base_url is {site.saved.base_url!r}; expected http(s)://…/, with / at the end")
    for name in ("not_template", "main_content"):
        selectors = site.gold.get(name)
        if selectors is not None and not (isinstance(selectors, list) and all(isinstance(s, str) for s in selectors)):
            raise SuiteError(f"{manifest}: gold.{name} is {selectors!r}; expected a list of CSS selectors")
    if not isinstance(site.gold.get("main_menu"), str | None):
        raise SuiteError(f"{manifest}: gold.main_menu is {site.gold['main_menu']!r}; expected a CSS selector or null")
    for path in site.gold["key_pages"]:
        if path not in site.saved.paths or not (site.saved.folder / path).is_file():
            raise SuiteError(f"{manifest}: the key page {path!r} is not among the saved pages in {site.saved.folder}")
