"""What a template's pages have shown: which pages they were, and the kinds of elements they are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from templex_scrapy.page import Outline, Page, unescape

_CLASS = re.compile(r'<(\S+).*?\sclass="([^"]*)"', re.DOTALL)


def distinct(pages: Iterable[Page]) -> list[Page]:
    """The pages without copies of an earlier one: the same source is the same page."""
    by_digest: dict[bytes, Page] = {}
    for page in pages:
        by_digest.setdefault(page.digest, page)
    return list(by_digest.values())


def kind_of(label: str) -> str | None:
    """Tag and class names of an element, as ``tag.class.class``; None if it has no class."""
    found = _CLASS.match(label)
    names = sorted(set(unescape(found[2]).split())) if found is not None else []
    return ".".join([found[1], *names]) if found is not None and names else None


class Seen:
    """The pages of a template, the key page first.

    Attributes:
        ordered: their digests.
        digests: the same as a set.
        key_digest: that of the key page.
        kinds: the kinds of elements in any of them.
    """

    def __init__(self, digests: Sequence[bytes], kinds: Iterable[str]) -> None:
        self.ordered = tuple(digests)
        self.digests = frozenset(digests)
        self.key_digest = digests[0]
        self.kinds = frozenset(kinds)

    @classmethod
    def of(cls, pages: Sequence[Page]) -> Seen:
        """What at least one page, the key page, has shown."""
        labels = {label for page in pages for label in page.outline.labels if ' class="' in label}
        kinds = {kind for label in labels if (kind := kind_of(label)) is not None}
        return cls([page.digest for page in pages], kinds)

    def unfamiliar(self, outline: Outline) -> float:
        """Share of a page's kinds of elements that none of the template's pages has; 0 for a page without classes."""
        labels = {label for label in outline.labels if ' class="' in label}
        kinds = {kind for label in labels if (kind := kind_of(label)) is not None}
        return len(kinds - self.kinds) / len(kinds) if kinds else 0.0
