"""From a source to the tree; the parser is kept from losing what stands behind ``</body>`` and ``</html>``.

libxml2 reads nothing behind ``</html>`` or in ``<html/>``, and puts what is behind ``</body>`` or ``<body/>`` outside
of the body. Browsers ignore such tags where content follows. So :func:`parse` marks the place of the last end tag by a
comment. If that is not the last node of the body, or if words follow the end tag, the source is repaired.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_MARK = "templex: the end"
_EMPTY = b"<html/>"
_END_TAGS = (b"</body", b"</BODY", b"</html", b"</HTML")
_ENDED = re.compile(r"(?:</(?:body|html)\s*>\s*)*", re.IGNORECASE)
_ATTRIBUTES = r"""(?>[^>=]+|=\s*(?:"[^"]*"|'[^']*')?)*+(?:>|\Z)"""
# no place in an unclosed comment, element or tag is read twice, so that this takes linear time
_TOKENS = rf"""
      <!--.*?(?:-->|\Z)
    | <(%s)(?=[\s/>]){_ATTRIBUTES}.*?(?:</\1|\Z)
    | (?P<end></(?:body|html)(?=[\s/>]){_ATTRIBUTES})
    | (?P<closed><(?:body|html)(?=[\s/]){_ATTRIBUTES}(?<=/>))
    | <[a-z/!?]{_ATTRIBUTES}
    """
_RAW_TEXT = "iframe|noembed|noframes|script|style|textarea|title|xmp"
_TOKEN = re.compile(_TOKENS % _RAW_TEXT, re.DOTALL | re.IGNORECASE | re.VERBOSE)
# libxml2 reads tags in these two, but their words are no content
_NO_WORDS = re.compile(_TOKENS % f"{_RAW_TEXT}|noscript|template", re.DOTALL | re.IGNORECASE | re.VERBOSE)
_WORD = re.compile(r"\w")


def parse(text: str) -> tuple[Element, Element]:
    """Return the root element of a source, and ``body``, or the root element where there is none (frames)."""
    # a lone surrogate, which some decoders leave, has no UTF-8 form
    source = text.strip().encode("utf-8", "replace")
    place = next((found for tag in _END_TAGS if (found := source.rfind(tag)) >= 0), len(source))
    root, body = _parse(b"".join((source[:place], b"<!--", _MARK.encode(), b"-->", source[place:])))
    last = body
    while len(last):
        last = last[-1]
    if not isinstance(last.tag, str) and last.text == _MARK:
        # all that is before the end tag is in the body
        behind = source[place:].decode()
        if (_ENDED.fullmatch(behind) or repaired(behind) is behind) and _remove(last):
            return root, body
    return _parse(repaired(text).strip().encode("utf-8", "replace"))


def _remove(mark: Element) -> bool:
    """Remove the mark, and return whether the tree is what it would be without."""
    parent, before = mark.getparent(), mark.getprevious()
    if parent is None:
        return False
    # libxml2 passes over the </body> of a second <body>, so that the blanks behind it are in the body
    if mark.tail:
        try:
            if before is None:
                parent.text = (parent.text or "") + mark.tail
            else:
                before.tail = (before.tail or "") + mark.tail
        except ValueError:  # a character that XML has not
            return False
    parent.remove(mark)
    return True


def repaired(text: str) -> str:
    """Return a source without the end tags of ``body`` and ``html``, if words of content follow one of them.

    ``<html/>`` and ``<body/>`` are read as start tags.
    """
    first = next((token for token in _TOKEN.finditer(text) if token["end"] or token["closed"]), None)
    if first is None or not _WORD.search(_NO_WORDS.sub("", text[first.end() :])):
        return text
    return _TOKEN.sub(_repaired_tag, text)


def _repaired_tag(token: re.Match[str]) -> str:
    if token["end"]:
        # "<</body>a" has no tag "<a"
        return "<!---->" if token.string.endswith("<", 0, token.start()) else ""
    # "<body a=b/ >" is no empty element, and the attribute is the same
    return f"{token[0][:-1]} >" if token["closed"] else token[0]


def _parse(source: bytes) -> tuple[Element, Element]:
    # as parsel does, but with plain elements, which are faster than those of lxml.html
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root = etree.fromstring(source.replace(b"\0", b"") or _EMPTY, parser)
    if root is None:
        root = etree.fromstring(_EMPTY, parser)
    body = root if root.tag == "body" else root.find("body")
    return root, root if body is None else body
