"""What is made of a page whose nodes are judged: cleaned, readable, annotated, or its template alone.

Every function works on a copy of the page's tree; the page stays as it is. (With ``spend`` it loses its tree.)
"""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, cast

from lxml import etree

from templex_scrapy.page import Page
from templex_scrapy.render import readable
from templex_scrapy.render.trees import remove, writable
from templex_scrapy.render.word_spacing import part_words

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

TEMPLATE_CLASS = "template_node"
"""The class that :func:`annotate` gives to template elements (WWW15)."""

HIDDEN = "visibility: hidden"
VISIBLE = "visibility: visible"

_DOCTYPE = re.compile(r"<!doctype", re.IGNORECASE)


class _Copy:
    """A copy of a page's tree in which nodes are found by their positions in the page.

    Args:
        page: the page.
        spend: whether the page's own tree may be changed in place of a copy; the page makes a new one if need be.
    """

    def __init__(self, page: Page, *, spend: bool = False) -> None:
        self.page = page
        is_body = page.body is page.root
        root = page.detach_tree() if spend else copy.deepcopy(page.root.getroottree()).getroot()
        self.root: Element = root
        self.body: Element = root if is_body else cast("Element", root.find("body"))

    @cached_property
    def elements(self) -> Sequence[Element]:
        """As ``Page.elements``; to be asked for before anything is changed."""
        return list(self.body.iter())

    def element(self, position: int) -> Element:
        return self.elements[self.page.arrays.places[position]]

    def remove(self, positions: Collection[int]) -> None:
        """Take nodes out with all they hold; the texts behind them stay, and their words apart."""
        arrays = self.page.arrays
        places = {position: arrays.places[position] for position in sorted(positions)}
        elements = self._at({max(place, ~place) for place in places.values()})
        # the tail of an element that goes joins the text before it, so texts that go must be gone by then
        texts = [place for position, place in places.items() if arrays.texts[position] is not None]
        for place in texts:
            if place >= 0:
                elements[place].text = None
            else:
                elements[~place].tail = None
        roots = [place for position, place in places.items() if arrays.texts[position] is None]
        part_words(elements, texts, roots)
        remove(elements[place] for place in roots)

    def _at(self, places: Iterable[int]) -> dict[int, Element]:
        """The elements at some places, found without holding all of them; there may be hundreds of thousands."""
        elements = self.body.iter()
        found, passed = {}, 0
        for place in sorted(places):
            found[place] = next(islice(elements, place - passed, None))
            passed = place + 1
        return found

    def html(self) -> str:
        """The whole document, with its doctype."""
        has_doctype = _DOCTYPE.search(self.page.text) is not None
        # the parser gives a page without doctype one, which would change how browsers show it
        return etree.tostring(self.root.getroottree() if has_doctype else self.root, encoding="unicode", method="html")


def _stripped(page: Page, roots: Collection[int], *, spend: bool = False) -> _Copy:
    copied = _Copy(page, spend=spend)
    copied.remove(roots)
    return copied


def strip(page: Page, roots: Collection[int], *, spend: bool = False) -> str:
    """The page's HTML without some subtrees.

    Args:
        page: the page.
        roots: positions of the roots of what goes; node 0 is not among them.
        spend: whether the page's own tree may be used up, which spares the copy. Not for a page made of a tree that
            somebody else has (``Page.from_root``).

    Returns:
        The page's own source, unchanged, if nothing goes, or if the parser may have cut the page.
    """
    return page.text if not roots or page.is_cut else _stripped(page, roots, spend=spend).html()


def text(page: Page, roots: Collection[int]) -> str:
    """What is left of the page, as text for reading: blocks on lines of their own, no markup.

    Of a page that the parser may have cut, the whole text.
    """
    if page.is_cut:
        return readable.flat_text(page.text)
    left = _stripped(page, roots)
    if page.arrays.depth > readable.READER_DEPTH:
        return readable.flat_text(left.html())
    return readable.text(left.body)


def markdown(page: Page, roots: Collection[int]) -> str:
    """What is left of the page, as Markdown; of a page nested too deep for the converter, as text."""
    if page.arrays.depth > readable.READER_DEPTH:
        return text(page, roots)
    return readable.markdown(_stripped(page, roots).body)


def annotate(page: Page, nodes: Collection[int]) -> str:
    """The whole page, with the class ``template_node`` on the elements at these positions (WWW15).

    Returns:
        The page's own source, unchanged, if the parser may have cut the page.
    """
    if page.is_cut:
        return page.text
    copied = _Copy(page)
    for position in nodes:
        if page.arrays.texts[position] is None:
            element = copied.element(position)
            classes = (element.get("class") or "").split()
            if TEMPLATE_CLASS not in classes:
                element.set("class", " ".join([*classes, TEMPLATE_CLASS]))
    return copied.html()


def hide(page: Page, nodes: Collection[int]) -> str:
    """The template view: the whole page, in which what is not at these positions is hidden but keeps its room (WWW15).

    Bare text is wrapped in a ``span`` where it differs from the element that it is in.

    Returns:
        The page's own source, unchanged, if the parser may have cut the page.
    """
    if page.is_cut:
        return page.text
    copied = _Copy(page)
    arrays = page.arrays
    shown = set(nodes)
    for position in range(len(arrays.tag_strings) - 1, -1, -1):
        parent = arrays.parents[position]
        visible, around = position in shown, parent < 0 or parent in shown
        if visible == around:
            continue
        style = VISIBLE if visible else HIDDEN
        if arrays.texts[position] is None:
            _add_style(copied.element(position), style)
        else:
            _wrap(copied, position, style)
    return copied.html()


def _add_style(element: Element, style: str) -> None:
    own = (element.get("style") or "").strip().rstrip(";")
    element.set("style", f"{own}; {style}" if own else style)


def _wrap(copied: _Copy, position: int, style: str) -> None:
    place = copied.page.arrays.places[position]
    holder = copied.elements[place if place >= 0 else ~place]
    span = etree.Element("span", style=style)
    if place >= 0:
        span.text, holder.text = writable(holder.text or " "), None
        holder.insert(0, span)
    else:
        span.text = writable(holder.tail or " ")
        holder.tail = None
        holder.addnext(span)
