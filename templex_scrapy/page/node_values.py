"""What a node says, as opposed to where it stands.

A headline stands at the same place on each page and says something else on each: it is template by place, and still
nothing that may be removed. A *fact* is what has to be the same on other pages as well: of a text node its words, of a
link its target, of an image, a form control or an embedded object its source. Other nodes say nothing of their own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate

from templex_scrapy.page.links import absolute
from templex_scrapy.page.nodes import NodeArrays, unescape

LINKS = frozenset({"a", "area"})
"""Tags of elements that say where they lead."""

MEDIA = frozenset(
    "audio button canvas embed frame img input math meter object picture progress select svg textarea video".split()
)
"""Tags of elements that are content themselves, with all they hold."""

_HREF = re.compile(r'\shref="([^"]*)"', re.ASCII)
_SRC = re.compile(r'\ssrc="([^"]*)"', re.ASCII)
_ADDRESS = r'\s(?:href|src|srcset|data|poster|data-src|data-srcset|data-original)="'
_RELATIVE = re.compile(_ADDRESS + r"(?!#|/|[A-Za-z][A-Za-z0-9+.-]*:)", re.ASCII)
_VALUES = re.compile(
    r'\s((?:content|datetime|src|srcset|data-src|data-srcset|data-original|action|cite|href|style)="[^"]*")', re.ASCII
)
_OF_THE_PAGE = re.compile(_ADDRESS + r'[?"]', re.ASCII)
_SCHEME = re.compile(r"https?:")
_LONG = 48


def shortened(said: str) -> str:
    """A string that stands for ``said``: itself, or a digest where it is long, so that facts stay small."""
    if len(said) <= _LONG:
        return said
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


class NodeValues:
    """What the nodes of one page say.

    Args:
        arrays: the page's nodes.
        base: the address that its relative links start from.
        url: its own address; a link to a place in the page itself says no more than its fragment.

    Attributes:
        block_names: names of blocks by position, as far as ``block_key`` has been asked.
    """

    def __init__(self, arrays: NodeArrays, base: str, url: str) -> None:
        self.arrays = arrays
        self.base = base
        self.url = url
        self._own = self._absolute(url)
        self.directory = base.rpartition("/")[0]
        self._targets: dict[str, str] = {}
        self._said: dict[str, str | None] = {}
        self.block_names: dict[int, str] = {}

    def value(self, position: int) -> str | None:
        """What the node at a position says; None if it says nothing of its own."""
        text = self.arrays.texts[position]
        if text is not None:
            return shortened(" ".join(text.split()))
        tag_string = self.arrays.tag_strings[position]
        if tag_string not in self._said:
            tag = self.arrays.start_tag(position).tag
            if tag in MEDIA:
                # what it holds counts as well, and two with one start tag may hold different things
                return self._source(position)
            self._said[tag_string] = self._link(tag_string) if tag in LINKS else self._values(tag_string)
        return self._said[tag_string]

    @cached_property
    def all_values(self) -> Sequence[str | None]:
        """What each node says."""
        return [self.value(position) for position in range(len(self.arrays.tag_strings))]

    @cached_property
    def relative_links(self) -> RelativeLinks:
        """Where its links and sources start from its own address."""
        return RelativeLinks(self.arrays)

    def is_media(self, position: int) -> bool:
        """Whether the node is content itself, with all it holds."""
        return self.arrays.start_tag(position).tag in MEDIA

    def has_value(self, position: int) -> bool:
        """Whether anything in the subtree of a node says something."""
        end = position + self.arrays.sizes[position]
        if self.arrays.texts[position:end].count(None) < end - position:
            return True
        return any(self.value(below) is not None for below in range(position, end))

    def _link(self, tag_string: str) -> str | None:
        href = _HREF.search(tag_string)
        return None if href is None else shortened(self._target(unescape(href[1])))

    def _target(self, written: str) -> str:
        if written.startswith("#"):
            return written
        target = self._targets.get(written)
        if target is None:
            target = self._absolute(written)
            _, mark, fragment = written.partition("#")
            if mark and target == self._own:
                target = f"#{fragment}"
            self._targets[written] = target
        return target

    def _absolute(self, written: str) -> str:
        joined, canonical = absolute(self.base, written)
        whole = written if joined is None else canonical or joined
        # a site that answers on http and https links itself by either
        return _SCHEME.sub("", whole, count=1)

    def _source(self, position: int) -> str:
        end = position + self.arrays.sizes[position]
        tag_strings = self.arrays.tag_strings[position:end]
        src = _SRC.search(tag_strings[0])
        if src is not None:
            tag_strings[0] = tag_strings[0].replace(src[1], self._target(unescape(src[1])))
        texts = (text for text in self.arrays.texts[position:end] if text is not None)
        return shortened("\n".join([self.address_base(tag_strings), *tag_strings, *texts]))

    def _values(self, tag_string: str) -> str | None:
        """What the attributes of an element say that is neither link nor medium: a date, a price, a background."""
        found = _VALUES.findall(tag_string) if "=" in tag_string else []
        values = [value for value in found if not value.startswith("style") or "url(" in value]
        return shortened("\n".join([self.address_base([tag_string]), *values])) if values else None

    def address_base(self, tag_strings: Iterable[str]) -> str:
        """Where the addresses in start tags start from: the page, its directory, or (empty) neither."""
        relative = [tag_string for tag_string in tag_strings if is_relative(tag_string)]
        return self.url if any(map(_OF_THE_PAGE.search, relative)) else self.directory if relative else ""


def is_relative(tag_string: str) -> bool:
    """Whether a start tag has a link or a source that starts from the page's own address."""
    return _RELATIVE.search(tag_string) is not None


class RelativeLinks:
    """Where a page's links and sources start from the page's own address; O(1) to ask of a subtree."""

    def __init__(self, arrays: NodeArrays) -> None:
        # most start tags come many times, and texts are none
        different = set(arrays.tag_strings)
        relative = {tag_string for tag_string in different if is_relative(tag_string)}
        of_the_page = {tag_string for tag_string in different if _OF_THE_PAGE.search(tag_string) is not None}
        self._before = [0, *accumulate(tag_string in relative for tag_string in arrays.tag_strings)]
        self._of_the_page_before = [0, *accumulate(tag_string in of_the_page for tag_string in arrays.tag_strings)]

    def depend_on_page(self, start: int, end: int) -> bool:
        """Whether any node in [start, end) has one that starts from the page itself, such as ``?page=2``."""
        return self._of_the_page_before[end] > self._of_the_page_before[start]

    def any(self, start: int, end: int) -> bool:
        """Whether any node in [start, end) has one."""
        return self._before[end] > self._before[start]
