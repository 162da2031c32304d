"""A page as Markdown (CommonMark, with tables), in one walk of the tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import chain, islice
from typing import Any, ClassVar, Literal

from lxml.etree import _Element as Element

from templex_scrapy.page import HEADINGS, INLINE, LEFT_OUT, Page, elements_of, nodes_of
from templex_scrapy.render import formulas
from templex_scrapy.render.addresses import absolute_from, is_shown, picture_address
from templex_scrapy.render.emphasis import BREAK, EMPHASIS, EMPHASIS_END, STRONG, STRONG_END, with_marks
from templex_scrapy.render.escaping import (
    HAS_SIGNS,
    code_block,
    code_span,
    collapsed,
    escaped,
    heading,
    link,
    lists_of,
    number_of,
    paragraph_line,
    target_of,
)
from templex_scrapy.render.tables import rows_of, span, table_of
from templex_scrapy.render.text import RemovedParts, code_lines, is_line_number, text, writable

MAX_DEPTH = 200
"""Levels of nesting up to which there is Markdown: the writer is recursive."""

MAX_INDENTED = 10
"""Levels of lists, quotes and definitions that are indented: each repeats the indentation in all lines."""

MAX_ADDED = 2_000_000
"""Characters of indentations and empty cells, as many as a page may have; the rest goes without."""

# as Prism and highlight.js have it ("language-python"), and GitHub ("highlight-source-python")
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.]+)")
# the start of a block that is no paragraph
_NO_PARAGRAPH = re.compile(r"[-*] |\d+[.)] |#{1,6} |> |\||```|---$")
_LISTS = frozenset({"dir", "menu", "ol", "ul"})
# elements that browsers show as blocks: all others, such as <relative-time>, are parts of a line
_BLOCKS = """
    address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form
    frameset header hgroup html legend li main nav noframes p search section summary tbody td tfoot th thead title tr
