"""Key pages that could not be measured, and how they are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from templex_bench.names import printable
from templex_bench.prose import counted


@dataclass(frozen=True, slots=True, order=True)
class LostPage:
    """A key page that could not be measured when that was tried last.

    Attributes:
        suite: name of its suite.
        site: name of its site.
        key_url: its address.
        reason: why; with the kind of error where that is all that is known.
    """

    suite: str
    site: str
    key_url: str
    reason: str


def lost_lines(pages: Sequence[LostPage]) -> Iterator[str]:
    """Lost key pages as plain text, a line for each below a heading; nothing where there are none."""
    if pages:
        yield f"== lost: {counted(len(pages), 'key page')} that could not be measured =="
        yield from (printable(f"{page.suite}, {page.site}, {page.key_url}: {page.reason}", 600) for page in pages)
        yield ""
