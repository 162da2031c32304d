"""CSS selectors of what stays in a page, whatever its template says."""

from __future__ import annotations

from collections.abc import Iterable

from cssselect.parser import Attrib, Element
from cssselect.xpath import ExpressionError, XPathExpr
from lxml.cssselect import CSSSelector, LxmlHTMLTranslator

from templex_scrapy.page import Page
from templex_scrapy.template.key_page import keep


class _Translator(LxmlHTMLTranslator):
    """Refuses what lxml finds out only when a selector is applied: in HTML no namespace prefix is known."""

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
    """Selectors that can be applied to any page. Names of tags and attributes may be in any case, as HTML has it.

    Args:
        selectors: CSS selectors, or one as a string.

    Raises:
        cssselect.SelectorError: if a selector is none, or cannot be applied to HTML.
    """
    written = [selectors] if isinstance(selectors, str) else selectors
    return tuple(CSSSelector(selector, translator=_Translator()) for selector in written)


def keep_selected(page: Page, selectors: Iterable[CSSSelector], gone: bytearray) -> None:
    """Keep what selectors match, with what it holds and what holds it.

    What is no node, such as a ``script``, stays with what holds it; the nodes around it may go.

    Args:
        page: the page.
        selectors: the compiled selectors.
        gone: 1 for the page's nodes that may go; changed.
    """
    arrays = page.arrays
    nodes = dict.fromkeys(page.body.iterancestors(), 0)
    for position, place in enumerate(arrays.places):
        if arrays.texts[position] is None:
            nodes[page.elements[place]] = position
    for element in (element for selector in selectors for element in selector(page.root)):
        if element in nodes:
            keep(arrays, nodes[element], gone)
        else:
            holder = next((nodes[holder] for holder in element.iterancestors() if holder in nodes), 0)
            for position in (holder, *arrays.ancestors(holder)):
                gone[position] = 0
