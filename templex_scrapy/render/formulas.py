"""The formulas of a page, as KaTeX, MathJax, MediaWiki and Word leave them there: TeX between dollar signs.

A formula is whole, also if the template has a sign of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml.etree import _Element as Element

from templex_scrapy.render.tex import clean, name_of, parsed, tex_of

_AROUND = 4  # elements that tell how a formula is shown
_OF_FORMULA = re.compile(r"katex|math|mjx", re.IGNORECASE)
_DISPLAY = re.compile(r"(?:^|[\s_-])(?:display|true|block)(?:$|\s)|display-?math", re.IGNORECASE)
_RENDERED = re.compile(r"katex|mathjax|mjx|mwe-math", re.IGNORECASE)
_RENDERING = re.compile(r"(?:^|\s)(?:katex-html|MathJax\w*|mjx-chtml|mwe-math-fallback\S*)(?:\s|$)")
_IMAGE = re.compile(r"(?:^|\s)(?:tex|latex|mwe-math-fallback\S*)(?:\s|$)")
_TEX_SIGN = re.compile(r"[\\^_{}=+<>]|^\s*\w\s*$")
_RAW = re.compile(r"\$\$(.{1,2000}?)\$\$|\\\((.{1,500}?)\\\)|\\\[(.{1,2000}?)\\\]", re.DOTALL)
_MOST_RAW = 200  # backslashes of a text


def of_element(formula: Element) -> str:
    """Return a ``math`` element, or a formula of Word; empty if nothing is in it."""
    return _delimited(tex_of(formula), display=_is_display(formula))


def of_script(script: Element) -> str:
    """Return the formula in a script; empty if it is another script."""
    kind, source = script.get("type", ""), script.text or ""
    if kind.startswith("math/tex"):
        return _delimited(source, display="display" in kind)
    formula = parsed(source) if kind.startswith("math/mml") else None
    return "" if formula is None else of_element(formula)


def of_image(image: Element, words: str) -> str:
    """Return the formula that a picture shows, as the ``alt`` has it in TeX; empty for other pictures."""
    is_formula = _IMAGE.search(image.get("class", "")) and _TEX_SIGN.search(words)
    return _delimited(words, display=_is_display(image)) if is_formula else ""


def rendered(element: Element) -> str | None:
    """Return the formula that a program has rendered into an element; empty if a script behind it has the source.

    None if the element has no formula, or has words beside the formula.
    """
    names = element.get("class")
    if element.tag != "mjx-container" and (not names or not _RENDERED.search(names)):
        return None
    if _is_before_script(element):
        return ""
    formula = _only_formula(element)
    if formula is None and (source := element.get("data-mathml")):
        formula = parsed(source)
    if formula is None or not (tex := tex_of(formula)):
        return None
    return _delimited(tex, display=_is_display(formula) or _is_display(element))


def divided(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text; True beside the formulas, which a script of the page would set."""
    end = 0
    if ("$$" in text or "\\(" in text or "\\[" in text) and text.count("\\") < _MOST_RAW:
        for formula in _RAW.finditer(text):
            tex = next(filter(None, formula.groups()))
            if _TEX_SIGN.search(tex):
                yield text[end : formula.start()], False
                yield _delimited(tex, display=formula[2] is None), True
                end = formula.end()
    yield text[end:], False


def _delimited(tex: str, *, display: bool) -> str:
    tex = clean(tex)
    if not tex:
        return ""
    return f"$${tex}$$" if display else f"${tex}$"


def _is_display(formula: Element) -> bool:
    """Return whether a formula has lines of its own."""
    if formula.get("display") == "inline":
        return False
    if formula.get("display") == "block" or formula.get("mode") == "display" or name_of(formula) == "omathpara":
        return True
    # <span class="katex-display">, <mjx-container display="true">, <span class="mwe-math-mathml-display">
    around = islice(formula.iterancestors(), _AROUND)
    names = (f"{parent.tag!s} {parent.get('class', '')} {parent.get('display', '')}" for parent in around)
    return any(_OF_FORMULA.search(name) and _DISPLAY.search(name) for name in names)


def _only_formula(element: Element) -> Element | None:
    """Return the formula of an element whose parts are this formula and renderings of it; None of all others."""
    if (element.text or "").strip() or any((part.tail or "").strip() for part in element):
        return None
    formulas = []
    for part in element:
        if not isinstance(part.tag, str):
            continue
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
    return formulas[0] if len(formulas) == 1 else None


def _is_before_script(element: Element) -> bool:
    """Return whether behind a formula that MathJax shows, and a preview of it, comes a script with the source."""
    around, here = element.getparent(), element
    is_alone = element.getnext() is None and element.getprevious() is None  # len() would count all children
    if is_alone and around is not None and "MathJax_Display" in around.get("class", ""):
        here = around
    for _ in range(2):
        if not _RENDERING.search(here.get("class", "")):
            return False
        behind = None if (here.tail or "").strip() else here.getnext()
        if behind is None or not isinstance(behind.tag, str):
            return False
        if behind.tag == "script":
            return bool(of_script(behind))
        here = behind
    return False
