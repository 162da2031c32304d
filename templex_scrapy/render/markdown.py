"""A page as Markdown (CommonMark, with tables), in one walk of its tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar, TypeVar

from templex_scrapy.page import HEADINGS, INLINE, LEFT_OUT, Page, elements_of, join, nodes_of
from templex_scrapy.render.emphasis import BREAK, EMPHASIS, EMPHASIS_END, STRONG, STRONG_END, with_marks
from templex_scrapy.render.formulas import delimited, is_display, parsed, tex_of
from templex_scrapy.render.text import is_line_number, lines, text
from templex_scrapy.render.tree_copy import Removed, reads_noscript
from templex_scrapy.render.writable import writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_Content = TypeVar("_Content")

MAX_DEPTH = 200
"""Levels of nesting up to which Markdown is written: its writer is recursive."""

MAX_INDENTED = 10
"""Levels of lists, quotes and definitions that are indented: each repeats its indentation in all of its lines."""

MAX_SPAN = 20
"""Columns and rows that a cell spans at most: each is written as an empty cell."""

MAX_ADDED = 2_000_000
"""Characters of indentations and empty cells, as many as a page may have; what is beyond is written without them."""

_SPACES = re.compile(r"[ \t\n\r\f]+")
# "*note*" and "_x_" in a text are no emphasis; snake_case, "1 < 2" and "R&D" are read as they stand
_SPECIAL = re.compile(r"[\\`*\[\]]|(?<!\w)_|_(?!\w)|<(?=[a-zA-Z/!?])|&(?=#?\w+;)|~(?=~)|(?<=~)~")
# GitHub's reader makes a link of an address up to the next space or "<"
_ADDRESS_OR_SPECIAL = re.compile(
    r"www\.[^\s<*`\[\]]+|(https?://[^\s<>*`\[\]\"]*[^\s<>*`\[\]\".,;:!?')])([^\s<]*)(?=(<[a-zA-Z/!?])?)|"
    + _SPECIAL.pattern
)
_WITH_BACKSLASH = r"\\\g<0>"
_MAY_BE_SPECIAL = re.compile(r"[\\`*\[\]_<&~$]")
# a paragraph "1986. A great year" is no list, and "# 1 in the charts" no heading
_LINE_START = re.compile(r"(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|[-=]+(?=\s*$)|~~~)|\d{1,9}(?=[.)](?:\s|$))")
# as Prism and highlight.js have it ("language-python"), and GitHub ("highlight-source-python")
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.]+)")
# a list right below a line of text: an ordered one only if it begins with 1
_LIST = re.compile(r"[-*] |1[.)] ")
# what may begin a block that is no paragraph
_NO_PARAGRAPH = re.compile(r"[-*] |\d+[.)] |#{1,6} |> |\||```|---$")
# 9,999 is the highest number that an ordered list starts with: its digits are an indentation
_NUMBER = re.compile(r"\s*0*(\d{1,4})\s*", re.ASCII)
_LISTS = frozenset({"dir", "menu", "ol", "ul"})
_SECTIONS = frozenset({"tbody", "tfoot", "thead"})
_BESIDE_ROWS = frozenset({"caption", "col", "colgroup"})
# a table that has one of these in a cell is a page laid out in columns, such as Hacker News; a price list has none
_LAYOUT = (*sorted(HEADINGS), "blockquote", "form", "pre", "table", *sorted(_LISTS))
# elements that browsers show as blocks: all others, such as <relative-time>, are parts of a line
_BLOCKS = """
    address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form
    frameset header hgroup html legend li main nav noframes p search section summary tbody td tfoot th thead title tr
