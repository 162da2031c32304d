"""What a template's pages have shown: which pages they were, and the kinds of elements they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from templex_scrapy.page import Features, Outline, Page


def distinct(pages: Iterable[Page]) -> list[Page]:
    """The pages without copies of an earlier one: the same source is the same page."""
    by_digest: dict[bytes, Page] = {}
    for page in pages:
        by_digest.setdefault(page.digest, page)
    return list(by_digest.values())


class Seen:
    """The pages of a template, the key page first.

    Attributes:
        ordered: their digests.
        digests: the same as a set.
        key_digest: that of the key page.
        kinds: the kinds of elements, by tag and class names, in any of them; elements without class do not count.
    """

    def __init__(self, digests: Sequence[bytes], kinds: Iterable[str], outlines: Iterable[Outline]) -> None:
        self.ordered = tuple(digests)
        self.digests = frozenset(digests)
        self.key_digest = digests[0]
        self.kinds = frozenset(kinds)
        # a page of the site has hardly a start tag that these have not, and reading one takes its time
        self._kind_of_label = {label: kind for outline in outlines for label, kind in _kinds(outline.labels).items()}

    @classmethod
    def of(cls, pages: Sequence[Page]) -> Seen:
        """What at least one page, the key page, has shown."""
        outlines = [page.outline for page in pages]
        kinds = {kind for outline in outlines for kind in _kinds(outline.labels).values()}
        return cls([page.digest for page in pages], kinds, outlines)

    def unfamiliar(self, outline: Outline) -> float:
        """Share of a page's kinds of elements that none of the template's pages has; 0 for a page without classes."""
        labels = outline.labels_with_class
        known = self._kind_of_label
        kinds = {known[label] for label in labels & known.keys()}
        kinds.update(_kinds(labels - known.keys()).values())
        return len(kinds - self.kinds) / len(kinds) if kinds else 0.0


def _kinds(labels: Iterable[str]) -> dict[str, str]:
    found = {}
    for label in labels:
        if ' class="' in label:
            features = Features(label)
            if features.classes:
                found[label] = features.kind
    return found
