"""Sites that :mod:`templex_bench.zoo` has rendered: ``made.json`` beside ``www`` says which words are whose.

The words of an item are in no other one. A text node is its own where all its words are; an element where all texts in
it are, copies of the title in a menu included. All other nodes are template: of the engine, the site or other pages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from templex_bench.measures.scores import in_order
from templex_bench.suites.model import Gold, KeyPage, all_but, fingerprint_of, read_json
from templex_bench.suites.saved import Site, Suite
from templex_scrapy.page import Page, subtree_sums

MANIFEST = "made.json"
LAYOUT = "zoo"
EXPECTED = f"{LAYOUT}: a folder per site with {MANIFEST} and the pages in www, as `templex-bench make zoo` makes them"


@dataclass(frozen=True, kw_only=True)
class MadeSite(Site):
    """A rendered site; ``lines`` has the lines of text of each page with an item, by path."""

    category: str
    lines: Mapping[str, list[str]]

    @property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of the pages with an item."""
        return tuple(map(self.url, self.lines))

    def key_page(self, url: str) -> KeyPage:
        """Return the page at an address, with the gold standard that follows from its lines."""
        page, lines = self.saved(url), self.lines[str(self.path(url))]
        own = own_nodes(page, frozenset(word for line in lines for word in in_order(line)))
        gold = Gold(template=all_but(page, own), content=own, text="\n".join(lines))
        return KeyPage(page=page, category=self.category, gold=gold)

    def fingerprint(self) -> str:
        """Return a hash of the pages and of the manifest."""
        return fingerprint_of([super().fingerprint(), self.category, json.dumps(self.lines)])


def own_nodes(page: Page, vocabulary: frozenset[str]) -> frozenset[int]:
    """Return the positions of the texts with words of a vocabulary alone, and of elements with such texts alone."""
    texts = [() if text is None else in_order(text) for text in page._arrays.texts]
    own = subtree_sums(page._arrays, [bool(words) and vocabulary.issuperset(words) for words in texts])
    other = subtree_sums(page._arrays, [bool(words) and not vocabulary.issuperset(words) for words in texts])
    return frozenset(at for at, count in enumerate(own) if count and not other[at])


def read(folder: Path) -> Suite | None:
    """Read the sites below a folder, or the one that it is; None if it has none."""
    manifests = [folder / MANIFEST] if (folder / MANIFEST).is_file() else sorted(folder.glob(f"*/{MANIFEST}"))
    sites = []
    for manifest in manifests:
        told: Any = read_json(manifest)
        sites.append(
            MadeSite(
                name=manifest.parent.name,
                folder=manifest.parent / "www",
                paths=tuple(told["pages"]),
                base_url=told["base_url"],
                category=told["engine"],
                lines=told["lines"],
            )
        )
    return Suite(folder.resolve().name, LAYOUT, tuple(sites)) if sites else None
