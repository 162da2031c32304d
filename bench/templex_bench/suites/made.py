"""Rendered themes: ``made.json`` beside ``www`` says which words belong to which item.

The words of an item are in no other item. A text node is its own if all its words are, and template if half of
the pages with an item have the text and it is not. All other texts are neutral, in neither gold standard: dates,
neighbours, and lines of the item that are there more than once, such as a title in a menu. An element is neutral where
all texts in it are, its own where none is template, and template otherwise.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from templex_bench.measures.scores import in_order
from templex_bench.suites.model import Gold, KeyPage, fingerprint_of, read_json
from templex_bench.suites.saved import Site, Suite
from templex_scrapy.page import Page, nodes_of, subtree_sums

MANIFEST = "made.json"
LAYOUT = "zoo"
EXPECTED = f"{LAYOUT}: a folder per site with {MANIFEST} (engine, base_url, pages, lines) and the pages in www"


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
        vocabulary = frozenset(word for line in lines for word in in_order(line))
        texts = [_plain(text) for text in nodes_of(page).texts]
        of_item = [bool(text) and vocabulary.issuperset(text.split()) for text in texts]
        copies = Counter(text for text, is_own in zip(texts, of_item, strict=True) if is_own)
        frame = (not is_own and text in self._shared for text, is_own in zip(texts, of_item, strict=True))
        owned, framed, worded = (
            subtree_sums(nodes_of(page), [*kind])
            for kind in ((copies[text] == 1 for text in texts), frame, map(bool, texts))
        )
        at_all = frozenset(range(len(page)))
        content = frozenset(at for at in at_all if owned[at] and not framed[at])
        neutral = frozenset(at for at in at_all - content if worded[at] and not framed[at])
        template = at_all - content - neutral
        gold = Gold(template=template, content=content, neutral=neutral, text="\n".join(lines))
        return KeyPage(page=page, category=self.category, gold=gold)

    @cached_property
    def _shared(self) -> frozenset[str]:
        return shared_texts(map(self.saved, self.key_urls))

    def fingerprint(self) -> str:
        """Return a hash of the pages and of the manifest."""
        return fingerprint_of([super().fingerprint(), self.category, json.dumps(self.lines)])


def shared_texts(pages: Iterable[Page]) -> frozenset[str]:
    """Return the texts, as words, that half of some pages have."""
    of_pages = [set(map(_plain, nodes_of(page).texts)) - {""} for page in pages]
    on = Counter(text for texts in of_pages for text in texts)
    return frozenset(text for text, count in on.items() if 2 * count >= len(of_pages))


def _plain(text: str | None) -> str:
    return " ".join(in_order(text or ""))


def read(folder: Path) -> Suite | None:
    """Read the sites below a folder, or the site that it is; None without a manifest."""
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
