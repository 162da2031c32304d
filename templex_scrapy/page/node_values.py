"""Node values: what has to be the same on other pages before a node is removed.

A headline is at the same place on each page and different on each: its place is template, and still it must not be
removed. The *value* of a text node is its text, that of a link its target, that of an image, a form control or an
embedded object its source. Attributes that people read (``title``, ``aria-label``, ``alt``) are part of the value of
their element. Other nodes have none.

Compiled where there is a compiler (node_values.pxd has the types).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from templex_scrapy.page.cached_properties import cached_property
from templex_scrapy.page.links import Base, shortened_base
from templex_scrapy.page.node_arrays import NodeArrays
from templex_scrapy.page.start_tags import MAX_KEPT_LENGTH, StartTag, unescape
from templex_scrapy.page.subtrees import counts_before

LINKS = frozenset({"a", "area"})
"""Tags of elements whose value is a link target."""

MEDIA = frozenset(
    "audio button canvas embed frame img input math meter object picture progress select svg textarea video".split()
)
"""Tags of elements that are content themselves; their value includes everything they contain."""

_HREF = re.compile(r'\shref="([^"]*)"', re.ASCII)
_SRC = re.compile(r'\ssrc="([^"]+)"', re.ASCII)
# an empty source is none, as where a script puts one in its place
_ADDRESS = r'\s(?:href|(?:src|srcset|data|poster|data-src|data-srcset|data-original)(?!=""))="'
# captures how an address begins that starts from the page itself
_RELATIVE = re.compile(_ADDRESS + r'(?!#|/|[A-Za-z][A-Za-z0-9+.-]*:)([?"]?)', re.ASCII)
_VALUES = re.compile(
    r'\s((?:content|datetime|src|srcset|data-src|data-srcset|data-original|action|cite|href|style)="[^"]*")', re.ASCII
)
_READABLE = re.compile(r'\s((?:title|aria-label|alt)="[^"]*")', re.ASCII)
# addresses that are joined as they are written, and do not start from the page itself: with a host, from the root,
# from the directory; " ?p=2", "http:photo.jpg" and "/\t/x" are not what they seem
_HOST = re.compile(r"(?:https?:)?(//[\w.-]+(?:[/?][^\s\x00-\x1f\\#]*)?)", re.ASCII)
_ROOT = re.compile(r"/(?!/)[^\s\x00-\x1f\\#]*", re.ASCII)
_DIRECTORY = re.compile(r"((?:\.\./)*)(?=[\w-])(?![^?]*//)[^\s\x00-\x1f\\#:]*", re.ASCII)
_SCHEME = re.compile(r"https?:")
_LONG = 48
_LARGE = 5  # nodes of the subtrees whose digests are kept


def shortened(value: str) -> str:
    """Return a value as it is stored: a long one as its digest, which takes less memory."""
    if len(value) <= _LONG:
        return value
    return _digest([value])


def _digest(pieces: Iterable[str]) -> str:
    return hashlib.blake2b("\n".join(pieces).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


class _Written(NamedTuple):
    """What decides on the value of an element, as its start tag says it.

    Attributes:
        start: an address that starts as its own does; empty if that starts with the host, or there is none.
        rest: the rest of the address, and the other parts of the value.
    """

    start: str
    rest: str


def _read(start_tag: StartTag) -> _Written | None:
    """Return what decides on the value of an element; None for texts, long tags and addresses that are not plain."""
    tag_string = start_tag.tag_string
    # it is kept for each page
    if len(tag_string) > MAX_KEPT_LENGTH:
        return None
    if start_tag.tag in LINKS:
        return _read_address(_HREF.search(tag_string), _READABLE.findall(tag_string))
    is_media = start_tag.tag in MEDIA
    src = _SRC.search(tag_string) if is_media else None
    others = tag_string if src is None else tag_string[: src.start(1)] + tag_string[src.end(1) :]
    if tag_string[0] != "<" or _RELATIVE.search(others):
        return None
    return _read_address(src, [others]) if is_media else _Written("", "\n".join(_attribute_values(tag_string)))


def _read_address(found: re.Match[str] | None, others: list[str]) -> _Written | None:
    """Return what an address and the other parts of a value say; None if it is not a plain one."""
    if found is None:
        return _Written("", "\n".join(["", *others]))
    # "?page=2" starts from the page; "/rain#sun" is "#sun" on the page /rain
    address = unescape(found[1])
    with_host = _HOST.fullmatch(address)
    if with_host is not None:
        return _Written("", "\n".join([with_host[1], *others]))
    from_directory = _DIRECTORY.fullmatch(address)
    if from_directory is None and not _ROOT.fullmatch(address):
        return None
    start = "/" if from_directory is None else from_directory[1]
    return _Written(f"{start}x", "\n".join([address[len(start) :], *others]))


def _dependence(start_tag: StartTag) -> int:
    """Return what addresses in a start tag depend on: 2 for the page's address, 1 for its directory, 0 for nothing."""
    return _dependence_of(start_tag.tag_string)


