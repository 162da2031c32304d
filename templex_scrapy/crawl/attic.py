"""Sites that were put away: what was learnt about them, compressed, until a page of theirs comes again.

A broad crawl goes round thousands of hosts. It cannot keep the templates of all of them at hand, and it must not learn
them anew at each round, nor search again and again where there is nothing to be found.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from templex_scrapy.template import PendingPages, Template

ENTRY_BYTES = 300
"""Bytes that a site takes beside what was packed, roughly, and so does a template that grows."""


@dataclass(frozen=True, slots=True)
class WaitingPages:
    """Pages of a site that wait to vote.

    Attributes:
        spare: those that may stand in for a complete subdigraph.
        growing: those that are to join the voters of a template, by what names it.
    """

    spare: PendingPages
    growing: Mapping[tuple[str, str], PendingPages]

    @property
    def bytes(self) -> int:
        """Bytes that they take, roughly."""
        return self.spare.bytes + sum(pages.bytes + ENTRY_BYTES for pages in self.growing.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class PutAway:
    """What is remembered of a site.

    Attributes:
        searches: searches begun.
        failures: searches that brought no template, in all and in a row.
        templates: the templates, the most recently used first.
        retired: those that serve no longer and may yet, the one retired longest ago first.
        doubted: pages for which templates, by what names them, have been doubted.
        waiting: pages that wait to vote; None if there is no room for them.
    """

    searches: int
    failures: tuple[int, int]
    templates: tuple[Template, ...] = ()
    retired: tuple[Template, ...] = ()
    doubted: Mapping[tuple[str, str], int] = field(default_factory=dict)
    waiting: WaitingPages | None = None


class Attic:
    """Sites that were put away, a bounded number of bytes of them; the one put away longest ago goes first.

    Pages that wait to vote go before any site does: templates and counts take less room, and save more.

    Args:
        max_bytes: bytes of all that is kept, roughly, at least 0.

    Attributes:
        bytes: bytes that are kept now.
        lost: sites that had to go.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self.lost = 0
        self._packed: OrderedDict[str, bytes] = OrderedDict()
        self._waiting: OrderedDict[str, WaitingPages] = OrderedDict()

    def __len__(self) -> int:
        return len(self._packed)

    def __contains__(self, site: object) -> bool:
        return site in self._packed

    def put(self, site: str, away: PutAway) -> list[str]:
        """Put a site away, in the place of what was put away of it before.

        Returns:
            The sites that had to go.
        """
        self._drop(site)
        templates = [[template.to_dict() for template in some] for some in (away.templates, away.retired)]
        doubted = [[*identity, pages] for identity, pages in away.doubted.items()]
        plain = [away.searches, away.failures, doubted, *templates]
        packed = zlib.compress(json.dumps(plain, ensure_ascii=True, separators=(",", ":")).encode("ascii"), level=1)
        self._packed[site] = packed
        self.bytes += len(packed) + ENTRY_BYTES
        if away.waiting is not None and away.waiting.bytes:
            self._waiting[site] = away.waiting
            self.bytes += away.waiting.bytes
        lost = []
        while self.bytes > self.max_bytes:
            if self._waiting:
                self._drop_waiting(next(iter(self._waiting)))
            else:
                lost.append(next(iter(self._packed)))
                self._drop(lost[-1])
        self.lost += len(lost)
        return lost

    def take(self, site: str) -> PutAway | None:
        """Take a site out again; None if it is not there."""
        packed = self._packed.get(site)
        if packed is None:
            return None
        waiting = self._waiting.get(site)
        self._drop(site)
        searches, failures, doubted, *templates = json.loads(zlib.decompress(packed))
        serving, retired = (tuple(map(Template.from_dict, some)) for some in templates)
        return PutAway(
            searches=searches,
            failures=tuple(failures),
            templates=serving,
            retired=retired,
            doubted={(url, digest): pages for url, digest, pages in doubted},
            waiting=waiting,
        )

    def _drop(self, site: str) -> None:
        self._drop_waiting(site)
        packed = self._packed.pop(site, None)
        if packed is not None:
            self.bytes -= len(packed) + ENTRY_BYTES

    def _drop_waiting(self, site: str) -> None:
        waiting = self._waiting.pop(site, None)
        if waiting is not None:
            self.bytes -= waiting.bytes
