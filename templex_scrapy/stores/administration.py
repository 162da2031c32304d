"""What a person does with a store: list, show, forget, export, import. For a command line, but without one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from templex_scrapy.stores.errors import NoSuchTemplateError, RecordError, TemplateTooLargeError
from templex_scrapy.stores.jsonlines import MAX_LINE, read_line, write_line
from templex_scrapy.stores.record import StoredTemplate, TemplateInfo
from templex_scrapy.stores.store import Store

MAX_REFUSALS = 100
"""Refused lines that an import tells of; further ones are only counted."""


@dataclass(frozen=True, kw_only=True)
class TemplateDetails:
    """A stored template, looked into.

    Attributes:
        info: what is known about it.
        stored: the template with what is remembered of it.
        nodes: nodes of the key page.
        template_nodes: those of them that are template.
    """

    info: TemplateInfo
    stored: StoredTemplate
    nodes: int
    template_nodes: int


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written.

    Attributes:
        sites: sites with templates.
        templates: templates.
        size: bytes.
    """

    sites: int
    templates: int
    size: int


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A line that was not imported.

    Attributes:
        line: its number, from 1.
        reason: why.
    """

    line: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What was read.

    Attributes:
        templates: templates stored, those included that were there already.
        refused: lines that were not.
        refusals: the first of them.
    """

    templates: int
    refused: int
    refusals: tuple[Refusal, ...]


def list_templates(store: Store, site: str | None = None) -> Iterator[TemplateInfo]:
    """What is known about the templates of a site, or of all sites in order; reads no template.

    Raises:
        NoSuchTemplateError: if a site is named that has none.
        StoreUnavailableError: if the store cannot be read.
    """
    if site is None:
        for known in store.sites():
            yield from store.describe(known.site)
    else:
        yield from _of_site(store, site)


def find(store: Store, site: str, key: str) -> TemplateInfo:
    """The template of a site whose key begins so.

    Raises:
        NoSuchTemplateError: if there is none, or more than one.
        StoreUnavailableError: if the store cannot be read.
    """
    known = _of_site(store, site)
    found = [info for info in known if info.head.key.startswith(key)]
    if len(found) != 1:
        which = ", ".join(info.head.key for info in found or known)
        raise NoSuchTemplateError(
            f"{len(found) or 'no'} templates of {site} have a key from {key!r} on; there are {which}"
        )
    return found[0]


def show(store: Store, site: str, key: str) -> TemplateDetails:
    """The template of a site whose key begins so, read.

    Raises:
        NoSuchTemplateError: if there is none, or more than one, or it is damaged.
        StoreUnavailableError: if the store cannot be read.
    """
    info = find(store, site, key)
    for stored in store.load(site):
        if stored.key == info.head.key:
            data = stored.template.to_dict()
            nodes = len(data["labels"])
            return TemplateDetails(info=info, stored=stored, nodes=nodes, template_nodes=len(stored.template.nodes))
    raise NoSuchTemplateError(f"the template {info.head.key} of {site} cannot be read")


def forget(store: Store, site: str, key: str | None = None) -> int:
    """Remove the template of a site whose key begins so, or all templates of the site.

    Returns:
        How many were removed.

    Raises:
        NoSuchTemplateError: if there is none, or the key may mean more than one.
        StoreUnavailableError: if the store cannot be written to.
    """
    if key is not None:
        return store.forget(site, find(store, site, key).head.key)
    removed = store.forget(site)
    if not removed:
        raise _no_such_site(store, site)
    return removed


def export_templates(store: Store, stream: BinaryIO, site: str | None = None) -> Exported:
    """Write the templates of a site, or of all sites, as JSON Lines; one site at a time is in memory.

    Raises:
        NoSuchTemplateError: if a site is named that has none.
        StoreUnavailableError: if the store cannot be read.
        OSError: if the stream cannot be written to.
    """
    if site is not None:
        _of_site(store, site)
    sites = templates = size = 0
    for name in [site] if site is not None else [known.site for known in store.sites()]:
        stored = sorted(store.load(name), key=lambda one: one.key)
        sites += bool(stored)
        templates += len(stored)
        size += sum(stream.write(write_line(name, one)) for one in stored)
    return Exported(sites=sites, templates=templates, size=size)


def import_templates(store: Store, stream: BinaryIO) -> Imported:
    """Store the templates that :func:`export_templates` wrote, as if they had been learnt by another worker.

    Nothing in the stream is trusted: a line that is no template is refused, and the others are stored. Templates that
    are there already are merged, and keep their counts.

    Raises:
        StoreUnavailableError: if the store cannot be written to.
        OSError: if the stream cannot be read.
    """
    templates = 0
    refusals: list[Refusal] = []
    refused = 0
    for number, line in _lines(stream):
        try:
            store.save(*read_line(line))
            templates += 1
        except (RecordError, TemplateTooLargeError) as error:
            refused += 1
            if len(refusals) < MAX_REFUSALS:
                refusals.append(Refusal(line=number, reason=str(error)))
    return Imported(templates=templates, refused=refused, refusals=tuple(refusals))


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers; of those that are too long only as much as shows it."""
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        rest = line
        while len(rest) > MAX_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_LINE + 1)
        if line.strip():
            yield number, line


def _of_site(store: Store, site: str) -> list[TemplateInfo]:
    found = store.describe(site)
    if not found:
        raise _no_such_site(store, site)
    return found


def _no_such_site(store: Store, site: str) -> NoSuchTemplateError:
    known = [known.site for known in store.sites()]
    shown = ", ".join(known[:10]) + (f" and {len(known) - 10} more" if len(known) > 10 else "")
    return NoSuchTemplateError(f"there is no template of {site}; there are templates of {shown or 'no site at all'}")
