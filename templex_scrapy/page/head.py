"""The head of a page: what ``base``, ``html``, ``meta``, ``title`` and JSON-LD declare, wherever they stand."""

from __future__ import annotations

import html
import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from templex_scrapy.page.cached_properties import cached_property

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_DATA = 500_000
"""Characters of a page's JSON-LD; further scripts are not read."""

MAX_OBJECTS = 1_000
"""Objects of JSON-LD that describe the page: a list of products has some hundred."""

PROPERTIES = frozenset(
    "@type name headline datePublished dateCreated uploadDate author creator inLanguage description".split()
)
"""Properties of schema.org that are read."""

_MAX_VALUES = 20_000  # objects and lists of JSON-LD that are visited
_MAX_METAS, _MAX_TYPES, _MAX_TEXTS = 500, 100, 100
_MAX_TITLE, _MAX_TEXT, _MAX_NAME = 1_000, 5_000, 500  # characters; longer names are none
_NAMES = ("property", "name", "itemprop", "http-equiv")
_STRING = r'("(?:[^"\\]++|\\.)*+(?:"|\\?\Z))'  # so that the "//" of an address begins no comment
_AROUND = re.compile(
    rf"{_STRING}|<!--|-->|<!\[CDATA\[|\]\]>|/\*(?:.*?\*/|.*)|//(?=\s*(?:<!\[CDATA|\]\]>))|//[^\n]*", re.DOTALL
)
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_BAD_ESCAPE = re.compile(r'(\\["\\/bfnrtu])|\\')
_START = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder(strict=False)  # a line end in a string is an error to others

Described: TypeAlias = Mapping[str, tuple[str, ...]]
"""The texts of an object of JSON-LD by property; of an author that is an object, the name."""


class Data(NamedTuple):
    """The JSON-LD of a page.

    Attributes:
        objects: what stands alone, in a graph, or is the ``mainEntity`` of such an object, with :data:`PROPERTIES`.
        types: the types of all objects, 100 at most.
    """

    objects: tuple[Described, ...]
    types: frozenset[str]


class Head:
    """What a page declares beside its content. It stays known when the tree is released.

    Args:
        root: the root element.

    Attributes:
        base_href: the ``href`` of the first ``base`` that has one; None if none has.
        title: the text of ``title`` with one blank between words, 1,000 characters at most.
        lang: ``lang`` of the root element; empty if it has none.
        metas: the contents of ``meta`` by name in lower case: by ``property``, ``name`` and ``http-equiv``, and in the
            head by ``itemprop``; 500 contents of 5,000 characters at most.
        length: number of characters that are kept.
    """

    def __init__(self, root: Element) -> None:
        self.base_href: str | None = None
        self.title = ""
        self.lang = root.get("lang") or root.get("xml:lang") or ""
        self.metas: dict[str, list[str]] = {}
        self.length = 0
        self._scripts: list[str] = []
        self._data_left = MAX_DATA
        titles: list[str] = []
        metas = 0
        for element in root.iter("base", "meta", "script", "title"):
            if element.tag == "meta":
                metas += 1
                if metas <= _MAX_METAS:
                    self._add_meta(element)
            elif element.tag == "script":
                self._add_script(element)
            elif element.tag == "base":
                # <base target="_top"> says nothing of addresses
                self.base_href = element.get("href") if self.base_href is None else self.base_href
            # a picture may have a title of its own
            elif not titles and next(element.iterancestors("svg"), None) is None:
                titles.append(element.text or "")
                self.title = " ".join(titles[0][:_MAX_TITLE].split())

    def _add_meta(self, meta: Element) -> None:
        key = next((key for key in _NAMES if meta.get(key)), None)
        content = (meta.get("content") or meta.get("datetime") or "").strip()[:_MAX_TEXT]
        # microdata in the body may be that of a comment
        if key and content and not (key == "itemprop" and next(meta.iterancestors("body"), None) is not None):
            self.metas.setdefault(meta.get(key, "").strip().lower(), []).append(content)
            self.length += len(content)

    def _add_script(self, script: Element) -> None:
        if "ld+json" not in script.get("type", "").lower():
            return
        text = script.text or ""
        if len(text) <= self._data_left:
            self._scripts.append(text)
            self._data_left -= len(text)
            self.length += len(text)

    @cached_property
    def data(self) -> Data:
        """The JSON-LD of the page; what is damaged beyond repair is left out."""
        values = list(islice(_values([top for script in self._scripts for top in _parsed(script)]), _MAX_VALUES))
        objects = [value for value, _ in values if isinstance(value, dict)]
        types = dict.fromkeys(
            re.split("[/#:]", text)[-1] for value in objects for text in _texts(value.get("@type"), {})
        )
        # read once: a short script may refer to a long name very often
        names: dict[str, str] = {}
        for value in objects:
            if isinstance(key := value.get("@id"), str) and key not in names and (name := _literal(value.get("name"))):
                names[key] = name
        alone = (value for value, is_alone in values if is_alone and isinstance(value, dict))
        described = tuple(
            {name: texts for name in PROPERTIES & value.keys() if (texts := _texts(value[name], names))}
            for value in islice(alone, MAX_OBJECTS)
        )
        return Data(described, frozenset(islice(types, _MAX_TYPES)))


