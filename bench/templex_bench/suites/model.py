"""Key pages and their gold standard, and helpers for the readers of all layouts."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from templex_scrapy.page import Page, nodes_of


class SuiteError(ValueError):
    """A folder is no suite of the expected layout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """The gold standard of a key page; None for each part that the suite lacks.

    Attributes:
        template: positions of the template nodes.
        content: positions of the nodes of the main content.
        text: the main content as text.
        menu: position of the node that is the main menu.
        values: values that the main content contains, where only these are known.
        snippets: parts of the text that the main content contains, and parts that it does not contain.
    """

    template: frozenset[int] | None = None
    content: frozenset[int] | None = None
    text: str | None = None
    menu: int | None = None
    values: tuple[str, ...] = ()
    snippets: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPage:
    """A page on which detectors are measured, without any mark of the gold standard in its source.

    The category is that of the site, or of the page where the pages of a site differ; empty if unknown.
    """

    page: Page
    category: str = ""
    gold: Gold = field(default_factory=Gold)


def text_of(page: Page, positions: Collection[int]) -> str:
    """Return the texts at some positions, one per line."""
    texts = (nodes_of(page).texts[position] for position in sorted(positions))
    return "\n".join(text for text in texts if text is not None)


def fingerprint_of(parts: Iterable[object]) -> str:
    """Return a short hash of some plain values, in their order."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(str(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


def fingerprint_of_file(file: Path) -> str:
    """Return a short hash of a file; empty if it cannot be read."""
    try:
        return hashlib.blake2b(file.read_bytes(), digest_size=8).hexdigest()
    except OSError:
        return ""
