"""The formulas of a page as TeX between dollar signs: those of scripts for MathJax, MathML and pictures.

A formula is written whole, also if the template has a sign of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_RENDERING = re.compile(r"(?:^|\s)(?:katex-html|MathJax\w*|mjx-chtml|mwe-math-fallback\S*)(?:\s|$)")
_IMAGE = re.compile(r"(?:^|\s)(?:tex|latex|mwe-math-fallback\S*)(?:\s|$)")
_TEX = re.compile(r"\b(?:la)?tex\b", re.IGNORECASE)
_TEX_SIGN = re.compile(r"[\\^_{}=+<>]|^\s*\w\s*$")
_STYLED = re.compile(r"\{\\(?:display|text)style ")  # as MediaWiki writes
_SPECIAL = re.compile(r"[#$%&_{}]")
_RAW = re.compile(r"\$\$(.{1,2000}?)\$\$|\\\((.{1,500}?)\\\)|\\\[(.{1,2000}?)\\\]", re.DOTALL)
_MOST_RAW = 200  # backslashes of a text
# elements of MathML with their children by number; of all others the content is written
_LAYOUTS = {
    "annotation": "",
    "annotation-xml": "",
    "mfrac": r"\frac{{{0}}}{{{1}}}",
    "mphantom": "",
    "mroot": r"\sqrt[{1}]{{{0}}}",
    "msqrt": r"\sqrt{{{content}}}",
    "msub": "{0}_{{{1}}}",
    "msubsup": "{0}_{{{1}}}^{{{2}}}",
    "msup": "{0}^{{{1}}}",
    "mtable": r"\begin{{matrix}}{content}\end{{matrix}}",
    "mtext": r"\text{{{content}}}",
    "mover": r"\overset{{{1}}}{{{0}}}",
    "munder": r"\underset{{{1}}}{{{0}}}",
    "munderover": "{0}_{{{1}}}^{{{2}}}",
}
_BETWEEN = {"mtable": r" \\ ", "mtr": " & "}


def of_element(formula: Element) -> str:
    """Return a ``math`` element; empty if nothing is in it."""
    tex = formula.get("alttext", "")
    if "\\" not in tex and "^" not in tex:
        annotations = (note for note in formula.iter("annotation") if _TEX.search(note.get("encoding", "")))
        tex = next((text for note in annotations if (text := note.text)), "") or _tex(formula)
    return _delimited(tex, display=formula.get("display") == "block")


def of_script(script: Element) -> str:
    """Return the formula in a script; empty if it is another script."""
    kind = script.get("type", "")
    return _delimited(script.text or "", display="display" in kind) if kind.startswith("math/tex") else ""


def of_image(image: Element, words: str) -> str:
    """Return the formula that a picture shows, which its ``alt`` has as TeX; empty for other pictures."""
    names = image.get("class", "")
    is_formula = _IMAGE.search(names) and _TEX_SIGN.search(words)
    return _delimited(words, display="display" in names) if is_formula else ""


def is_rendering(element: Element) -> bool:
    """Return whether an element shows a formula whose source, MathML or a script, is beside the element."""
    if element.tag != "mjx-math" and not _RENDERING.search(element.get("class", "")):
        return False
    around = element.getparent()
    # <div class="MathJax_Display"><span class="MathJax">
    here = around if around is not None and "MathJax_Display" in around.get("class", "") else element
    behind = here.getnext()
    # <span class="MathJax_Preview"></span><span class="MathJax"></span><script>
    if behind is not None and _RENDERING.search(behind.get("class") or ""):
        behind = behind.getnext()
    return any(map(_is_source, (here.getprevious(), behind)))


def _is_source(element: Element | None) -> bool:
    if element is None or element.tag == "script":
        return element is not None and bool(of_script(element))
    formula = next(element.iter("math"), None)
    # nothing but the formula, or words would be lost
    return formula is not None and "".join(element.itertext()).strip() == "".join(formula.itertext()).strip()


def divided(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text; True beside the formulas, which a script of the page would set."""
    end = 0
    if ("$$" in text or "\\(" in text or "\\[" in text) and text.count("\\") < _MOST_RAW:
        for found in _RAW.finditer(text):
            tex = next(filter(None, found.groups()))
            if _TEX_SIGN.search(tex):
                yield text[end : found.start()], False
                yield _delimited(tex, display=found[2] is None), True
                end = found.end()
    yield text[end:], False


def _delimited(tex: str, *, display: bool) -> str:
    tex = " ".join(tex.split())
    if styled := _STYLED.match(tex):
        # the brace closes at the end, unlike that of "{\displaystyle a}+{b}"
        depths = accumulate((sign == "{") - (sign == "}") for sign in tex)
        if next((at for at, depth in enumerate(depths, 1) if not depth), 0) == len(tex):
            tex = tex[styled.end() : -1]
    tex = tex.strip("$ ")
    if not tex:
        return ""
    return f"$${tex}$$" if display else f"${tex}$"


def _tex(element: Element) -> str:
    if not isinstance(element.tag, str):
        return ""
    name = element.tag.rpartition(":")[2]
    own = _SPECIAL.sub(r"\\\g<0>", (element.text or "").strip())
    if name == "mi" and len(own) > 1:
        own = rf"\mathrm{{{own}}}"
    parts = [_tex(child) for child in element]
    tails = (_SPECIAL.sub(r"\\\g<0>", (child.tail or "").strip()) for child in element)
    content = own + _BETWEEN.get(name, "").join(part + tail for part, tail in zip(parts, tails, strict=True))
    return _LAYOUTS.get(name, "{content}").format(*parts, "", "", "", content=content)