""".split()
# a heading that contains these is around a part of the page, as the end tag is missing
_NO_HEADING = tuple("blockquote dl form ol p pre section table ul".split())
_STYLED = frozenset({"a", "label", "span", "time"})
_SIGNS = "".join((STRONG, STRONG_END, EMPHASIS, EMPHASIS_END, BREAK))
# <button>Buy</button><button>Sell</button> are two words on one line
_APART = """
    audio button canvas embed foreignobject input meter object optgroup option output picture progress select svg
    textarea video
    """.split()


def markdown(page: Page, roots: Collection[int], *, part: int = 0, links: bool = True, images: bool = True) -> str:
    """Return a page, or the part at a position, without the subtrees at ``roots`` as Markdown with absolute addresses.

    Without ``links``, the words of links stay. O(number of nodes + length of the texts). Of a page that is nested
    too deep for the writer, the text is returned.
    """
    arrays = nodes_of(page)
    if page.is_cut or arrays.depth > MAX_DEPTH:
        return text(page, roots, part=part)
    writer = _Writer(page, roots, links=links, images=images)
    writer.element(elements_of(page)[arrays.slots[part]])
    writer.flush()
    return writable("\n\n".join(writer.blocks))


class _Writer:
    """Writes the blocks of one container at a time, such as a list item, and the line under way in it."""

    def __init__(self, page: Page, roots: Collection[int], *, links: bool, images: bool) -> None:
        self.blocks: list[str] = []
        self._line: list[str] = []
        self._removed = RemovedParts.of(page, roots)
        self._reads_noscript = any(tag.startswith("<noscript") for tag in nodes_of(page).distinct)
        self._absolute = absolute_from(page.base_url)
        self._pictures: dict[Element, str] = {}
        self._with_links, self._with_images = links, images
        self._link: tuple[str, int] | None = None  # the target of an open link, and where it begins in the line
        self._term = -1  # number of blocks up to a term whose definition may follow
        self._indented = 0
        self._within: Literal["heading", "cell", ""] = ""  # what is under way, if all of it stays on one line
        self._room = MAX_ADDED

    def element(self, element: Element) -> None:
        """Write an element."""
        self._HANDLERS.get(str(element.tag), _Writer._foreign)(self, element)

    def flush(self) -> None:
        """End the line under way: it becomes a block, or a block for each group of lines between two line breaks."""
        if not self._line:
            return
        # of a link around several blocks, <a><h3>Tea</h3><p>Green</p></a>, the first is the text
        self._end_link()
        if self._link is not None:
            self._link = self._link[0], 0
        line = collapsed("".join(self._line))
        self._line = []
        if STRONG in line or EMPHASIS in line:
            line = collapsed(with_marks(line))
        elif line == " ":
            return
        if self._within:
            blocks = [line.replace(BREAK, " ").strip()]
        elif BREAK not in line:
            blocks = [paragraph_line(line.strip())]
        else:
            # <br><br> is what older pages have between paragraphs
            paragraphs = re.split("\n\n+", "\n".join(map(str.strip, line.split(BREAK))).strip("\n"))
            blocks = ["  \n".join(map(paragraph_line, paragraph.split("\n"))) for paragraph in paragraphs]
        self.blocks += filter(None, blocks)

    def _walk(self, element: Element) -> None:
        removed, no_tail = self._removed.elements, self._removed.tails
        if (words := element.text) and element not in self._removed.texts:
            self._text(words)
        for child in element:
            if child in removed:
                self._line.append(" ")  # "12<div>an advertisement</div>.75" is no number
            elif isinstance(child.tag, str):  # and no comment
                self._HANDLERS.get(child.tag, _Writer._foreign)(self, child)
            if words := child.tail:
                if child in no_tail:
                    self._line.append(" ")
                else:
                    self._text(words)

    def _text(self, words: str) -> None:
        if HAS_SIGNS.search(words) is None:
            self._line.append(words)
        else:
            for piece, is_formula in formulas.divided(words):
                self._piece(piece if is_formula else escaped(piece, is_linked=self._link is not None))

    def _piece(self, piece: str) -> None:
        """Write a piece of a line, which may be empty."""
        if piece:
            self._line.append(piece)

    # elements within a line

    def _foreign(self, element: Element) -> None:
        """Write an element that HTML has not: a part of a line, or blocks if it contains them."""
        name = str(element.tag).rpartition(":")[2]
        if name in {"math", "omath", "omathpara"}:
            self._line.append(formulas.of_element(element) or " ")
        else:
            self._walk(element)
            # <user-name>Ann</user-name><user-role>Editor</user-role>
            if not element.tail and "-" in name:
                self._line.append(" ")

    def _apart(self, element: Element) -> None:
        self._line.append(" ")
        self._walk(element)
        self._line.append(" ")

    def _drawn(self, element: Element) -> None:
        """Write a text of a drawing, but no title of an icon, and no label that is there as HTML as well."""
        before = element.getprevious()
        if next(element.iterancestors("svg"), None) is None:
            (self.block if element.tag == "title" else self._foreign)(element)
        elif element.tag != "text" or (
            before is not None and before.tag == "foreignobject" and before not in self._removed.elements
        ):
            self._line.append(" ")
        else:
            self._apart(element)

    def _span(self, element: Element) -> None:
        formula = formulas.rendered(element)
        if formula is None and element.tag == "mjx-container":
            self._foreign(element)
        elif formula is None:
            self._walk(element)
            self._keep_apart(element)
        else:
            self._piece(formula)

    def _keep_apart(self, element: Element) -> None:
        """Put a space between two elements that a style keeps apart: ``<span>Ann</span><span>2 May</span>``."""
        behind = element.getnext()
        if element.tail is not None or behind is None or behind.tag not in _STYLED or not self._line:
            return
        if self._line[-1][-1].isalnum() and (behind.text or "")[:1].isalnum():
            self._line.append(" ")

    def _template(self, element: Element) -> None:
        """Write a shadow tree, which browsers show in place of the element around it; of a deep tree only the words."""
        if element.get("shadowrootmode") or element.get("shadowroot"):
            # the elements are no nodes, and do not count in the depth of the page
            above = [ancestor.tag for ancestor in element.iterancestors()]
            deeper = "/".join([".", *"*" * (MAX_DEPTH - len(above))])
            if "template" in above or not element.xpath(f"boolean({deeper})"):
                self.block(element)
            else:
                self._text(" ".join(element.itertext()))

    def _noscript(self, element: Element) -> None:
        before = element.getprevious()
        if self._reads_noscript:
            self.block(element)
        # the picture that a script would load; an <img> in front of it has it already
        elif before is None or before.tag not in {"img", "picture", "amp-img"}:
            image = next(element.iter("img"), None)
            if image is not None and is_shown(image):
                self._image(image)

    def _raised(self, element: Element) -> None:
        """Write ``sup`` and ``sub``: in ``$9<sup>25</sup>`` the digits are two numbers."""
        # but H<sub>2</sub>O and 4<sup>th</sup> are words
        if self._line and self._line[-1][-1].isdigit() and (element.text or "")[:1].isdigit():
            self._line.append(" ")
        self._walk(element)

    def _marked(self, element: Element) -> None:
        start, end = (STRONG, STRONG_END) if element.tag in {"b", "strong"} else (EMPHASIS, EMPHASIS_END)
        # <b>a</b><b>b</b> is **ab**
        if len(self._line) > (0 if self._link is None else self._link[1]) and self._line[-1] == end:
            self._line.pop()
        else:
            self._line.append(start)
        self._walk(element)
        self._line.append(end)

    def _code(self, element: Element) -> None:
        # <code><a href="#open">open()</a></code>, as in Javadoc: within `code` no link is one
        if len(element) == 1 and element[0].tag == "a" and not (element.text or element[0].tail or "").strip():
            self._a(element[0], lambda inside: self._piece(code_span(code_lines(inside, self._removed))))
            return
        is_plain = not len(element) and element not in self._removed.texts
        self._piece(code_span(element.text or "" if is_plain else code_lines(element, self._removed)))

    def _image(self, element: Element) -> None:
        words = collapsed(element.get("alt", "")).strip(" ")
        if formula := formulas.of_image(element, words):
            self._line.append(formula)
        elif not self._with_images:
            self._line.append(" ")
        else:
            words = escaped(words, is_linked=True)
            source = picture_address(element, self._pictures)
            self._line.append(f"![{words}]({target_of(self._absolute(source))})" if source else f" {words} ")

    def _a(self, element: Element, write: Callable[[Element], None] | None = None) -> None:
        """Write a link; ``write`` writes the words."""
        write = write or self._walk
        address = element.get("href", "").strip()
        if self._within == "heading" and address:
            names = element.get("class", "")
            leads_here = "#" in address or "anchor" in names or "headerlink" in names
            is_sign = not any(map(str.isalnum, "".join(element.itertext()))) and next(element.iter("img"), None) is None
            if leads_here and is_sign:  # such as "¶"
                return
        is_script = address[:11].lower() == "javascript:"
        # a heading that is a link to itself
        is_own = self._within == "heading" and address.startswith("#")
        if not address or is_own or is_script or not self._with_links or self._link is not None:
            write(element)
            return
        self._link = target_of(self._absolute(address)), len(self._line)
        write(element)
        self._end_link()
        self._link = None
        self._keep_apart(element)

    def _end_link(self) -> None:
        """Write an open link around the words; without words it stays open."""
        if self._link is not None:
            target, start = self._link
            words = "".join(self._line[start:])
            if words.strip(f" \t\n\r\f{_SIGNS}"):
                self._line[start:] = [link(words.replace(BREAK, " "), target)]
                self._link = None

    # blocks

    def block(self, element: Element) -> None:
        """Write an element that has lines of its own."""
        self.flush()
        self._walk(element)
        self.flush()

    def _heading(self, element: Element) -> None:
        if self._within or next(element.iterdescendants(*_NO_HEADING), None) is not None:
            self.block(element)
            return
        self.flush()
        if pieces := self._container(self._walk, element, "heading"):
            self.blocks.append(heading(int(str(element.tag)[1]), " ".join(pieces)))
        else:
            self.block(element)  # a link that is a sign is all that the heading has

    def _rule(self, _element: Element) -> None:
        self.flush()
        if not self._within:
            self.blocks.append("---")

    def _container(
        self, write: Callable[[Any], None], content: Element | str, within: Literal["heading", "cell", ""] = ""
    ) -> list[str]:
        """Return the blocks that ``write`` makes of some content; of a heading or a cell they are pieces of a line."""
        outer = self.blocks, self._within
        self.blocks, self._within = [], within or self._within
        self._indented += 1
        write(content)
        self.flush()
        self._indented -= 1
        inner = self.blocks
        self.blocks, self._within = outer
        return inner

    def _has_room(self, characters: int) -> bool:
        """Return whether so many characters may be added to those of the page; then they are."""
        if characters > self._room:
            return False
        self._room -= characters
        return True

    def _quote(self, element: Element) -> None:
        if self._within or self._indented >= MAX_INDENTED:
            self.block(element)
            return
        self.flush()
        inner = self._container(self._walk, element)
        if inner and self._has_room(len("> ") * _lines_of(inner)):
            inner = ["> " + "\n\n".join(inner).replace("\n", "\n> ")]
        self.blocks += inner

    def _define(self, element: Element) -> None:
        """Write a term; the definition follows on the next line."""
        self.block(element)
        self._term = len(self.blocks) if self.blocks else -1

    def _definition(self, element: Element) -> None:
        self.flush()
        is_first = self._term == len(self.blocks) and not self._within
        inner = self._container(self._walk, element)
        if is_first and inner and not _NO_PARAGRAPH.match(inner[0]) and not _NO_PARAGRAPH.match(self.blocks[-1]):
            self.blocks[-1] += f"  \n{inner.pop(0)}"
        self.blocks += inner

    def _list(self, element: Element) -> None:
        if self._within or self._indented >= MAX_INDENTED:
            self.block(element)
            return
        self.flush()
        self._piece("" if element in self._removed.texts else escaped(element.text or ""))
        self.flush()
        is_numbered = element.tag == "ol"
        items, number = self._items(element)
        width = len(f"{number}. ") if is_numbered else 2
        if self._has_room(width * sum(_lines_of(blocks) for _, blocks in items)):
            self.blocks += lists_of(items, self.blocks[-1] if self.blocks else "", is_numbered=is_numbered)
        else:
            self.blocks += chain.from_iterable(blocks for _, blocks in items)

    def _items(self, element: Element) -> tuple[list[tuple[int, list[str]]], int]:
        """Return the numbers and the blocks of the items of a list, and the number that comes next."""
        items: list[tuple[int, list[str]]] = []
        number = number_of(element.get("start", ""), 1)
        for child in element:
            is_left_out = child.tag in LEFT_OUT and child.tag != "script"  # which may be a formula
            if isinstance(child.tag, str) and child not in self._removed.elements and not is_left_out:
                # <li>a</li><ul><li>b</li></ul><li>c</li>: browsers show b below a
                if child.tag in _LISTS and items:
                    items[-1][1].extend(self._container(self._list, child))
                elif blocks := self._container(self._walk if child.tag == "li" else self.element, child):
                    number = number_of(child.get("value", ""), number)
                    items.append((number, blocks))
                    number += 1
            tail = child.tail if child.tail and child not in self._removed.tails else ""
            if tail.strip() and (blocks := self._container(self._text, tail)):
                items.append((number, blocks))
                number += 1
        return items, number

    def _preformatted(self, element: Element) -> None:
        if is_line_number(element):
            return
        code = code_lines(element, self._removed)
        if self._within:
            self._line.append(code_span(code))
        self.flush()
        if code and not self._within:
            # a class of the element, or of the elements around and in it
            named = [*element[:1], element, *islice(element.iterancestors(), 1)]
            languages = (_LANGUAGE.search(each.get("class") or "") for each in named)  # None of a comment
            self.blocks.append(code_block(code, next((language[1] for language in languages if language), "")))

    def _table(self, element: Element) -> None:
        rows = None if self._within else rows_of(element, self._removed)
        if rows is None:
            self.block(element)  # it is in a cell, where Markdown has no table, or there for the layout
            return
        self.flush()
        for caption in self._removed.left_in(element):
            if caption.tag == "caption":
                self.block(caption)
        if table := table_of(map(self._cell_of, row) for row in rows):
            self.blocks.append(table)

    def _cell_of(self, cell: Element) -> tuple[str, int, int]:
        """Return the text of a cell, and the columns and rows that it spans."""
        columns, rows = span(cell, "colspan"), span(cell, "rowspan")
        if not self._has_room(len("| ") * (columns * rows - 1)):
            columns = rows = 1
        return " ".join(self._container(self._walk, cell, "cell")), columns, rows

    def _cell(self, element: Element) -> None:
        if not is_line_number(element):
            self.block(element)

    _HANDLERS: ClassVar[dict[str, Callable[[_Writer, Element], None]]] = {
        **dict.fromkeys(INLINE, _walk),
        **dict.fromkeys(_APART, _apart),
        **dict.fromkeys(_BLOCKS, block),
        **dict.fromkeys(LEFT_OUT, lambda self, _: self._line.append(" ")),
        **dict.fromkeys(HEADINGS, _heading),
        **dict.fromkeys(_LISTS, _list),
        **dict.fromkeys(("b", "em", "i", "strong"), _marked),
        **dict.fromkeys(("code", "kbd", "samp", "tt"), _code),
        **dict.fromkeys(("sub", "sup"), _raised),
        **dict.fromkeys(("listing", "plaintext", "pre", "xmp"), _preformatted),
        **dict.fromkeys(("td", "th"), _cell),
        **dict.fromkeys(("img", "amp-img", "amp-anim"), _image),
        **dict.fromkeys(("label", "mjx-container", "span", "time"), _span),
        **dict.fromkeys(("desc", "metadata", "text", "title"), _drawn),
        "a": _a,
        "blockquote": _quote,
        "br": lambda self, _: self._line.append(BREAK),
        "dd": _definition,
        "dt": _define,
        "hr": _rule,
        "noscript": _noscript,
        "script": lambda self, element: self._line.append(formulas.of_script(element) or " "),
        "table": _table,
        "template": _template,
    }


def _lines_of(blocks: list[str]) -> int:
    """Return how many lines some blocks have, with the blank ones between them."""
    return sum(block.count("\n") + 2 for block in blocks)
