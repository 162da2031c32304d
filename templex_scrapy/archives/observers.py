"""Notes on the learnt templates and cleaned pages of a run, for the crawl report and for a store."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from templex_scrapy.archives.outputs import Cleaned
from templex_scrapy.archives.partitions import Part, Partitions
from templex_scrapy.archives.records import text_of
from templex_scrapy.page import site_of
from templex_scrapy.template import Template


class Observer(Protocol):
    """Receives the templates and cleaned pages of a run."""

    def site_learnt(self, site: str, templates: Sequence[Template], new: Sequence[Template]) -> None:
        """The run cleans a site with these templates, most recently used first; the run learnt the ``new``."""

    def page_cleaned(self, page: ObservedPage) -> None:
        """A page was compared with the templates."""


@dataclass(frozen=True, slots=True)
class ObservedPage:
    """A page that was compared with the templates, as observers see it.

    Attributes:
        at: time of cleaning, in seconds since 1970.
        template_url: URL of the template's key page; empty if no template fits.
        words: number of words before and after.
        removed: positions of the roots of the removed subtrees.
        read: returns the source.
    """

    url: str
    at: float
    template_url: str
    coverage: float
    words: tuple[int, int]
    removed: Sequence[int]
    read: Callable[[], str]

    @property
    def fits(self) -> bool:
        """Whether a template fits."""
        return bool(self.template_url)

    @property
    def source(self) -> str:
        """The HTML before cleaning."""
        return self.read()


def note_of_site(templates: Sequence[Template], known: Sequence[Template]) -> bytes:
    """Return a note on the templates of a site; empty without templates. ``known`` are older than the run."""
    before = {template.identity for template in known}
    return _note([(template.to_dict(), template.identity in before) for template in templates]) if templates else b""


def note_of_page(position: int, cleaned: Cleaned) -> bytes:
    """Return a note on a page; empty if the page was not compared with templates."""
    page = cleaned.page
    if page is None:
        return b""
    return _note((position, page.url, time.time(), page.template_url, page.coverage, page.words, page.removed))


def _note(values: object) -> bytes:
    # not MessagePack, in which lone surrogates have no form
    return json.dumps(values).encode("ascii")


def tell(note: bytes, part: Part, partitions: Partitions, observer: Observer) -> None:
    """Tell an observer the content of a note."""
    values = json.loads(note)
    if isinstance(values[0], list):
        templates = [Template.from_dict(data) for data, _ in values]
        new = [template for template, (_, is_known) in zip(templates, values, strict=True) if not is_known]
        observer.site_learnt(site_of(templates[0].key_url) or "", templates, new)
    else:
        position, url, at, template_url, coverage, words, removed = values
        read = partial(_source, partitions, part.partition, position)
        observer.page_cleaned(ObservedPage(url, at, template_url, coverage, words, removed, read))


def _source(partitions: Partitions, number: int, position: int) -> str:
    return text_of(next(partitions.read(number, [position])).html or "")
