"""Node values: what must be the same on other pages before a node is removed.

A headline is at the same place on each page and different on each: the place is template, and still it must not be
removed. The *value* of a text node is the text, that of a link the target, that of an image, a form control or an
embedded object the source. Attributes that people read (``title``, ``aria-label``, ``alt``) are part of the value of
their element. Other nodes have none.

Values and digests contain addresses, and the same relative address leads elsewhere from another page. So each start tag
has a *scope*, for values and for digests: the pages on which it reads the same.

=========  =======================================  ======================================
scope      target of a link, source of a medium     other addresses; all those in a digest
=========  =======================================  ======================================
site       ``https://x/a``, ``//x/a``, ``/a``       the same, ``#a`` and other schemes
directory  ``a.html``, ``../a``                     the same
page       all others, such as ``?p=2``, ``#a``     ``?p=2`` and the empty address
=========  =======================================  ======================================
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from html import unescape

from templex_scrapy import cython
from templex_scrapy.page.addresses import HREF, absolute, digest, shortened_base
from templex_scrapy.page.cached_properties import cached_property
from templex_scrapy.page.node_arrays import NodeArrays
from templex_scrapy.page.start_tags import StartTag
from templex_scrapy.page.subtrees import counts_before

LINKS = frozenset({"a", "area"})
"""Tags of elements whose value is a link target."""

MEDIA = frozenset(
    "audio button canvas embed frame img input math meter object picture progress select svg textarea video".split()
)
"""Tags of elements that are content themselves; their value includes everything they contain."""

_SRC = re.compile(r'\ssrc="([^"]+)"', re.ASCII)
# an empty source is none, as where a script puts one in its place
_ADDRESS = r'\s(?:href|(?:src|srcset|data|poster|data-src|data-srcset|data-original)(?!=""))="'
# captures how an address begins that starts from the page itself
_RELATIVE = re.compile(_ADDRESS + r'(?!#|/|[A-Za-z][A-Za-z0-9+.-]*:)([?"]?)', re.ASCII)
_VALUES = re.compile(
    r'\s((?:content|datetime|src|srcset|data-src|data-srcset|data-original|action|cite|href|style)="[^"]*")', re.ASCII
)
_READABLE = re.compile(r'\s((?:title|aria-label|alt)="[^"]*")', re.ASCII)
# addresses that are joined as they are: with a host or from the root, and those from the directory. Others
# may start from the page itself: " ?p=2", "http:photo.jpg" and "/\t/x" are not what they seem
_OF_SITE = re.compile(r"(?:(?:https?:)?//[\w.-]+(?:[/?][^\s\x00-\x1f\\#]*)?|/(?!/)[^\s\x00-\x1f\\#]*)", re.ASCII)
_OF_DIRECTORY = re.compile(r"(?:\.\./)*(?=[\w-])(?![^?]*//)[^\s\x00-\x1f\\#:]*", re.ASCII)
_SCHEME = re.compile(r"https?:")
_LONG = 48

cython.declare(_SITE="int", _DIRECTORY="int", _PAGE="int", _LARGE="int")
_SITE, _DIRECTORY, _PAGE = 0, 1, 2  # scopes
_LARGE = 5  # nodes of the subtrees whose digests are kept


def shortened(value: str) -> str:
    """Return a value as it is stored: a long one as the digest, which takes less memory."""
    return value if len(value) <= _LONG else digest(value)


def _value_scope(start_tag: StartTag) -> int:
    """Return the scope of the value of a start tag."""
    tag_string = start_tag.tag_string
    address = (HREF if start_tag.tag in LINKS else _SRC).search(tag_string)
    if start_tag.tag in LINKS:
        others = _SITE
    elif start_tag.tag in MEDIA and address is not None:
        others = _scope_as_written(tag_string[: address.start(1)] + tag_string[address.end(1) :])
    else:
        return _scope_as_written(tag_string)
    if address is None:
        return others
    target = unescape(address[1])
    if _OF_SITE.fullmatch(target):
        return others
    return max(others, _DIRECTORY) if _OF_DIRECTORY.fullmatch(target) else _PAGE


def _digest_scope(start_tag: StartTag) -> int:
    """Return the scope of a start tag in a digest."""
    return _scope_as_written(start_tag.tag_string)


def _scope_as_written(tag_string: str) -> int:
    relative = _RELATIVE.findall(tag_string)
    return _PAGE if any(relative) else _DIRECTORY if relative else _SITE


class NodeValues:
    """The values of the nodes of one page.

    Args:
        arrays: the page's nodes.
        base: the address that relative links start from.
        url: the address of the page. The value of a link to the page itself is the fragment.

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
        # each distinct start tag may have a link, which is joined to the whole base
        self._links_from = shortened_base(base, len(arrays.start_tags))
        page = f"{self._links_from}\n{base}\n{url}"
        site = "/".join(base.split("/")[:3])
        self._scopes = (site, self.directory, page) if self._links_from == base else (page, page, page)
        self._digests: dict[int, str] = {}

    @cython.locals(start_tag=StartTag)
    def value(self, position: int) -> str | None:
        """Return the value of a node; None if it has none."""
        text = self._texts[position]
        if text is not None:
            # a site's source is indented here and minified there
            return shortened(" ".join(text.split()))
        start_tag = self._start_tags[self._ids[position]]
        if self._sizes[position] > 1 and start_tag.tag in MEDIA:
            # includes the subtree, which elements with the same start tag need not share
            return self._source(position)
        scope = self._scopes[start_tag.read(_value_scope)]
        kept_scope, value = start_tag.value
        if kept_scope is not scope and kept_scope != scope:
            value = self._start_tag_value(position, start_tag.tag, start_tag.tag_string)
            start_tag.value = scope, value
        return value

    def has_value_of(self, position: int, other: NodeValues, at: int) -> bool:
        """Return whether a node has the value of a node of another page."""
        return self.value(position) == other.all_values[at]

    @cython.locals(start_tag=StartTag, counterpart=StartTag)
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
            start_tag, counterpart = self._start_tags[self._ids[position]], other._start_tags[other._ids[at]]
            if start_tag.tag_and_classes != counterpart.tag_and_classes:
                return False
        return True

    @cached_property
    def all_values(self) -> Sequence[str | None]:
        """The value of each node."""
        return tuple([self.value(position) for position in range(len(self.arrays.tag_strings))])

    def leads_to_the_same(self, other: NodeValues, start: int, end: int) -> bool:
        """Return whether the addresses in nodes [start, end) are those of equal nodes of another page; O(1)."""
        of_directory, of_page = self._addresses_before
        # "?page=2" and "#top" start from the page itself, "about.html" from the directory
        if of_page[end] > of_page[start]:
            return self.url == other.url
        return self.directory == other.directory or of_directory[end] == of_directory[start]

    @cached_property
    def _addresses_before(self) -> list[array[int]]:
        """How many nodes before each have addresses that start from directory or page; the same for the page alone."""
        scopes = self.arrays.of_start_tags(_digest_scope)
        return [
            counts_before(bytes([scopes[number] >= least for number in self.arrays.ids]))
            for least in (_DIRECTORY, _PAGE)
        ]

    def _address_base(self, scope: int) -> str:
        return ("", self.directory, self.url)[scope]

    def digest(self, position: int) -> str:
        """Return a digest of a subtree; those with the same tags, targets and words have the same.

        O(number of nodes), for all subtrees in it together: each contains the digests of the large ones in it.
        """
        self._read(position)
        return self._digests.get(position) or self._digest_of(position)

    @cython.locals(inside="Py_ssize_t")
    def _read(self, position: int) -> None:
        """Compute the digests of the large subtrees at and below a node."""
        if self._sizes[position] < _LARGE or position in self._digests:
            return
        for inside in range(position + self._sizes[position] - 1, position - 1, -1):
            if self._sizes[inside] >= _LARGE and inside not in self._digests:
                self._digests[inside] = self._digest_of(inside)

    @cython.locals(start_tag=StartTag)
    def _digest_of(self, position: int) -> str:
        start_tag = self._start_tags[self._ids[position]]
        return digest("\n".join(self._pieces(position, start_tag.tag_string, start_tag.read(_digest_scope))))

    @cython.locals(
        start_tag=StartTag, tags=list, others=list, start="Py_ssize_t", child="Py_ssize_t", end="Py_ssize_t",
        inside="Py_ssize_t", sizes="const int[::1]", scope="int",
    )  # fmt: skip
    def _pieces(self, position: int, tag_string: str, scope: int) -> list[str]:
        """Return the tags, sizes and words of a subtree, and what the addresses depend on; large ones as digests."""
        sizes = self._sizes
        end = position + sizes[position]
        tags: list[str] = [tag_string]
        others: list[str] = []
        start = child = position + 1
        while start < end:
            while child < end and sizes[child] < _LARGE:
                child += sizes[child]
            for inside in range(start, child):
                start_tag = self._start_tags[self._ids[inside]]
                scope = max(scope, start_tag.read(_digest_scope))
                tags.append(start_tag.tag_string)
                others.append(str(sizes[inside]))
            others += [" ".join(text.split()) for text in self._texts[start:child] if text is not None]
            if child < end:
                tags.append(self._digests[child])
                child += sizes[child]
            start = child
        # the same relative link leads elsewhere from another directory
        return [self._address_base(scope), *tags, *others]

    def _start_tag_value(self, position: int, tag: str, tag_string: str) -> str | None:
        if tag in MEDIA:
            return self._source(position)
        if tag in LINKS:
            href = HREF.search(tag_string)
            targets = [] if href is None else [self._target(unescape(href[1]))]
            readable = _READABLE.findall(tag_string) if tag_string.count('="') > len(targets) else ()
            return shortened("\n".join([*targets, *readable])) or None
        # a date, a price, a background
        if tag_string.count('="') == (' class="' in tag_string) + (' id="' in tag_string):
            return None
        # style="background: url(photo.jpg)" shows a picture; style="width: 50%" shows nothing
        values = [value for value in _VALUES.findall(tag_string) if not value.startswith("style") or "url(" in value]
        values += _READABLE.findall(tag_string)
        return shortened("\n".join([self._address_base(_scope_as_written(tag_string)), *values])) if values else None

    @cached_property
    def _own_target(self) -> str:
        return self._absolute(self.url)

    def _target(self, href: str) -> str:
        if href.startswith("#"):
            return href
        target = self._absolute(href)
        _, mark, fragment = href.partition("#")
        # /page#top on /page is #top: the same link to the top of its own page on each page
        if mark and target == self._own_target:
            return f"#{fragment}"
        return f"{target}#{fragment}" if fragment else target

    def _absolute(self, href: str) -> str:
        joined, canonical = absolute(self._links_from, href)
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
        return shortened("\n".join(self._pieces(position, tag_string, _scope_as_written(tag_string))))
