"""Sites that were put away: what was learnt about them, compressed, until a page of theirs comes again.

A broad crawl goes round thousands of hosts. It cannot keep the templates of all of them at hand, and it must not learn
them anew at each round.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from dataclasses import dataclass

from templex_scrapy.template import Template


@dataclass(frozen=True, slots=True)
class PutAway:
    """What is remembered of a site.

    Attributes:
        searches: searches begun.
        failures: searches that brought no template, in all and in a row.
        templates: the templates, the most recently used first.
    """

    searches: int
    failures: tuple[int, int]
    templates: tuple[Template, ...]


class Attic:
    """Sites that were put away, a bounded number of bytes of them; the one put away longest ago goes first.

    Args:
        max_bytes: bytes of the compressed templates, at least 0.

    Attributes:
        bytes: bytes that are kept now.
        lost: sites that had to go.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self.lost = 0
        self._packed: OrderedDict[str, bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._packed)

    def put(self, site: str, away: PutAway) -> None:
        """Put a site away, in the place of what was put away of it before."""
        self._drop(site)
        plain = [away.searches, away.failures, [template.to_dict() for template in away.templates]]
        packed = zlib.compress(json.dumps(plain, ensure_ascii=True, separators=(",", ":")).encode("ascii"), level=1)
        self._packed[site] = packed
        self.bytes += len(packed)
        while self.bytes > self.max_bytes:
            self._drop(next(iter(self._packed)))
            self.lost += 1

    def take(self, site: str) -> PutAway | None:
        """Take a site out again; None if it is not there."""
        packed = self._packed.get(site)
        if packed is None:
            return None
        self._drop(site)
        searches, failures, templates = json.loads(zlib.decompress(packed))
        return PutAway(searches, tuple(failures), tuple(map(Template.from_dict, templates)))

    def _drop(self, site: str) -> None:
        self.bytes -= len(self._packed.pop(site, b""))
