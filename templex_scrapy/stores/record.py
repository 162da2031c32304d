"""What a store keeps of a template: the template itself, and what is to be known about it without reading it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from templex_scrapy.template import Template

_TICK = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class Retired:
    """That a template serves no longer.

    Attributes:
        at: since when, with a time zone.
        reason: why, in a few words.
    """

    at: datetime
    reason: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", utc(self.at))


@dataclass(frozen=True, kw_only=True)
class StoredTemplate:
    """A template with what is to be remembered of it. Made by :meth:`of`, or by a store.

    Attributes:
        key: names it within its site: the same for the same key page, address and source, whoever learns it.
        template: the template.
        learnt: when it was learnt. Times have a time zone; they are kept in UTC, to the microsecond.
        updated: when it last changed, as when pages joined the voters; not before ``learnt``.
        kind: what kind of pages it is for, in the learner's own words.
        notes: further things that the learner wants to remember, and a person to read.
        retired: that it serves no longer; None while it does.
        served: pages that it has fitted so far. A store counts with :meth:`Store.used`, and takes this number only for
            a template that is new to it.
        last_used: when it last fitted one; None for never.

    Raises:
        ValueError: if a time has no time zone.
    """

    key: str
    template: Template
    learnt: datetime
    updated: datetime
    kind: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    retired: Retired | None = None
    served: int = 0
    last_used: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "learnt", utc(self.learnt))
        object.__setattr__(self, "updated", max(utc(self.updated), self.learnt))
        if self.last_used is not None:
            object.__setattr__(self, "last_used", utc(self.last_used))

    @classmethod
    def of(
        cls, template: Template, learnt: datetime, *, kind: str = "", notes: Mapping[str, str] | None = None
    ) -> Self:
        """A template that has just been learnt."""
        key = key_of(template.to_dict())
        return cls(key=key, template=template, learnt=learnt, updated=learnt, kind=kind, notes=dict(notes or {}))

    @property
    def urls(self) -> tuple[str, ...]:
        """Addresses of the key page and of the pages that voted."""
        return (self.template.key_url, *self.template.page_urls)

    def grown(self, template: Template, when: datetime, *, notes: Mapping[str, str] | None = None) -> Self:
        """The same key page with other voters; wins over this one wherever both are stored, whatever the clock says.

        Args:
            template: the template as it is now.
            when: the time, with a time zone.
            notes: the notes as they are now; None where they stay.

        Raises:
            ValueError: if it is the template of another key page.
        """
        if key_of(template.to_dict()) != self.key:
            raise ValueError(f"{template!r} is of another key page than {self.template!r}: store it as a new one")
        notes = self.notes if notes is None else dict(notes)
        return replace(self, template=template, updated=max(utc(when), _next(self.updated)), notes=notes)

    def after(self, retired: Retired | None) -> Self:
        """The same, learnt after an earlier one of its key was retired, even if the clock for that was ahead."""
        if retired is None or self.learnt > retired.at:
            return self
        with suppress(OverflowError):
            return replace(self, learnt=retired.at + _TICK)
        return self

    def retire(self, reason: str, when: datetime) -> Self:
        """The same, serving no longer; stays so until its key page is learnt anew, after that time."""
        return replace(self, retired=Retired(max(utc(when), self.learnt), reason))


@dataclass(frozen=True, kw_only=True)
class Head:
    """What is to be known about a stored template without reading it.

    Attributes:
        site: the site.
        key: as in :class:`StoredTemplate`, and so are ``kind``, ``learnt``, ``updated``, ``retired``, ``urls`` and
            ``notes``.
        data_format: version of the form of the template's data.
        digest: hexadecimal digest of the stored bytes of the template.
        size: number of these bytes.
        inflated: number of bytes that they decompress to.
    """

    site: str
    key: str
    kind: str
    learnt: datetime
    updated: datetime
    retired: Retired | None
    urls: tuple[str, ...]
    notes: Mapping[str, str]
    data_format: int
    digest: str
    size: int
    inflated: int


@dataclass(frozen=True, kw_only=True)
class TemplateInfo:
    """A stored template as it is listed.

    Attributes:
        head: what is known about it.
        served: pages that it has fitted so far.
        last_used: when it last fitted one, in UTC; None for never.
    """

    head: Head
    served: int
    last_used: datetime | None


@dataclass(frozen=True, kw_only=True)
class SiteInfo:
    """What a store has of a site.

    Attributes:
        site: the site.
        templates: templates that serve.
        retired: templates that serve no longer.
        served: pages that they have fitted so far.
        last_used: when one last fitted, in UTC; None for never.
        size: bytes of the templates as they are stored.
    """

    site: str
    templates: int
    retired: int
    served: int
    last_used: datetime | None
    size: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A stored record that was not read.

    Attributes:
        site: its site.
        key: its key.
        why: what is wrong with it.
    """

    site: str
    key: str
    why: str


def key_of(data: Mapping[str, Any]) -> str:
    """The key of a template's data: 32 hexadecimal digits made of the address and the source of its key page."""
    named = f"{data['digests'][0]} {data['urls'][0]}"
    return hashlib.blake2b(named.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def utc(time: datetime) -> datetime:
    """The same moment in UTC.

    Raises:
        ValueError: if it has no time zone.
    """
    if time.tzinfo is None:
        raise ValueError(f"{time!r} has no time zone: use datetime.now(UTC) or the like")
    return time.astimezone(UTC)


def _next(time: datetime) -> datetime:
    """The moment after; at the end of time, which whoever means harm may have written, the same."""
    with suppress(OverflowError):
        return time + _TICK
    return time


def ticks(time: datetime) -> int:
    """Microseconds from 1970 on."""
    return (time - _EPOCH) // _TICK


def from_ticks(number: int | None) -> datetime | None:
    """The moment so many microseconds after 1970; None for None, and for what is out of range."""
    try:
        return None if number is None else _EPOCH + number * _TICK
    except OverflowError:
        return None
