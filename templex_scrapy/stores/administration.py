"""What a person does with a store: list, show, forget, export, import. For a command line, but without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from templex_scrapy.stores.errors import NoSuchTemplateError, RecordError, TemplateTooLargeError
from templex_scrapy.stores.jsonlines import MAX_LINE, read_line, write_line
from templex_scrapy.stores.record import LeftOut, StoredTemplate, TemplateInfo
from templex_scrapy.stores.store import Store

MAX_REFUSALS = 100
"""Refused lines that an import tells of; further ones are only counted."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """What is known about templates.

    Attributes:
        templates: the templates, by site and key.
        left_out: the records that cannot be read.
    """

    templates: tuple[TemplateInfo, ...]
    left_out: tuple[LeftOut, ...]


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
        left_out: the records that cannot be read.
    """

    sites: int
    templates: int
    size: int
    left_out: tuple[LeftOut, ...]


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


def list_templates(store: Store, site: str | None = None) -> Listed:
    """What is known about the templates of a site, or of all sites in order.

    It reads no template: of one that is damaged behind its head it tells as of any other.

    Raises:
        NoSuchTemplateError: if a site is named of which there is no record.
        StoreUnavailableError: if the store cannot be read.
    """
    templates: list[TemplateInfo] = []
    left_out: list[LeftOut] = []
    for name in [site] if site is not None else [known.site for known in store.sites()]:
        found, others = store.describe_telling(name)
        templates += found
        left_out += others
    if site is not None and not templates and not left_out:
        raise _no_such_site(store, site)
    return Listed(templates=tuple(templates), left_out=tuple(left_out))


def find(store: Store, site: str, key: str) -> TemplateInfo:
    """The template of a site whose key begins so.

    Raises:
        NoSuchTemplateError: if there is none, or more than one.
        StoreUnavailableError: if the store cannot be read.
    """
    known = {info.head.key: info for info in _of_site(store, site)}
    return known[_meant(site, key, known)]


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
    """Remove the template of a site whose key begins so, or all templates of the site, readable or not.

    Returns:
        How many were removed.

    Raises:
        NoSuchTemplateError: if there is none, or the key may mean more than one.
        StoreUnavailableError: if the store cannot be written to.
    """
    if key is not None:
        listed = list_templates(store, site)
        keys = [*(info.head.key for info in listed.templates), *(one.key for one in listed.left_out)]
        return store.forget(site, _meant(site, key, keys))
    removed = store.forget(site)
    if not removed:
        raise _no_such_site(store, site)
    return removed


def export_templates(store: Store, stream: BinaryIO, site: str | None = None) -> Exported:
    """Write the templates of a site, or of all sites, as JSON Lines; one site at a time is in memory.

    Raises:
        NoSuchTemplateError: if a site is named that has none, or there are some and none can be read.
        StoreUnavailableError: if the store cannot be read.
        OSError: if the stream cannot be written to.
    """
    if site is not None:
        _of_site(store, site)
    sites = templates = size = 0
    left_out: list[LeftOut] = []
    for name in [site] if site is not None else [known.site for known in store.sites()]:
        stored, others = store.load_telling(name)
        sites += bool(stored)
        templates += len(stored)
        size += sum(stream.write(write_line(name, one)) for one in sorted(stored, key=lambda one: one.key))
        left_out += others
    if left_out and not templates:
        raise NoSuchTemplateError(told_of(left_out))
    return Exported(sites=sites, templates=templates, size=size, left_out=tuple(left_out))


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


def told_of(left_out: Sequence[LeftOut]) -> str:
    """That records, at least one, cannot be read: one sentence without a full stop."""
    first = left_out[0]
    number = "1 record" if len(left_out) == 1 else f"{len(left_out):,} records"
    which = f"{':' if len(left_out) == 1 else ', such as'} {first.key} of {first.site} ({first.why})"
    return f"{number} cannot be read (damaged, or written by another version){which}"


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
    listed = list_templates(store, site)
    if not listed.templates:
        raise NoSuchTemplateError(told_of(listed.left_out))
    return list(listed.templates)


def _meant(site: str, key: str, keys: Iterable[str]) -> str:
    """The key that begins so.

    Raises:
        NoSuchTemplateError: if there is none, or more than one.
    """
    known = list(keys)
    found = [one for one in known if one.startswith(key)]
    if len(found) != 1:
        which = ", ".join(found or known)
        raise NoSuchTemplateError(
            f"{len(found) or 'no'} templates of {site} have a key from {key!r} on; there are {which}"
        )
    return found[0]


def _no_such_site(store: Store, site: str) -> NoSuchTemplateError:
    known = [known.site for known in store.sites()]
    shown = ", ".join(known[:10]) + (f" and {len(known) - 10} more" if len(known) > 10 else "")
    return NoSuchTemplateError(f"there is no template of {site}; there are templates of {shown or 'no site at all'}")
