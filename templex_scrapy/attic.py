"""Sites that were put away: what was learnt about them, compressed, until a page of theirs comes again.

A broad crawl goes round thousands of hosts. It cannot keep the templates of all of them at hand, and it must not learn
them anew at each round, nor search again and again where there is nothing to be found.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from dataclasses import dataclass

from templex_scrapy.growth import KeptPages
from templex_scrapy.template import Template

ENTRY_BYTES = 300
"""Bytes that a site takes beside what was packed, roughly."""


@dataclass(frozen=True, slots=True)
class PutAway:
    """What is remembered of a site.

    Attributes:
        searches: searches begun.
        failures: searches that brought no template, in all and in a row.
        templates: the templates, the most recently used first.
        spare: pages that may stand in for a complete subdigraph; None if there is no room for them.
    """

    searches: int
    failures: tuple[int, int]
    templates: tuple[Template, ...]
    spare: KeptPages | None = None


class Attic:
    """Sites that were put away, a bounded number of bytes of them; the one put away longest ago goes first.

    Pages that may stand in go before any site does: templates and counts take less room, and save more.

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
        self._spare: OrderedDict[str, KeptPages] = OrderedDict()

    def __len__(self) -> int:
        return len(self._packed)

    def __contains__(self, site: object) -> bool:
        return site in self._packed

    def put(self, site: str, away: PutAway) -> None:
        """Put a site away, in the place of what was put away of it before."""
        self._drop(site)
        plain = [away.searches, away.failures, [template.to_dict() for template in away.templates]]
        packed = zlib.compress(json.dumps(plain, ensure_ascii=True, separators=(",", ":")).encode("ascii"), level=1)
        self._packed[site] = packed
        self.bytes += len(packed) + ENTRY_BYTES
        if away.spare:
            self._spare[site] = away.spare
            self.bytes += away.spare.bytes
        while self.bytes > self.max_bytes:
            if self._spare:
                self._drop_spare(next(iter(self._spare)))
            else:
                self._drop(next(iter(self._packed)))
                self.lost += 1

    def take(self, site: str) -> PutAway | None:
        """Take a site out again; None if it is not there."""
        packed = self._packed.get(site)
        if packed is None:
            return None
        spare = self._spare.get(site)
        self._drop(site)
        searches, failures, templates = json.loads(zlib.decompress(packed))
        return PutAway(searches, tuple(failures), tuple(map(Template.from_dict, templates)), spare)

    def _drop(self, site: str) -> None:
        self._drop_spare(site)
        packed = self._packed.pop(site, None)
        if packed is not None:
            self.bytes -= len(packed) + ENTRY_BYTES

    def _drop_spare(self, site: str) -> None:
        spare = self._spare.pop(site, None)
        if spare is not None:
            self.bytes -= spare.bytes
