"""Sites whose gold standard is CSS selectors: a folder per site with ``site.json`` and ``www``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml.cssselect import CSSSelector, SelectorError

from templex_bench.suites.model import Gold, KeyPage, SuiteError, fingerprint_of, text_of
from templex_bench.suites.saved import Site, Suite
from templex_scrapy.page import Page, elements_of, nodes_of, subtree_positions

MANIFEST = "site.json"
LAYOUT = "sites"
EXPECTED = (
    f"{LAYOUT}: a folder per site with {MANIFEST} (base_url, pages, and gold: key_pages, not_template, main_content, "
    "main_menu as CSS selectors) and the pages in www"
)


@dataclass(frozen=True, kw_only=True)
class SelectedSite(Site):
    """A site with a manifest.

    Attributes:
        category: the sort of site, such as a shop.
        gold: ``key_pages`` (paths), ``not_template`` and ``main_content`` (lists of selectors, each with everything
            below what it matches), ``main_menu`` (a selector, or None).
    """

    category: str
    gold: Mapping[str, Any]

    @property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of the key pages."""
        return tuple(map(self.url, self.gold["key_pages"]))

    def key_page(self, url: str) -> KeyPage:
        """Return the key page at an address, with the nodes that the selectors match."""
        page = self.saved(url)
        outside, content = self._subtrees(page, "not_template"), self._subtrees(page, "main_content")
        gold = Gold(
            template=None if outside is None else frozenset(range(len(page))) - outside,
            content=content,
            text=None if content is None else text_of(page, content),
            menu=min(self._select(page, "main_menu") or (), default=None),
        )
        return KeyPage(page=page, category=self.category, gold=gold)

    def fingerprint(self) -> str:
        """Return a hash of the pages and of the manifest."""
        return fingerprint_of([super().fingerprint(), self.category, json.dumps(self.gold, sort_keys=True)])

    def _subtrees(self, page: Page, what: str) -> frozenset[int] | None:
        roots = self._select(page, what)
        return None if roots is None else subtree_positions(nodes_of(page), roots)

    def _select(self, page: Page, what: str) -> list[int] | None:
        """Return the positions that the selectors match; None if the gold standard has no such entry."""
        selectors = self.gold.get(what)
        if selectors is None:
            return None
        matched = set()
        for selector in [selectors] if isinstance(selectors, str) else selectors:
            try:
                matched.update(CSSSelector(selector)(page.root))
            except SelectorError as error:
                raise SuiteError(f"{self.folder.parent / MANIFEST}: {selector!r} is no selector") from error
        if selectors and not matched:  # an empty gold standard would reward whoever finds nothing
            raise SuiteError(f"{self.folder.parent / MANIFEST}: gold.{what} matches nothing in {page.url}")
        arrays, elements = nodes_of(page), elements_of(page)
        return [
            position
            for position, place in enumerate(arrays.slots)
            if arrays.texts[position] is None and elements[place] in matched
        ]


def read(folder: Path) -> Suite | None:
    """Read the suite in a folder: its own site, or those of its subfolders; None if no manifest is of this layout.

    Raises:
        SuiteError: if a manifest is not as it should be.
    """
    manifests = [folder / MANIFEST] if (folder / MANIFEST).is_file() else sorted(folder.glob(f"*/{MANIFEST}"))
    if not manifests:
        return None
    return Suite(folder.resolve().name, LAYOUT, tuple(map(_site, manifests)))


def _site(manifest: Path) -> SelectedSite:
    try:
        data: Any = json.loads(manifest.read_text(encoding="utf-8"))
        gold = data["gold"]
        site = SelectedSite(
            name=manifest.resolve().parent.name,
            category=str(data.get("category") or ""),
            folder=manifest.parent / "www",
            paths=tuple(map(str, data["pages"])),
            base_url=str(data["base_url"]),
            gold={**gold, "key_pages": [str(path) for path in gold["key_pages"]]},
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise SuiteError(f"{manifest} is not as it should be: {what}. Expected {EXPECTED}") from error
    if not site.base_url.startswith(("http://", "https://")) or not site.base_url.endswith("/"):
        raise SuiteError(f"{manifest}: base_url is {site.base_url!r}; expected http(s)://…/, with / at the end")
    return site
