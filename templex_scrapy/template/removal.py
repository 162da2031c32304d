"""What of the template is removed from a page: from flags to the roots of the removed subtrees.

A node is removable if nothing in its subtree is the page's own. Some such nodes are kept all the same: what belongs to
the content (:mod:`templex_scrapy.content.kept_parts`), what contains a frame, and what the user's selectors preserve.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from cssselect.parser import Attrib, Element
from cssselect.xpath import ExpressionError, XPathExpr
from lxml.cssselect import CSSSelector, LxmlHTMLTranslator

from templex_scrapy.page import LINKS, MEDIA, NodeArrays, NodeValues, Page
from templex_scrapy.template.node_flags import NodeFlags

_VISIBLE = frozenset({"a", *MEDIA})
_MAX_CLASSES = 2
_NAME = re.compile(r"-?[A-Za-z_][A-Za-z_-]*")  # ids and classes with figures are often of one page only
_VISIBLE_STARTS = tuple(f"<{tag}" for tag in sorted(_VISIBLE))


def mark_removable(page: NodeValues, position: int, flags: NodeFlags) -> None:
    """Set the removable flag of a node, after those of its descendants have been set.

    A medium is removed or kept as a whole. A link that is kept keeps all that is in it.
    """
    arrays = page.arrays
    size = arrays.sizes[position]
    if size == 1:
        flags.removable[position] = flags.equal[position]
        return
    end = position + size
    equal = bool(flags.equal[position])
    tag = arrays.start_tag(position).tag
    if tag in MEDIA:
        whole = equal and flags.present.find(0, position, end) < 0
        flags.removable[position:end] = bytes([whole]) * (end - position)
    else:
        flags.removable[position] = equal and flags.removable.find(0, position + 1, end) < 0
        if not flags.removable[position] and tag in LINKS:
            flags.removable[position:end] = bytes(end - position)


def protect(arrays: NodeArrays, flags: NodeFlags) -> None:
    """Clear the flags of what is never removed: node 0, and what contains an iframe or a noscript.

    The content of these two is not compared.
    """
    for position in arrays.frame_parents:
        _keep_with_ancestors(arrays, position, flags.removable)
    flags.removable[0] = 0


def largest_subtrees(arrays: NodeArrays, removable: bytearray) -> Iterator[int]:
    """Yield the roots of the largest removable subtrees, in node order.

    A rule or a spacer alone is left out: it shows nothing and may separate what is kept.
    """
    position = removable.find(1)
    while position >= 0:
        end = position + arrays.sizes[position]
        if _is_visible(arrays, position, end):
            yield position
        position = removable.find(1, end)


def _is_visible(arrays: NodeArrays, start: int, end: int) -> bool:
    if arrays.texts[start:end].count(None) < end - start:
        return True
    return any(
        tag_string.startswith(_VISIBLE_STARTS) and arrays.start_tag(start + offset).tag in _VISIBLE
        for offset, tag_string in enumerate(arrays.tag_strings[start:end])
    )


class _Translator(LxmlHTMLTranslator):
    """Refuses at once what lxml would refuse when a selector is applied: HTML has no namespace prefixes."""

    def xpath_element(self, selector: Element) -> XPathExpr:
        _check_prefix(selector.namespace)
        return super().xpath_element(selector)

    def xpath_attrib(self, selector: Attrib) -> XPathExpr:
        _check_prefix(selector.namespace)
        return super().xpath_attrib(selector)


def _check_prefix(prefix: str | None) -> None:
    # any namespace, *|, is as good as none; later versions of cssselect tell the two apart
    if prefix and prefix != "*":
        raise ExpressionError(f"{prefix}| is a namespace prefix, and HTML has none: select by tag, class or attribute")


def compile_selectors(selectors: Iterable[str]) -> tuple[CSSSelector, ...]:
    """Compile CSS selectors of what is preserved; tags and attributes match in any case, as in HTML.

    Args:
        selectors: CSS selectors, or one as a string.

    Raises:
        cssselect.SelectorError: if a selector is invalid, or cannot be applied to HTML.
    """
    written = [selectors] if isinstance(selectors, str) else selectors
    return tuple(CSSSelector(selector, translator=_Translator()) for selector in written)


def selector_of(arrays: NodeArrays, position: int) -> str:
    """Return a CSS selector for an element: its tag with id or classes, or in the nearest element that has some.

    It is empty if none has: a selector of tags alone would preserve too much.
    """
    own, is_named = _simple_selector(arrays, position)
    if is_named:
        return own
    around = (_simple_selector(arrays, at) for at in arrays.ancestors(position))
    return next((f"{selector} {own}" for selector, is_named in around if is_named), "")


def _simple_selector(arrays: NodeArrays, position: int) -> tuple[str, bool]:
    """Return a selector of one element, and whether it has the id or a class."""
    start_tag = arrays.start_tag(position)
    tag = start_tag.tag if _NAME.fullmatch(start_tag.tag.rstrip("123456")) else "*"
    if _NAME.fullmatch(start_tag.id):
        return f"{tag}#{start_tag.id}", True
    names = [f".{name}" for name in sorted(start_tag.classes) if _NAME.fullmatch(name)]
    return tag + "".join(names[:_MAX_CLASSES]), bool(names)


def keep_selected(page: Page, selectors: Iterable[CSSSelector], removable: bytearray) -> frozenset[str]:
    """Clear the flags of what selectors match, of its descendants and of its ancestors.

    An element that is no node, such as a ``script``, is kept with its ancestors; the nodes beside it may be removed.

    Returns:
        The selectors that match something.
    """
    matched = {selector.css: found for selector in selectors if (found := selector(page.root))}
    if not matched:
        return frozenset()
    arrays = page.arrays
    nodes = dict.fromkeys(page.body.iterancestors(), 0)
    for position, place in enumerate(arrays.places):
        if arrays.texts[position] is None:
            nodes[page.elements[place]] = position
    for element in chain.from_iterable(matched.values()):
        node = nodes.get(element)
        if node is None:
            node = next((nodes[above] for above in element.iterancestors() if above in nodes), 0)
        else:
            removable[node : node + arrays.sizes[node]] = bytes(arrays.sizes[node])
        _keep_with_ancestors(arrays, node, removable)
    return frozenset(matched)


def _keep_with_ancestors(arrays: NodeArrays, position: int, removable: bytearray) -> None:
    removable[position] = 0
    for ancestor in arrays.ancestors(position):
        removable[ancestor] = 0