def _dependence_of(tag_string: str) -> int:
    relative = _RELATIVE.findall(tag_string)
    return 2 if any(relative) else 1 if relative else 0


def _may_be_equal(written: str, other: str) -> bool:
    """Return whether two different addresses, with the other parts of a value, may have one canonical form."""
    one, two = (unquote_to_bytes(address.encode("utf-8", "surrogatepass")) for address in (written, other))
    # it resolves "/a/../x", and else keeps all bytes but for marks that it adds or drops: "/x?b&a=%7E" is "/x?a=~&b="
    return b"/." in one or b"/." in two or _byte_sum(one) == _byte_sum(two)


def _byte_sum(unescaped: bytes) -> int:
    return sum(unescaped.lower().translate(None, b"+ &=/?;"))


def _attribute_values(tag_string: str) -> list[str]:
    """Return a date, a price, a background: what an element says that is neither link nor medium."""
    if tag_string.count('="') == (' class="' in tag_string) + (' id="' in tag_string):
        return []
    # style="background: url(photo.jpg)" shows a picture; style="width: 50%" shows nothing
    values = [value for value in _VALUES.findall(tag_string) if not value.startswith("style") or "url(" in value]
    return values + _READABLE.findall(tag_string)


class NodeValues:
    """The values of the nodes of one page.

    Args:
        arrays: the page's nodes.
        base: the address that its relative links start from.
        url: its own address. The value of a link to the page itself is its fragment.

    Attributes:
        directory: the directory of ``base``.
    """

    def __init__(self, arrays: NodeArrays, base: str, url: str) -> None:
        self.arrays = arrays
        self._ids, self._sizes, self._start_tags = arrays.ids, arrays.sizes, arrays.start_tags
        self._texts, self._parents = arrays.texts, arrays.parents
        self.base = base
        self.url = url
        self.directory = base.rpartition("/")[0]
        self._digests: dict[int, str] = {}
        # each distinct start tag may have a link, which is joined to the whole base
        self._links_from = Base(shortened_base(base, len(arrays.start_tags)))
        self._targets: dict[str, str] = {}
        self._values: dict[str, str | None] = {}
        self._written_values: dict[int, str | None] = {}

    def value(self, position: int) -> str | None:
        """Return the value of a node; None if it has none."""
        text = self._texts[position]
        if text is not None:
            # a site's source is indented here and minified there
            return shortened(" ".join(text.split()))
        start_tag = self._start_tags[self._ids[position]]
        tag, tag_string = start_tag.tag, start_tag.tag_string
        if tag_string not in self._values:
            if tag in MEDIA:
                # includes the subtree, which elements with the same start tag need not share
                return self._source(position)
            self._values[tag_string] = self._link(tag_string) if tag in LINKS else self._attributes(tag_string)
        return self._values[tag_string]

    def has_value_of(self, position: int, other: NodeValues, at: int) -> bool:
        """Return whether a node has the value of a node of another page."""
        # the entries of a menu are written alike on all pages, and to compute their values takes long
        written, its = self._written(self._ids[position]), other._written(other._ids[at])
        if written is not None and its is not None:
            # what is in a medium belongs to its value
            if written == its and (self._sizes[position] == 1 == other._sizes[at] or not self.is_media(position)):
                return True
            if written != its and not _may_be_equal(written, its):
                return False
        return self.value(position) == other.all_values[at]

    def has_value(self, position: int) -> bool:
        """Return whether a node has a value."""
        return bool(self._written(self._ids[position])) or self.value(position) is not None

    def is_in_place_of(self, position: int, other: NodeValues, at: int) -> bool:
        """Return whether a text and one of another page are in elements of the same tags and classes, two levels up.

        A mapping may pair a label with a value in an element that is only similar; then they say nothing about each
        other.
        """
        # <dt>Weight</dt> may be paired with <dd>2 kg</dd>, the only child that is left on a page without a label
        for _ in range(2):
            position, at = self._parents[position], other._parents[at]
            if position < 0 or at < 0:
                return position == at
            start_tag, its = self._start_tags[self._ids[position]], other._start_tags[other._ids[at]]
            if start_tag.tag_and_classes != its.tag_and_classes:
                return False
        return True

    @cached_property
    def all_values(self) -> Sequence[str | None]:
        """The value of each node."""
        return tuple([self.value(position) for position in range(len(self.arrays.tag_strings))])

    @cached_property
    def relative_links(self) -> RelativeLinks:
        """Which subtrees contain links or sources that depend on the page's own address."""
        return RelativeLinks(self.arrays)

    def is_media(self, position: int) -> bool:
        """Return whether the node is content itself, with everything it contains."""
        return self._start_tags[self._ids[position]].tag in MEDIA

    def address_base(self, tag_string: str) -> str:
        """Return what addresses in a start tag depend on: the page's address, its directory, or nothing."""
        return self._address_base(_dependence_of(tag_string))

    def _address_base(self, dependence: int) -> str:
        return ("", self.directory, self.url)[dependence]

    def digest(self, position: int) -> str:
        """Return a digest of a subtree; those with the same tags, targets and words have the same.

        O(number of its nodes), for all subtrees in it together: each contains the digests of the large ones in it.
        """
        self._read(position)
        return self._digests.get(position) or self._digest_of(position)

    def _read(self, position: int) -> None:
        """Compute the digests of the large subtrees at and below a node."""
        large = _LARGE  # compiled, this is no object
        if self._sizes[position] < large or position in self._digests:
            return
        for inside in range(position + self._sizes[position] - 1, position - 1, -1):
            if self._sizes[inside] >= large and inside not in self._digests:
                self._digests[inside] = self._digest_of(inside)

    def _digest_of(self, position: int) -> str:
        start_tag = self._start_tags[self._ids[position]]
        return _digest(self._pieces(position, start_tag.tag_string, start_tag.read(_dependence)))

    def _pieces(self, position: int, tag_string: str, dependence: int) -> list[str]:
        """Return the tags, sizes and words of a subtree, and what its addresses depend on; large ones as digests."""
        sizes, large = self._sizes, _LARGE
        end = position + sizes[position]
        tags: list[str] = [tag_string]
        others: list[str] = []
        start = child = position + 1
        while start < end:
            while child < end and sizes[child] < large:
                child += sizes[child]
            for inside in range(start, child):
                start_tag = self._start_tags[self._ids[inside]]
                dependence = max(dependence, start_tag.read(_dependence))
                tags.append(start_tag.tag_string)
                others.append(str(sizes[inside]))
            others += [" ".join(text.split()) for text in self._texts[start:child] if text is not None]
            if child < end:
                tags.append(self._digests[child])
                child += sizes[child]
            start = child
        # the same relative link leads elsewhere from another directory
        return [self._address_base(dependence), *tags, *others]

    def _link(self, tag_string: str) -> str | None:
        href = _HREF.search(tag_string)
        targets = [] if href is None else [self._target(unescape(href[1]))]
        readable = _READABLE.findall(tag_string) if tag_string.count('="') > len(targets) else ()
        return shortened("\n".join([*targets, *readable])) or None

    def _written(self, number: int) -> str | None:
        """Return the value as a start tag writes it, its address absolute and not canonical; None if it is not plain.

        To find the canonical form of an address takes long. What is in a medium is part of its value, and not in this.
        """
        if number not in self._written_values:
            start_tag = self._start_tags[number]
            written = start_tag.read(_read)
            if written is None:
                self._written_values[number] = None
            else:
                start = self._target(written.start)[:-1] if written.start else ""
                self._written_values[number] = start + written.rest
        return self._written_values[number]

    @cached_property
    def _own_target(self) -> str:
        return self._absolute(self.url)

    def _target(self, href: str) -> str:
        if href.startswith("#"):
            return href
        target = self._targets.get(href)
        if target is None:
            target = self._absolute(href)
            _, mark, fragment = href.partition("#")
            # /page#top on /page is #top: the same link to the top of its own page on each page
            if mark and target == self._own_target:
                target = f"#{fragment}"
            elif fragment:
                target = f"{target}#{fragment}"
            self._targets[href] = target
        return target

    def _absolute(self, href: str) -> str:
        joined, canonical = self._links_from.absolute(href)
        whole = href if joined is None else canonical or joined
        # a site that answers on http and on https links to itself by either
        return whole[6:] if whole.startswith("https:") else _SCHEME.sub("", whole, count=1)

    def _source(self, position: int) -> str:
        tag_string = self._start_tags[self._ids[position]].tag_string
        src = _SRC.search(tag_string)
        if src is not None:
            start, end = src.span(1)
            tag_string = f"{tag_string[:start]}{self._target(unescape(src[1]))}{tag_string[end:]}"
        self._read(position)
        return shortened("\n".join(self._pieces(position, tag_string, _dependence_of(tag_string))))

    def _attributes(self, tag_string: str) -> str | None:
        """Return the value of an element that is neither link nor medium: a date, a price, a background."""
        values = _attribute_values(tag_string)
        return shortened("\n".join([self.address_base(tag_string), *values])) if values else None


class RelativeLinks:
    """Counts links and sources that depend on the page's own address, so that ranges of nodes are answered in O(1)."""

    def __init__(self, arrays: NodeArrays) -> None:
        dependences = arrays.of_start_tags(_dependence)
        self._relative_before = counts_before(bytes([dependences[number] > 0 for number in arrays.ids]))
        self._to_the_page_before = counts_before(bytes([dependences[number] > 1 for number in arrays.ids]))

    def any(self, start: int, end: int) -> bool:
        """Return whether any node in [start, end) has a relative link or source."""
        return self._relative_before[end] > self._relative_before[start]

    def depend_on_page(self, start: int, end: int) -> bool:
        """Return whether any node in [start, end) has one that starts from the page itself, such as ``?page=2``."""
        return self._to_the_page_before[end] > self._to_the_page_before[start]