def _parsed(script: str) -> Iterator[Any]:
    """Yield the values of a script, without what plug-ins write around and between them."""
    text = script
    if '"' not in text:
        text = html.unescape(text)  # {&quot;@type&quot;: …
    values, is_whole = _decoded(text)
    if not is_whole:
        repaired = _TRAILING_COMMA.sub(lambda found: _BAD_ESCAPE.sub(r"\1", found[1] or ""), _AROUND.sub(r"\1", text))
        values = max(values, _decoded(repaired)[0], key=len)
    yield from values


def _decoded(text: str) -> tuple[list[Any], bool]:
    """Return the values of a text up to what is damaged, and whether nothing is."""
    values: list[Any] = []
    place = 0
    with suppress(ValueError, RecursionError):
        while (start := _START.search(text, place)) and len(values) < _MAX_VALUES:
            value, place = _DECODER.raw_decode(text, start.start())
            values.append(value)
        return values, True
    return values, False


def _values(tops: list[Any]) -> Iterator[tuple[Any, bool]]:
    """Yield all objects and lists, outer ones first, and whether each stands alone."""
    waiting = deque((top, True) for top in tops)
    while waiting:
        value, is_alone = waiting.popleft()
        yield value, is_alone
        if isinstance(value, dict):
            parts = [(part, is_alone and key in {"@graph", "mainEntity"}) for key, part in value.items()]
        else:
            parts = [(part, is_alone) for part in value]
        waiting.extend(part for part in parts if isinstance(part[0], (dict, list)))


def _texts(value: Any, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the texts of a property, or the names of the objects that it has or refers to."""
    several = value if isinstance(value, list) else [value]
    texts = (_text(part, names) for part in several[:_MAX_TEXTS])
    return tuple(filter(None, texts))


def _text(value: Any, names: Mapping[str, str]) -> str:
    if not isinstance(value, dict):
        # "author": "https://mill.test/#ann"
        return names.get(value) or _cut(value, _MAX_TEXT) if isinstance(value, str) else ""
    if "name" in value:
        return _literal(value["name"])
    key = value.get("@id")
    return _literal(value) or (names.get(key, "") if isinstance(key, str) else "")


def _literal(value: Any) -> str:
    """Return a name, which may be the first of a list, and an object with a language; empty if it is no text."""
    value = value[0] if isinstance(value, list) and value else value
    value = value.get("@value") if isinstance(value, dict) else value
    return _cut(value, _MAX_NAME) if isinstance(value, str) else ""


def _cut(text: str, most: int) -> str:
    return html.unescape(text[:most]) if text.strip() else ""
