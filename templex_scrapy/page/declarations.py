"""What a page declares beside its content: base address, title, generator and types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

DECLARING = ("base", "meta", "script", "title")
"""Tags of the elements that declare something, wherever they are."""

_LENGTH = 1000  # characters of a title, or of all generators
_GENERATOR = 100  # characters of one
_MAX_TYPES = 100
_TYPE = re.compile(r'"@type"\s*:[\s\[]*"(\w{1,64})"')


class Declarations(NamedTuple):
    """What the elements of a page declare, as far as it is known when its tree is released.

    Attributes:
        base_href: the ``href`` of the first ``base`` that has one; None if none has.
        title: as ``Page.title``.
        generators: the contents of ``meta[name=generator]``, 100 characters of each and 1,000 in all.
        types: the Schema.org types that its JSON-LD names, 100 at most.
    """

    base_href: str | None
    title: str
    generators: str
    types: frozenset[str]

    @classmethod
    def of(cls, elements: Mapping[str, Sequence[Element]]) -> Self:
        """Read the elements of each of the tags in :data:`DECLARING`."""
        # <base target="_top"> says nothing of addresses
        hrefs = (base.get("href") for base in elements["base"])
        base_href = next((href for href in hrefs if href is not None), None)
        generators = (
            (meta.get("content") or "")[:_GENERATOR]
            for meta in elements["meta"]
            if (meta.get("name") or "").lower() == "generator"
        )
        scripts = (script.text or "" for script in elements["script"] if "ld+json" in (script.get("type") or ""))
        # a list names ListItem for each of its items
        types = dict.fromkeys(found[1] for script in scripts for found in _TYPE.finditer(script))
        return cls(
            base_href, _title(elements["title"]), "\n".join(generators)[:_LENGTH], frozenset(islice(types, _MAX_TYPES))
        )


def _title(titles: Iterable[Element]) -> str:
    # a picture may have a title of its own
    texts = (title.text or "" for title in titles if next(title.iterancestors("svg"), None) is None)
    return " ".join(next(texts, "")[:_LENGTH].split())
