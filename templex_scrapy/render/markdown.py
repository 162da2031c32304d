"""A page as Markdown (CommonMark, with tables), in one walk of its tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar, TypeVar

from lxml import etree

from templex_scrapy.page import HEADINGS, INLINE, LEFT_OUT, Page, nodes_of
from templex_scrapy.render.absolute_addresses import make_absolute
from templex_scrapy.render.text import lines, text
from templex_scrapy.render.tree_copy import copy_part
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

MAX_NUMBER = 9_999
"""The highest number that an ordered list starts with: its digits are an indentation."""

_SPACES = re.compile(r"[ \t\n\r\f]+")
# "*note*" and "_x_" in a text are no emphasis; snake_case, "1 < 2" and "R&D" are read as they stand
_SPECIAL = re.compile(r"[\\`*\[\]]|(?<!\w)_|_(?!\w)|<(?=[a-zA-Z/!?])|&(?=#?\w+;)")
# a paragraph "1986. A great year" is no list, and "# 1 in the charts" no heading
_LINE_START = re.compile(r"(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|[-=]+(?=\s*$)|~~~)|\d{1,9}(?=[.)](?:\s|$))")
# as Prism and highlight.js have it ("language-python"), and GitHub ("highlight-source-python")
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.]+)")
_BREAK = "\v"  # a line break within a block; lxml does not write it
_LIST = re.compile(r"- |\d+\. ")
_LISTS = frozenset({"dir", "menu", "ol", "ul"})
_SECTIONS = frozenset({"tbody", "tfoot", "thead"})
_BESIDE_ROWS = frozenset({"caption", "col", "colgroup"})
# a table that has one of these in a cell is a page laid out in columns, such as Hacker News; a price list has none
_LAYOUT = (*sorted(HEADINGS), "blockquote", "form", "pre", "table", *sorted(_LISTS))
# <button>Buy</button><button>Sell</button> are two words on one line
_APART = """
    audio button canvas embed input math meter object optgroup option output picture progress select svg textarea video
    """.split()


def markdown(page: Page, roots: Collection[int], *, part: int = 0) -> str:
    """Return a page, or a part of it, without some subtrees as Markdown with absolute addresses.

    O(number of nodes + length of the texts). Of a page that is nested too deep for the writer, the text is returned.

    Args:
        page: the page.
        roots: positions of the roots of the subtrees.
        part: position of the part.
    """
    if page.is_cut or nodes_of(page).depth > MAX_DEPTH:
        return text(page, roots, part=part)
    copied = copy_part(page, part)
    copied.remove(roots)
    copied.remove_left_out()
    if part:
        # <div class="highlight-python"><pre>: what is around the part says its language
        classes = nodes_of(page).start_tag(nodes_of(page).parents[part]).classes
        etree.Element("div", {"class": writable(" ".join(classes))}).append(copied.top)
    make_absolute(copied.top, page.base_url)
    writer = _Writer()
    writer.element(copied.top)
    writer.flush()
    return writable("\n\n".join(writer.blocks))


class _Writer:
    """Writes the blocks of one container at a time, a list item for one, and the line under way in it."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._line: list[str] = []
        self._marking: dict[str, list[str] | None] = {}  # the line in which a mark is open
        self._link: tuple[str, int] | None = None  # the address of an open link, and where it begins in the line
        self._indented = 0
        self._in_cell = False
        self._room = MAX_ADDED

    def element(self, element: Element) -> None:
        """Write an element."""
        self._HANDLERS.get(str(element.tag), _Writer.block)(self, element)

    def flush(self, prefix: str = "") -> None:
        """End the line under way: it becomes a block, or one for each group of lines between two line breaks."""
        if not self._line:
            return
        # of a link around several blocks, <a><h3>Tea</h3><p>Green</p></a>, the first is the text
        self._end_link()
        if self._link is not None:
            self._link = self._link[0], 0
        text = _SPACES.sub(" ", "".join(self._line))
        self._line = []
        if prefix or self._in_cell:
            self._add([text.replace(_BREAK, " ").strip()], prefix)
            return
        # <br><br> is what older pages have between paragraphs
        group: list[str] = []
        for line in text.split(_BREAK):
            if line.strip():
                group.append(line.strip())
            else:
                self._add(group)
                group = []
        self._add(group)

    def _add(self, group: list[str], prefix: str = "") -> None:
        written = "  \n".join(group if prefix else map(_with_plain_start, group))
        if written:
            self.blocks.append(f"{prefix}{_SPACES.sub(' ', written) if prefix else written}")

    def _walk(self, element: Element) -> None:
        if element.text:
            self._text(element.text)
        for child in element:
            if isinstance(child.tag, str):  # and no comment
                self._HANDLERS.get(child.tag, _Writer.block)(self, child)
            if child.tail:
                self._text(child.tail)

    def _text(self, text: str) -> None:
        self._line.append(_SPECIAL.sub(r"\\\g<0>", text))

    def _skip(self, element: Element) -> None:
        pass

    # elements within a line

    def _apart(self, element: Element) -> None:
        self._line.append(" ")
        self._walk(element)
        self._line.append(" ")

    def _break(self, _element: Element) -> None:
        self._line.append(_BREAK)

    def _raised(self, element: Element) -> None:
        """Write ``sup`` and ``sub``: in ``$9<sup>25</sup>`` the digits are two numbers."""
        before = next((piece for piece in reversed(self._line) if piece), "")
        # but H<sub>2</sub>O and 4<sup>th</sup> are words
        if before[-1:].isdigit() and (element.text or "")[:1].isdigit():
            self._line.append(" ")
        self._walk(element)

    def _strong(self, element: Element) -> None:
        self._mark(element, "**")

    def _emphasis(self, element: Element) -> None:
        self._mark(element, "*")

    def _mark(self, element: Element, mark: str) -> None:
        """Put marks around each line: those of ``<b>a<br>b</b>`` would not reach over the break."""
        line, start, outer = self._line, len(self._line), self._marking.get(mark)
        self._marking[mark] = line
        self._walk(element)
        self._marking[mark] = outer
        if self._line is not line or outer is line:
            return  # blocks are inside, or the mark is around it already
        words = "".join(line[start:])
        line[start:] = [_BREAK.join(_marked(part, mark) for part in words.split(_BREAK))]
        # in **a****b** no mark would be one
        before = line[start - 1] if start else ""
        if _has_mark(before, mark) and _has_mark(line[start], mark):
            line[start - 1 :] = [before.removesuffix(mark), line[start].removeprefix(mark)]

    def _code(self, element: Element) -> None:
        # <code><a href="#open">open()</a></code>, as in Javadoc: within `code` no link is one
        if len(element) == 1 and element[0].tag == "a" and not (element.text or element[0].tail or "").strip():
            inside = element[0]
            self._a(inside, coded=True)
        elif coded := _coded(lines(element) if len(element) else element.text or ""):
            self._line.append(coded)

    def _image(self, element: Element) -> None:
        source, words = element.get("src", "").strip(), _SPACES.sub(" ", element.get("alt", "")).strip()
        words = _SPECIAL.sub(r"\\\g<0>", words)
        is_data = source[:5].lower() == "data:"  # of which a reader has no use
        self._line.append(f" {words} " if is_data or not source else f"![{words}]({_target(source)})")

    def _a(self, element: Element, *, coded: bool = False) -> None:
        address = element.get("href", "").strip()
        if not address or address[:11].lower() == "javascript:" or self._link is not None:
            (self._code_of_link if coded else self._walk)(element)
            return
        self._link = address, len(self._line)
        (self._code_of_link if coded else self._walk)(element)
        self._end_link()
        self._link = None

    def _end_link(self) -> None:
        """Write an open link around its words; while it has none, it stays open."""
        if self._link is None:
            return
        address, start = self._link
        words = "".join(self._line[start:])
        if words.strip(f" \n{_BREAK}"):
            self._line[start:] = [_linked(words, address)]
            self._link = None

    def _code_of_link(self, element: Element) -> None:
        self._line.append(_coded(lines(element)))

    # blocks

    def block(self, element: Element) -> None:
        """Write an element whose content is on lines of its own."""
        self.flush()
        self._walk(element)
        self.flush()

    def _heading(self, element: Element) -> None:
        self.flush()
        blocks, start = self.blocks, len(self.blocks)
        self._walk(element)
        prefix = "" if self._in_cell else "#" * int(str(element.tag)[1]) + " "
        self.flush(prefix)
        # <h2><div>Part 2</div><div>The well</div></h2>
        if prefix and self.blocks is blocks:
            blocks[start:] = [
                block if block.startswith(prefix) else f"{prefix}{_SPACES.sub(' ', block)}" for block in blocks[start:]
            ]

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

    def _definition(self, element: Element) -> None:
        self._indent(element, ": ", "  ")

    def _list(self, element: Element) -> None:
        if not self._can_indent:
            self.block(element)
            return
        self.flush()
        items: list[list[str]] = []
        if element.text and element.text.strip():
            self._text(element.text)
            self.flush()
        for child in element:
            # <li>a</li><ul><li>b</li></ul><li>c</li>: browsers show b below a
            if child.tag in _LISTS and items:
                items[-1] += self._container(self._list, child)
            elif isinstance(child.tag, str) and child.tag not in LEFT_OUT:
                items.append(self._container(self._walk if child.tag == "li" else self.element, child))
            if child.tail and child.tail.strip():
                items.append(self._container(self._text, child.tail))
        items = [item for item in items if item]
        start = _start(element) if element.tag == "ol" else None
        width = 2 if start is None else len(f"{start + len(items)}. ")
        if self._has_room(width * sum(map(_lines_of, items))):
            self.blocks += [_list_of(items, start)] if items else []
        else:
            self.blocks += chain.from_iterable(items)

    def _preformatted(self, element: Element) -> None:
        code = lines(element)
        if self._in_cell:
            self._line.append(_coded(code))
            self.flush()
            return
        self.flush()
        if code:
            fence = "`" * max(3, 1 + _longest_run(code))
            self.blocks.append(f"{fence}{_language(element)}\n{code}\n{fence}")

    def _table(self, element: Element) -> None:
        rows = None if self._in_cell else _rows(element)
        if rows is None:
            self.block(element)  # it is in a cell, where Markdown has no table, or there for the layout
            return
        self.flush()
        for caption in element.iterchildren("caption"):
            self.block(caption)
        self._in_cell = True
        written: list[list[str]] = []
        pending: dict[int, int] = {}
        for row in rows:
            cells: list[str] = []
            for cell in row.iterchildren("td", "th"):
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

    _HANDLERS: ClassVar[dict[str, Callable[[_Writer, Element], None]]] = {
        **dict.fromkeys(INLINE, _walk),
        **dict.fromkeys(_APART, _apart),
        **dict.fromkeys(LEFT_OUT - {"noscript"}, _skip),
        **dict.fromkeys(HEADINGS, _heading),
        **dict.fromkeys(_LISTS, _list),
        **dict.fromkeys(("b", "strong"), _strong),
        **dict.fromkeys(("em", "i"), _emphasis),
        **dict.fromkeys(("code", "kbd", "samp", "tt"), _code),
        **dict.fromkeys(("sub", "sup"), _raised),
        **dict.fromkeys(("listing", "plaintext", "pre", "xmp"), _preformatted),
        "a": _a,
        "blockquote": _quote,
        "br": _break,
        "dd": _definition,
        "hr": _rule,
        "img": _image,
        "table": _table,
    }