""".split()
# a heading that contains these is around a part of the page, as its end tag is missing
_NO_HEADING = tuple("blockquote dl form ol p pre section table ul".split())
_FORMULA = re.compile(r"katex|mathjax|mjx|mwe-math", re.IGNORECASE)
_RENDERING = re.compile(r"(?:^|\s)(?:katex-html|MathJax\w*|mjx-chtml|mwe-math-fallback\S*)(?:\s|$)")
_IMAGE_OF_TEX = re.compile(r"(?:^|\s)(?:tex|latex|mwe-math-fallback\S*)(?:\s|$)")
_TEX_SIGN = re.compile(r"[\\^_{}=+<>]|^\s*\w\s*$")
_RAW_TEX = re.compile(r"\$\$(.{1,2000}?)\$\$|\\\((.{1,500}?)\\\)|\\\[(.{1,2000}?)\\\]", re.DOTALL)
_STYLED = frozenset({"a", "label", "span", "time"})
_MOST_RAW = 200  # formulas in a text
_LAZY = "data-src data-original data-lazy-src data-lazy data-original-src data-hi-res-src".split()
_HIDDEN = re.compile(r"display:\s*none|visibility:\s*hidden|position:\s*absolute", re.IGNORECASE)
_FILE_OF_PICTURE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]|$)", re.IGNORECASE)
_LAZY_SETS = "data-srcset data-lazy-srcset srcset".split()
_PLACEHOLDER = re.compile(r"blank|placeholder|spacer|transparent|1x1|pixel\.|loading|lazy", re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)[wx](?:,|$)")
_CLOSING = re.compile(r"(?<=\s)#+$")
_SIGNS = "".join((STRONG, STRONG_END, EMPHASIS, EMPHASIS_END))
_MAX_ADDRESSES = 5_000_000  # characters of the addresses that are made absolute
# <button>Buy</button><button>Sell</button> are two words on one line
_APART = """
    audio button canvas embed input meter object optgroup option output picture progress select textarea video
    """.split()


def markdown(page: Page, roots: Collection[int], *, part: int = 0, links: bool = True, images: bool = True) -> str:
    """Return a page, or a part of it, without some subtrees as Markdown with absolute addresses.

    O(number of nodes + length of the texts). Of a page that is nested too deep for the writer, the text is returned.

    Args:
        page: the page.
        roots: positions of the roots of the subtrees.
        part: position of the part.
        links: whether links are written, or their words alone.
        images: whether pictures are written, or left out.
    """
    arrays = nodes_of(page)
    if page.is_cut or arrays.depth > MAX_DEPTH:
        return text(page, roots, part=part)
    writer = _Writer(page, roots, links=links, images=images)
    writer.element(elements_of(page)[arrays.slots[part]])
    writer.flush()
    return writable("\n\n".join(writer.blocks))


class _Writer:
    """Writes the blocks of one container at a time, such as a list item, and the line under way in it.

    Args:
        page: the page, whose tree is read in place.
        roots: positions of the roots of the subtrees that are left out.
        links: whether links are written.
        images: whether pictures are written.
    """

    def __init__(self, page: Page, roots: Collection[int], *, links: bool, images: bool) -> None:
        self.blocks: list[str] = []
        self._line: list[str] = []
        self._removed = Removed.of(page, roots)
        self._reads_noscript = reads_noscript(page)
        self._base = page.base_url
        self._targets: dict[str, str] = {}
        self._pictures: dict[Element, str] = {}
        self._address_room = _MAX_ADDRESSES
        self._with_links, self._with_images = links, images
        self._link: tuple[str, int] | None = None  # the target of an open link, and where it begins in the line
        self._term = -1  # number of blocks up to a term whose definition may follow
        self._indented = 0
        self._in_cell = False
        self._in_heading = False
        self._room = MAX_ADDED

    def element(self, element: Element) -> None:
        """Write an element."""
        self._HANDLERS.get(str(element.tag), _Writer._foreign)(self, element)

    def flush(self) -> None:
        """End the line under way: it becomes a block, or one for each group of lines between two line breaks."""
        if not self._line:
            return
        # of a link around several blocks, <a><h3>Tea</h3><p>Green</p></a>, the first is the text
        self._end_link()
        if self._link is not None:
            self._link = self._link[0], 0
        text = _spaced("".join(self._line))
        self._line = []
        if STRONG in text or EMPHASIS in text:
            text = _spaced(with_marks(text))
        elif text == " ":
            return
        if self._in_cell:
            self._add([text.replace(BREAK, " ").strip()])
            return
        if BREAK not in text:
            self._add([text.strip()])
            return
        # <br><br> is what older pages have between paragraphs
        group: list[str] = []
        for line in text.split(BREAK):
            if line.strip():
                group.append(line.strip())
            else:
                self._add(group)
                group = []
        self._add(group)

    def _add(self, group: list[str]) -> None:
        if written := "  \n".join(group if self._in_cell else map(_with_plain_start, group)):
            self.blocks.append(written)

    def _walk(self, element: Element) -> None:
        if (text := element.text) and element not in self._removed.texts:
            self._text(text)
        for child in element:
            if child in self._removed.elements:
                self._line.append(" ")  # "12<div>an advertisement</div>.75" is no number
            elif isinstance(child.tag, str):  # and no comment
                self._HANDLERS.get(child.tag, _Writer._foreign)(self, child)
            if text := child.tail:
                if child in self._removed.tails:
                    self._line.append(" ")
                else:
                    self._text(text)

    def _children(self, element: Element) -> Iterator[Element]:
        """Yield the elements in an element that are left."""
        return (child for child in element if isinstance(child.tag, str) and child not in self._removed.elements)

    def _tail(self, element: Element) -> str:
        return "" if element in self._removed.tails else (element.tail or "")

    def _text(self, text: str) -> None:
        if _MAY_BE_SPECIAL.search(text) is None:  # which takes a tenth of the time
            self._line.append(text)
        elif ("$$" in text or "\\(" in text or "\\[" in text) and text.count("\\") < _MOST_RAW:
            self._raw_tex(text)
        else:
            self._line.append(_escaped(text, is_linked=self._link is not None))

    def _raw_tex(self, text: str) -> None:
        """Write a text with formulas that a script of the page would set."""
        end = 0
        for found in _RAW_TEX.finditer(text):
            tex = next(filter(None, found.groups()))
            if _TEX_SIGN.search(tex):
                self._piece(_escaped(text[end : found.start()]))
                self._piece(delimited(tex, display=found[2] is None))
                end = found.end()
        self._piece(_escaped(text[end:]))

    def _piece(self, piece: str) -> None:
        """Write a piece of a line, which may be empty."""
        if piece:
            self._line.append(piece)

    def _skip(self, _element: Element) -> None:
        self._line.append(" ")

    # elements within a line

    def _foreign(self, element: Element) -> None:
        """Write an element that HTML has not: a part of a line, or blocks if it contains them."""
        name = str(element.tag).rpartition(":")[2]
        if name in {"math", "omath", "omathpara"}:
            self._math(element)
        elif name == "mjx-container" and self._rendered_math(element):
            return
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
        elif element.tag in {"desc", "metadata", "title"} or self._is_label(before):
            self._line.append(" ")
        else:
            self._apart(element)

    def _is_label(self, element: Element | None) -> bool:
        return element is not None and element.tag == "foreignobject" and element not in self._removed.elements

    def _span(self, element: Element) -> None:
        names = element.get("class")
        if names and _FORMULA.search(names) and self._rendered_math(element):
            return
        self._walk(element)
        self._keep_apart(element)

    def _keep_apart(self, element: Element) -> None:
        """Put a space between two elements that a style keeps apart: ``<span>Ann</span><span>2 May</span>``."""
        behind = element.getnext()
        if element.tail is not None or behind is None or behind.tag not in _STYLED or not self._line:
            return
        if self._line[-1][-1].isalnum() and (behind.text or "")[:1].isalnum():
            self._line.append(" ")

    def _rendered_math(self, element: Element) -> bool:
        """Write the formula that a program has rendered into an element; return whether it is written, here or behind.

        Nothing is written of an element that has words beside the formula.
        """
        if _is_before_script(element):
            return True
        formula = self._formula_in(element)
        if formula is None and (source := element.get("data-mathml")):
            formula = parsed(source)
        if formula is None or not (tex := tex_of(formula)):
            return False
        self._line.append(delimited(tex, display=is_display(formula) or is_display(element)))
        return True

    def _formula_in(self, element: Element) -> Element | None:
        """Return the formula of an element whose parts are this formula and renderings of it; None of all others."""
        if (element.text or "").strip() or any(self._tail(part).strip() for part in element):
            return None
        formulas = []
        for part in self._children(element):
            inside = part if part.tag == "math" else part[0] if len(part) == 1 else None
            around = "" if inside is None or inside is part else f"{part.text or ''}{inside.tail or ''}"
            if inside is not None and inside.tag == "math" and not around.strip():
                formulas.append(inside)
            elif (
                part.tag not in {"mjx-math", "nobr", "svg"}
                and part.get("aria-hidden") != "true"
                and not _RENDERING.search(part.get("class", ""))
            ):
                return None
        return formulas[0] if len(formulas) == 1 and formulas[0] not in self._removed.elements else None

    def _math(self, element: Element) -> None:
        self._line.append(delimited(tex_of(element), display=is_display(element)) or " ")

    def _script(self, element: Element) -> None:
        self._line.append(_formula_of_script(element) or " ")

    def _template(self, element: Element) -> None:
        """Write a shadow tree, which browsers show in place of what contains it."""
        if element.get("shadowrootmode") or element.get("shadowroot"):
            self.block(element)

    def _noscript(self, element: Element) -> None:
        if self._reads_noscript:
            self.block(element)
            return
        # the picture that a script would load; that of an <img> in front of it is written already
        before = element.getprevious()
        if before is None or before.tag not in {"img", "picture", "amp-img"}:
            for image in islice(element.iter("img"), 1):
                if _is_shown(image):
                    self._image(image)

    def _break(self, _element: Element) -> None:
        self._line.append(BREAK)

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
            inside = element[0]
            self._a(inside, coded=True)
            return
        is_plain = not len(element) and element not in self._removed.texts
        self._piece(_coded(element.text or "" if is_plain else lines(element, self._removed)))

    def _image(self, element: Element) -> None:
        words = _SPACES.sub(" ", element.get("alt", "")).strip()
        if _IMAGE_OF_TEX.search(element.get("class", "")) and _TEX_SIGN.search(words):
            self._line.append(delimited(words, display=is_display(element)))
            return
        if not self._with_images:
            self._line.append(" ")
            return
        words = _escaped(words, is_linked=True)
        source = _source(element, self._pictures)
        self._line.append(f"![{words}]({self._target(source)})" if source else f" {words} ")

    def _a(self, element: Element, *, coded: bool = False) -> None:
        address = element.get("href", "").strip()
        if self._in_heading and address and _is_permalink(element, address):
            return
        # a heading that is a link to itself
        is_own = self._in_heading and address.startswith("#")
        if (
            not address
            or is_own
            or not self._with_links
            or address[:11].lower() == "javascript:"
            or self._link is not None
        ):
            (self._code_of_link if coded else self._walk)(element)
            return
        self._link = self._target(address), len(self._line)
        (self._code_of_link if coded else self._walk)(element)
        self._end_link()
        self._link = None
        self._keep_apart(element)

    def _target(self, address: str) -> str:
        """Return an address as a target, absolute if it leads to another page."""
        # a long base, written 40,000 times, fills the memory
        if self._address_room < 0:
            return _target(address)
        if address not in self._targets:
            is_inside = address.startswith("#")
            self._targets[address] = _target(address if is_inside else join(self._base, address) or address)
        target = self._targets[address]
        self._address_room -= len(target)
        return target

    def _end_link(self) -> None:
        """Write an open link around its words; while it has none, it stays open."""
        if self._link is None:
            return
        target, start = self._link
        words = "".join(self._line[start:])
        if words.strip(f" \t\n\r\f{BREAK}{_SIGNS}"):
            self._line[start:] = [_linked(words, target)]
            self._link = None

    def _code_of_link(self, element: Element) -> None:
        self._piece(_coded(lines(element, self._removed)))

    # blocks

    def block(self, element: Element) -> None:
        """Write an element whose content is on lines of its own."""
        self.flush()
        self._walk(element)
        self.flush()

    def _heading(self, element: Element) -> None:
        if self._in_cell or next(element.iterdescendants(*_NO_HEADING), None) is not None:
            self.block(element)
            return
        self.flush()
        self._in_cell = self._in_heading = True
        made = self._container(self._walk, element)
        self._in_cell = self._in_heading = False
        if not made:
            self.block(element)  # a link that is a sign is all that the heading has
        elif text := " ".join(made):
            # of "# C #" the last sign is no text
            self.blocks.append("#" * int(str(element.tag)[1]) + " " + _CLOSING.sub(_WITH_BACKSLASH, text))

    def _rule(self, _element: Element) -> None:
        self.flush()
        if not self._in_cell:
            self.blocks.append("---")

    def _container(self, write: Callable[[_Content], None], content: _Content) -> list[str]:
        """Return the blocks of what is written."""
        outer, self.blocks = self.blocks, []
        self._indented += 1
        write(content)
        self.flush()
        self._indented -= 1
        made, self.blocks = self.blocks, outer
        return made

    @property
    def _can_indent(self) -> bool:
        return not self._in_cell and self._indented < MAX_INDENTED

    def _has_room(self, characters: int) -> bool:
        """Return whether so many characters may be added to those of the page; then they are."""
        if characters > self._room:
            return False
        self._room -= characters
        return True

    def _indent(self, element: Element, first: str, other: str) -> None:
        if not self._can_indent:
            self.block(element)
            return
        self.flush()
        if made := self._container(self._walk, element):
            if self._has_room(len(other) * _lines_of(made)):
                made = [first + "\n\n".join(made).replace("\n", f"\n{other}")]
            self.blocks += made

    def _quote(self, element: Element) -> None:
        self._indent(element, "> ", "> ")

    def _define(self, element: Element) -> None:
        """Write a term; its definition follows on a line of its own."""
        self.block(element)
        self._term = len(self.blocks) if self.blocks else -1

    def _definition(self, element: Element) -> None:
        self.flush()
        is_first = self._term == len(self.blocks) and not self._in_cell
        made = self._container(self._walk, element)
        if is_first and made and not _NO_PARAGRAPH.match(made[0]) and not _NO_PARAGRAPH.match(self.blocks[-1]):
            self.blocks[-1] += f"  \n{made.pop(0)}"
        self.blocks += made

    def _list(self, element: Element) -> None:
        if not self._can_indent:
            self.block(element)
            return
        self.flush()
        items: list[tuple[int, list[str]]] = []
        self._piece("" if element in self._removed.texts else _escaped(element.text or ""))
        self.flush()
        is_numbered = element.tag == "ol"
        number = _number(element.get("start", ""), 1)
        for child in element:
            is_left_out = child.tag in LEFT_OUT and child.tag != "script"  # which may be a formula
            if isinstance(child.tag, str) and child not in self._removed.elements and not is_left_out:
                # <li>a</li><ul><li>b</li></ul><li>c</li>: browsers show b below a
                if child.tag in _LISTS and items:
                    items[-1][1].extend(self._container(self._list, child))
                elif made := self._container(self._walk if child.tag == "li" else self.element, child):
                    number = _number(child.get("value", ""), number)
                    items.append((number, made))
                    number += 1
            if (tail := self._tail(child)).strip() and (made := self._container(self._text, tail)):
                items.append((number, made))
                number += 1
        width = len(f"{number}. ") if is_numbered else 2
        if not self._has_room(width * sum(_lines_of(made) for _, made in items)):
            self.blocks += chain.from_iterable(made for _, made in items)
            return
        self._add_lists(items, is_numbered=is_numbered)

    def _add_lists(self, items: list[tuple[int, list[str]]], *, is_numbered: bool) -> None:
        start = 0
        for end in range(1, len(items) + 1):
            # a reader counts on: a number that is given begins another list
            if end == len(items) or (is_numbered and items[end][0] != items[end - 1][0] + 1):
                self.blocks.append(_list_of(items[start:end], self._sign(is_numbered), is_numbered=is_numbered))
                start = end

    def _sign(self, is_numbered: bool) -> str:  # noqa: FBT001 - of one kind or the other
        """Return the sign of items, another one than that of a list right before, which would be the same list."""
        before = self.blocks[-1] if self.blocks else ""
        if is_numbered:
            return ")" if re.match(r"\d+\. ", before) else "."
        return "*" if before.startswith("- ") else "-"

    def _preformatted(self, element: Element) -> None:
        if is_line_number(element):
            return
        code = lines(element, self._removed)
        if self._in_cell:
            self._line.append(_coded(code))
            self.flush()
            return
        self.flush()
        if code:
            fence = "`" * max(3, 1 + _longest_run(code))
            self.blocks.append(f"{fence}{_language(element)}\n{code}\n{fence}")

    def _table(self, element: Element) -> None:
        rows = None if self._in_cell else self._rows(element)
        if rows is None:
            self.block(element)  # it is in a cell, where Markdown has no table, or there for the layout
            return
        self.flush()
        for caption in self._children(element):
            if caption.tag == "caption":
                self.block(caption)
        self._in_cell = True
        written: list[list[str]] = []
        pending: dict[int, int] = {}
        for row in rows:
            cells: list[str] = []
            for cell in self._children(row):
                if cell.tag not in {"td", "th"}:
                    continue
                _fill(cells, pending)
                start, columns, down = len(cells), _span(cell, "colspan"), _span(cell, "rowspan")
                if not self._has_room(len("| ") * (columns * down - 1)):
                    columns = down = 1
                cells += [" ".join(self._container(self._walk, cell)).replace("|", "\\|"), *[""] * (columns - 1)]
                if down > 1:
                    pending.update(dict.fromkeys(range(start, start + columns), down - 1))
            _fill(cells, pending)
            written.append(cells)
        self._in_cell = False
        if any(map(any, written)):
            width = max(map(len, written))
            written[0] += [""] * (width - len(written[0]))
            head, *others = [f"| {' | '.join(cells)} |" for cells in written]
            self.blocks.append("\n".join([head, "|" + " --- |" * width, *others]))

    def _cell(self, element: Element) -> None:
        if not is_line_number(element):
            self.block(element)

    def _rows(self, table: Element) -> list[Element] | None:
        """Return the rows of a table of data; None if it is for the layout, or has something else between rows."""
        if table.get("role") in {"none", "presentation"}:
            return None
        rows = list(self._structure(table))
        # one column is a frame around something
        if None in rows or max((len(row) for row in rows if row is not None), default=0) < 2:
            return None
        data = [row for row in rows if row is not None]
        heads = table.iterchildren("thead", "caption"), data[0].iterchildren("th")
        has_head = any(next(head, None) is not None for head in heads)
        if has_head:
            inner = (islice(table.iter("tr"), 1, None) for table in table.iterdescendants("table"))
            return None if any(next(rows, None) is not None for rows in inner) else data
        return data if next(table.iterdescendants(*_LAYOUT), None) is None else None

    def _structure(self, element: Element) -> Iterator[Element | None]:
        """Yield the rows in a table or in a section of one, and None for what belongs in no table."""
        if (element.text or "").strip() and element not in self._removed.texts:
            yield None
        for child in element:
            if self._tail(child).strip():
                yield None
            if child in self._removed.elements or not isinstance(child.tag, str):
                continue
            if child.tag == "tr":
                cells = list(self._children(child))
                others = any(cell.tag not in {"td", "th", *LEFT_OUT} for cell in cells)
                texts = [child.text or "", *map(self._tail, child)]
                yield None if others or any(map(str.strip, texts)) else child
            elif child.tag in _SECTIONS and element.tag == "table":
                yield from self._structure(child)
            elif child.tag not in _BESIDE_ROWS and child.tag not in LEFT_OUT:
                yield None

    _HANDLERS: ClassVar[dict[str, Callable[[_Writer, Element], None]]] = {
        **dict.fromkeys(INLINE, _walk),
        **dict.fromkeys(_APART, _apart),
        **dict.fromkeys(_BLOCKS, block),
        **dict.fromkeys(LEFT_OUT, _skip),
        **dict.fromkeys(HEADINGS, _heading),
        **dict.fromkeys(_LISTS, _list),
        **dict.fromkeys(("b", "em", "i", "strong"), _marked),
        **dict.fromkeys(("code", "kbd", "samp", "tt"), _code),
        **dict.fromkeys(("sub", "sup"), _raised),
        **dict.fromkeys(("listing", "plaintext", "pre", "xmp"), _preformatted),
        **dict.fromkeys(("td", "th"), _cell),
        **dict.fromkeys(("img", "amp-img", "amp-anim"), _image),
        "a": _a,
        "blockquote": _quote,
        "br": _break,
        "dd": _definition,
        "dt": _define,
        "hr": _rule,
        "math": _math,
        "noscript": _noscript,
        "script": _script,
        **dict.fromkeys(("label", "span", "time"), _span),
        "svg": _apart,
        "table": _table,
        "template": _template,
        **dict.fromkeys(("desc", "metadata", "text", "title"), _drawn),
        "foreignobject": _apart,
    }


def _is_before_script(element: Element) -> bool:
    """Return whether behind a formula that MathJax shows, and a preview of it, comes a script with its source."""
    around = element.getparent()
    is_alone = around is not None and len(around) == 1 and "MathJax_Display" in around.get("class", "")
    here = around if is_alone else element
    for _ in range(2):
        if here is None or not _RENDERING.search(here.get("class", "")):
            return False
        behind = None if (here.tail or "").strip() else here.getnext()
        if behind is not None and behind.tag == "script":
            return bool(_formula_of_script(behind))
        here = behind if behind is not None and isinstance(behind.tag, str) else None
    return False


def _formula_of_script(script: Element) -> str:
    kind, source = script.get("type", ""), script.text or ""
    if kind.startswith("math/tex"):
        return delimited(source, display="display" in kind)
    formula = parsed(source) if kind.startswith("math/mml") else None
    return "" if formula is None else delimited(tex_of(formula), display=is_display(formula))


def _escaped(text: str, *, is_linked: bool = False) -> str:
    """Return a text that a reader reads as it is; ``is_linked`` if it is part of a link, in which no address is one."""
    if is_linked or ("://" not in text and "www." not in text):
        return _SPECIAL.sub(_WITH_BACKSLASH, text)
    return _ADDRESS_OR_SPECIAL.sub(_escaped_beside_address, text)


def _escaped_beside_address(found: re.Match[str]) -> str:
    address, behind, tag = found.groups()
    if address is None:
        return found[0] if found[0].startswith("www") else f"\\{found[0]}"
    # within an address a backslash is no escape, and __init__ is emphasis to readers that make no link of it
    if tag or _SPECIAL.search(address + behind):
        return f"<{address}>{_SPECIAL.sub(_WITH_BACKSLASH, behind)}"
    return found[0]


def _spaced(text: str) -> str:
    """Return a text with one blank for each row of spaces; a no-break space is none."""
    for space in "\n\t\r\f":
        if space in text:
            text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def _with_plain_start(line: str) -> str:
    """Return a line that does not begin like a heading, an item or a quote."""
    if line[:1].isalpha():
        return line
    found = _LINE_START.match(line)
    if found is None:
        return line
    return f"{found[0]}\\{line[found.end() :]}" if found[0].isdigit() else f"\\{line}"


def _around(words: str) -> tuple[str, str, str]:
    """Return words without the spaces around them, between these."""
    core = words.strip(" \t\n\r\f")
    return (" " if words[:1].isspace() else ""), core, (" " if words[-1:].isspace() else "")


def _linked(words: str, target: str) -> str:
    before, core, after = _around(words.replace(BREAK, " "))
    return f"{before}[{core}]({target}){after}"


def _target(address: str) -> str:
    # of [x](/wiki/Mercury_(planet)) some readers end the address at the first parenthesis
    written = _SPACES.sub("%20", address.strip()).replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
    return f"<{written}>" if "(" in written or ")" in written else written


def _coded(code: str) -> str:
    words = _SPACES.sub(" ", code).strip()
    if not words:
        return " " if code else ""
    fence = "`" * (1 + _longest_run(words))
    pad = " " if "`" in (words[0], words[-1]) else ""
    before, after = " " * code[0].isspace(), " " * code[-1].isspace()
    return f"{before}{fence}{pad}{words}{pad}{fence}{after}"


def _longest_run(code: str) -> int:
    """Return the number of backticks in the longest row of them."""
    return max(map(len, re.findall("`+", code)), default=0)


def _language(element: Element) -> str:
    """Return the language that a class of code names, or that of the element around it."""
    named = [*element[:1], element, *islice(element.iterancestors(), 1)]
    classes = (one.get("class") or "" for one in named)  # None of a comment
    return next((found[1] for written in classes if (found := _LANGUAGE.search(written))), "")


def _lines_of(blocks: list[str]) -> int:
    """Return how many lines some blocks have, with the blank ones between them."""
    return sum(block.count("\n") + 2 for block in blocks)


def _list_of(items: list[tuple[int, list[str]]], sign: str, *, is_numbered: bool) -> str:
    # a list without blank lines is shown with less space; one of paragraphs needs them
    is_tight = all(_LIST.match(block) for _, made in items for block in made[1:])
    written = []
    for number, made in items:
        mark = f"{number}{sign} " if is_numbered else f"{sign} "
        item = ("\n" if is_tight else "\n\n").join(made).replace("\n", "\n" + " " * len(mark))
        written.append(mark + re.sub(r"\n +(?=\n)", "\n", item))
    return "\n".join(written)


def _number(written: str, other: int) -> int:
    """Return a number of an item; another one if there is none, or it is too high."""
    found = _NUMBER.fullmatch(written)
    return other if found is None else int(found[1])


def _span(cell: Element, name: str) -> int:
    span = cell.get(name, "").strip()[:9]
    return min(max(int(span), 1), MAX_SPAN) if span.isascii() and span.isdigit() else 1


def _fill(cells: list[str], pending: dict[int, int]) -> None:
    """Add the empty cells below cells that span several rows."""
    while down := pending.get(len(cells), 0):
        pending[len(cells)] = down - 1
        cells.append("")


def _is_permalink(link: Element, address: str) -> bool:
    """Return whether a link in a heading is a sign alone, such as "¶", and leads to the heading."""
    names = link.get("class", "")
    is_own = "#" in address or "anchor" in names or "headerlink" in names
    return is_own and not any(map(str.isalnum, "".join(link.itertext()))) and next(link.iter("img"), None) is None


def _is_shown(image: Element) -> bool:
    """Return whether the picture of a ``noscript`` is for readers, and does not count visits."""
    source = image.get("src", "").strip()
    return (
        not {image.get("width", "").strip("px "), image.get("height", "").strip("px ")} & {"0", "1"}
        and not _HIDDEN.search(image.get("style", ""))
        and not _PLACEHOLDER.search(source)
        and (bool(image.get("alt", "").strip()) or _FILE_OF_PICTURE.search(source) is not None)
    )


def _source(image: Element, pictures: dict[Element, str]) -> str:
    """Return the address of a picture, also of one that a script loads later; empty if there is none.

    Args:
        image: the element.
        pictures: the address that a ``picture`` gives, for those that are known; more are added.
    """
    for name in _LAZY:
        if (address := image.get(name, "").strip()) and _is_address(address) and re.search("[./]", address):
            return address  # data-lazy="true" is none
    address = image.get("src", "").strip()
    if address[:5].lower() != "data:" and address and not _PLACEHOLDER.search(address):
        return address
    # libxml2 reads an <img> behind a <source> as a part of it
    picture = next(image.iterancestors("picture"), None)
    if picture is not None and picture not in pictures:
        pictures[picture] = next(filter(None, map(_from_sets, picture.iter("source"))), "")
    if found := _from_sets(image) or ("" if picture is None else pictures[picture]):
        return found
    behind = image.getnext()
    if behind is not None and behind.tag == "noscript":
        hidden = next(behind.iter("img"), None)
        if hidden is not None and _is_address(found := hidden.get("src", "").strip()):
            return found
    # a small picture as data, of which a reader has no use
    return address if address[:5].lower() != "data:" else ""


def _is_address(written: str) -> bool:
    return (
        bool(written) and written[:5].lower() != "data:" and not written.startswith(("{", "[")) and " " not in written
    )


def _from_sets(element: Element) -> str:
    return next(filter(None, (_largest(element.get(name, "")) for name in _LAZY_SETS)), "")


def _largest(srcset: str) -> str:
    """Return the address with the highest number of a ``srcset``."""
    sizes, address = [], ""
    for word in (words := srcset.split()):
        if address and (found := _SIZE.match(word)):
            if _is_address(address):
                sizes.append((float(found[1]), address))
            address = word[found.end() :]
        else:
            address = word.lstrip(",")
    return max(sizes)[1] if sizes else (words[0].rstrip(",") if words and _is_address(words[0]) else "")