def _with_plain_start(line: str) -> str:
    """Return a line that does not begin like a heading, an item or a quote."""
    found = _LINE_START.match(line)
    if found is None:
        return line
    return f"{found[0]}\\{line[found.end() :]}" if found[0].isdigit() else f"\\{line}"


def _around(words: str) -> tuple[str, str, str]:
    """Return words without the spaces around them, between these."""
    core = words.strip(" \t\n\r\f")
    return (" " if words[:1].isspace() else ""), core, (" " if words[-1:].isspace() else "")


def _marked(words: str, mark: str) -> str:
    # **Name **is no emphasis: <b>Name </b>is becomes **Name** is
    before, core, after = _around(words)
    is_marked = core.startswith(mark) and not (mark == "*" and core.startswith("**"))
    return words if not core or is_marked else f"{before}{mark}{core}{mark}{after}"


def _has_mark(words: str, mark: str) -> bool:
    """Return whether words begin and end with a mark, and with no longer one."""
    rest = words.strip("*")
    return bool(rest) and rest[-1] != "\\" and words == f"{mark}{rest}{mark}"


def _linked(words: str, address: str) -> str:
    before, core, after = _around(words.replace(_BREAK, " "))
    return f"{before}[{core}]({_target(address)}){after}"


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


def _list_of(items: list[list[str]], number: int | None) -> str:
    # a list without blank lines is shown with less space; one of paragraphs needs them
    is_tight = all(_LIST.match(block) for made in items for block in made[1:])
    written = []
    for made in items:
        mark = "- " if number is None else f"{number}. "
        number = None if number is None else number + 1
        item = ("\n" if is_tight else "\n\n").join(made).replace("\n", "\n" + " " * len(mark))
        written.append(mark + re.sub(r"\n +(?=\n)", "\n", item))
    return "\n".join(written)


def _start(element: Element) -> int:
    start = element.get("start", "").strip()
    return int(start) if start.isascii() and start.isdigit() and int(start[:9]) <= MAX_NUMBER else 1


def _span(cell: Element, name: str) -> int:
    span = cell.get(name, "").strip()[:9]
    return min(max(int(span), 1), MAX_SPAN) if span.isascii() and span.isdigit() else 1


def _fill(cells: list[str], pending: dict[int, int]) -> None:
    """Add the empty cells below cells that span several rows."""
    while down := pending.get(len(cells), 0):
        pending[len(cells)] = down - 1
        cells.append("")


def _rows(table: Element) -> list[Element] | None:
    """Return the rows of a table of data; None if it is there for the layout, or has something else between rows."""
    if table.get("role") in {"none", "presentation"}:
        return None
    rows = list(_structure(table))
    # one column is a frame around something
    if None in rows or max((len(row) for row in rows if row is not None), default=0) < 2:
        return None
    data = [row for row in rows if row is not None]
    heads = table.iterchildren("thead", "caption"), data[0].iterchildren("th")
    has_head = any(next(head, None) is not None for head in heads)
    return data if has_head or next(table.iterdescendants(*_LAYOUT), None) is None else None


def _structure(element: Element) -> Iterator[Element | None]:
    """Yield the rows in a table or in a section of one, and None for what belongs in no table."""
    if (element.text or "").strip():
        yield None
    for child in element:
        if (child.tail or "").strip():
            yield None
        if child.tag == "tr":
            stray = [child.text, *(cell.tail for cell in child)]
            others = [cell for cell in child if isinstance(cell.tag, str) and cell.tag not in {"td", "th", *LEFT_OUT}]
            yield None if others or any(text and text.strip() for text in stray) else child
        elif child.tag in _SECTIONS and element.tag == "table":
            yield from _structure(child)
        elif isinstance(child.tag, str) and child.tag not in _BESIDE_ROWS and child.tag not in LEFT_OUT:
            yield None
