"""Formulas as TeX: what KaTeX, MathJax, MediaWiki and Word write, and MathML itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_MAX_LEVELS = 50  # of MathML in MathML; what is deeper is written as its text
_SPACES = re.compile(r"\s+")
_DISPLAY_STYLE = re.compile(r"\{\\(?:displaystyle|textstyle)\s(.*)\}", re.DOTALL)
_AROUND = 4  # elements that tell how a formula is shown
_FORMULA = re.compile(r"katex|math|mjx", re.IGNORECASE)
_DISPLAY = re.compile(r"(?:^|[\s_-])(?:display|true|block)(?:$|\s)|display-?math", re.IGNORECASE)
_TEX = re.compile(r"\b(?:la)?tex\b", re.IGNORECASE)
_COMMAND = re.compile(r"\\[a-zA-Z]+$")
_SPECIAL = re.compile(r"[#$%&_{}]")
_OPERATORS = {
    **dict(zip("αβγδεζηθικλμνξπρστυφχψω", """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi
    rho sigma tau upsilon varphi chi psi omega""".split(), strict=True)),
    **dict(zip("ΓΔΘΛΞΠΣΥΦΨΩ", "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(), strict=True)),
    **dict(zip("∑∏∫∮∂∇∞√±∓×÷·⋅∘≤≥≠≈≡∼≃≅∝∈∉∋⊂⊃⊆⊇∪∩∅∀∃¬∧∨→←↔⇒⇐⇔↦…⋯ℏℓ′⟨⟩‖⊕⊗⊥∥∠ϕϵ", """sum prod int oint partial nabla
    infty surd pm mp times div cdot cdot circ leq geq neq approx equiv sim simeq cong propto in notin ni subset supset
    subseteq supseteq cup cap emptyset forall exists neg wedge vee to leftarrow leftrightarrow Rightarrow Leftarrow
    Leftrightarrow mapsto ldots cdots hbar ell prime langle rangle Vert oplus otimes perp parallel angle phi
    epsilon""".split(), strict=True)),
}  # fmt: skip
_PLAIN = {"−": "-", "∗": "*", "\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "\xa0": " "}
_ACCENTS = {
    "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "¯": "bar", "‾": "overline", "→": "vec", "⃗": "vec", "˙": "dot",
    ".": "dot", "¨": "ddot", "ˇ": "check", "⏞": "overbrace", "⏟": "underbrace", "_": "underline", "̲": "underline",
}  # fmt: skip
_FUNCTIONS = frozenset(
    "arccos arcsin arctan cos cosh cot det dim exp gcd inf ker lim ln log max min mod sec sin sinh sup tan tanh".split()
)


def parsed(source: str) -> Element | None:
    """Return the ``math`` element of a source of MathML; None if there is none."""
    # with a tag in front no source is empty, or declares an encoding
    return next(etree.HTML(f"<p>{source}").iter("math"), None)


def tex_of(formula: Element) -> str:
    """Return the TeX of a ``math`` element, or of one of Word: as it is annotated, or else as the elements say."""
    alternative = formula.get("alttext", "")
    if "\\" in alternative or "^" in alternative:
        return _clean(alternative)
    return _clean(_written(formula, 0))


def is_display(formula: Element) -> bool:
    """Return whether a formula has lines of its own."""
    if formula.get("display") == "inline":
        return False
    if formula.get("display") == "block" or formula.get("mode") == "display" or _name(formula) == "omathpara":
        return True
    # <span class="katex-display">, <mjx-container display="true">, <span class="mwe-math-mathml-display">
    around = islice(formula.iterancestors(), _AROUND)
    names = (f"{parent.tag!s} {parent.get('class', '')} {parent.get('display', '')}" for parent in around)
    return any(_FORMULA.search(name) and _DISPLAY.search(name) for name in names)


def delimited(tex: str, *, display: bool) -> str:
    """Return TeX between dollar signs; empty if there is none."""
    tex = _clean(tex)
    if not tex:
        return ""
    return f"$${tex}$$" if display else f"${tex}$"


def _clean(tex: str) -> str:
    tex = _SPACES.sub(" ", tex).strip()
    if (styled := _DISPLAY_STYLE.fullmatch(tex)) and _is_balanced(styled[1]):
        tex = styled[1].strip()
    return tex.strip("$ ")


def _is_balanced(tex: str) -> bool:
    depth = 0
    for sign in tex:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0


def _name(element: Element) -> str:
    tag = element.tag
    return tag.rpartition(":")[2].rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _children(element: Element) -> list[Element]:
    return [child for child in element if isinstance(child.tag, str)]


def _written(element: Element, level: int) -> str:
    name = _name(element)
    if level > _MAX_LEVELS:
        return _symbols("".join(element.itertext()))
    if name in _LEAVES:
        return _LEAVES[name]("".join(element.itertext()).strip())
    if name in _LEFT_OUT:
        return ""
    parts = _children(element)
    if name in _LAYOUTS:
        return _LAYOUTS[name](element, parts, level + 1)
    own = _symbols((element.text or "").strip())
    return own + _row(parts, level + 1)


def _row(parts: list[Element], level: int) -> str:
    pieces = ((_written(part, level), _symbols((part.tail or "").strip())) for part in parts)
    return _joined(chain.from_iterable(pieces))


def _joined(pieces: Iterable[str]) -> str:
    """Return TeX with a space between a command and a letter, which are two names."""
    joined: list[str] = []
    for tex in filter(None, pieces):
        if joined and tex[0].isalpha() and _COMMAND.search(joined[-1]):
            joined.append(" ")
        joined.append(tex)
    return "".join(joined)


def _group(part: Element | None, level: int) -> str:
    tex = "" if part is None else _written(part, level).strip()
    return f"{{{tex}}}"


def _base(part: Element | None, level: int) -> str:
    tex = "" if part is None else _written(part, level).strip()
    return tex if len(tex) == 1 or re.fullmatch(r"\\[a-zA-Z]+", tex) else f"{{{tex}}}"


def _at(parts: list[Element], index: int) -> Element | None:
    return parts[index] if index < len(parts) else None


def _symbols(text: str) -> str:
    tex = []
    for sign in text:
        if sign in _PLAIN:
            tex.append(_PLAIN[sign])
        elif sign in _OPERATORS:
            tex.append(f"\\{_OPERATORS[sign]} ")
        else:
            tex.append(_SPECIAL.sub(r"\\\g<0>", sign))
    return "".join(tex).rstrip() if text and text[-1] in _OPERATORS else "".join(tex)


def _identifier(text: str) -> str:
    if text in _FUNCTIONS:
        return f"\\{text} "
    return f"\\mathrm{{{_symbols(text)}}}" if len(text) > 1 and text.isalpha() else _symbols(text)


def _operator(text: str) -> str:
    if text in _FUNCTIONS:
        return f"\\{text} "
    tex = _symbols(text)
    return f" {tex} " if text in {"=", "<", ">", "→", "⇒", "≤", "≥", "≠", "≈", "≡", "∈"} else tex


def _text(text: str) -> str:
    return f"\\text{{{_SPECIAL.sub(lambda sign: chr(92) + sign[0], text)}}}" if text else ""


def _fraction(element: Element, parts: list[Element], level: int) -> str:
    command = "binom" if element.get("linethickness") in {"0", "0px", "0pt"} else "frac"
    return f"\\{command}{_group(_at(parts, 0), level)}{_group(_at(parts, 1), level)}"


def _root(element: Element, parts: list[Element], level: int) -> str:
    if _name(element) == "msqrt":
        return f"\\sqrt{{{_row(parts, level).strip() or _symbols(element.text or '')}}}"
    index = "" if len(parts) < 2 else _written(parts[1], level).strip()
    return f"\\sqrt[{index}]{_group(_at(parts, 0), level)}"


def _scripts(below: int | None, above: int | None) -> Callable[[Element, list[Element], int], str]:
    def write(element: Element, parts: list[Element], level: int) -> str:
        accent = _ACCENTS.get("".join(parts[-1].itertext()).strip()) if len(parts) == 2 else None
        if accent and _name(element) in {"mover", "munder"}:
            return f"\\{accent}{_group(parts[0], level)}"
        tex = _base(_at(parts, 0), level)
        for sign, index in (("_", below), ("^", above)):
            if (
                index is not None
                and (part := _at(parts, index)) is not None
                and (inner := _written(part, level).strip())
            ):
                tex += sign + (inner if len(inner) == 1 else f"{{{inner}}}")
        return tex

    return write


def _multiscripts(_element: Element, parts: list[Element], level: int) -> str:
    names = [_name(part) for part in parts]
    split = names.index("mprescripts") if "mprescripts" in names else len(parts)
    before, behind = parts[split + 1 :], parts[1:split]

    def indices(scripts: list[Element]) -> str:
        written = [_written(script, level).strip() for script in scripts]
        below, above = _joined(written[::2]), _joined(written[1::2])
        return (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")

    return f"{'{}' + indices(before) if before else ''}{_base(_at(parts, 0), level)}{indices(behind)}"


def _fenced(element: Element, parts: list[Element], level: int) -> str:
    start, end = element.get("open", "("), element.get("close", ")")
    sign = (element.get("separators", ",").strip() or " ")[0]
    inside = sign.join(_written(part, level) for part in parts)
    return _joined([f"\\left{_fence(start)}", inside, f"\\right{_fence(end)}"])


def _fence(sign: str) -> str:
    return {"": ".", "{": "\\{", "}": "\\}"}.get(sign, _symbols(sign))


def _table(_element: Element, parts: list[Element], level: int) -> str:
    rows = [" & ".join(_written(cell, level).strip() for cell in _children(row)) for row in parts]
    inside = " \\\\ ".join(rows)
    return f"\\begin{{matrix}}{inside}\\end{{matrix}}"


def _semantics(_element: Element, parts: list[Element], level: int) -> str:
    for part in parts[1:]:
        is_tex = _name(part) in {"annotation", "annotation-xml"} and _TEX.search(part.get("encoding", ""))
        if is_tex and (written := _clean("".join(part.itertext()))):
            return written
    return "" if not parts else _written(parts[0], level)


# Word's own language for formulas


def _word_part(parts: list[Element], name: str) -> Element | None:
    return next((part for part in parts if _name(part) == name), None)


def _word(pattern: str) -> Callable[[Element, list[Element], int], str]:
    def write(_element: Element, parts: list[Element], level: int) -> str:
        def part(found: re.Match[str]) -> str:
            return (_base if found[1] == "e" else _group)(_word_part(parts, found[1]), level)

        return re.sub(r"<(\w+)>", part, pattern)

    return write


def _word_root(_element: Element, parts: list[Element], level: int) -> str:
    degree = _word_part(parts, "deg")
    index = "" if degree is None else _written(degree, level).strip()
    return f"\\sqrt{f'[{index}]' if index else ''}{_group(_word_part(parts, 'e'), level)}"


def _word_operator(element: Element, parts: list[Element], level: int) -> str:
    sign = next((_value(one) for one in element.iter() if _name(one) == "chr"), "∫")
    tex = _symbols(sign)
    for mark, name in (("_", "sub"), ("^", "sup")):
        if (part := _word_part(parts, name)) is not None and (inner := _written(part, level).strip()):
            tex += f"{mark}{{{inner}}}"
    return f"{tex} {_written(e, level) if (e := _word_part(parts, 'e')) is not None else ''}"


def _word_delimited(element: Element, parts: list[Element], level: int) -> str:
    signs = {_name(one): _value(one) for one in element.iter() if _name(one) in {"begchr", "endchr"}}
    inside = ",".join(_written(part, level) for part in parts if _name(part) == "e")
    return f"\\left{_fence(signs.get('begchr', '('))}{inside}\\right{_fence(signs.get('endchr', ')'))}"


def _value(element: Element) -> str:
    return next((value for name, value in element.attrib.items() if str(name).endswith("val")), "")


_LEAVES: dict[str, Callable[[str], str]] = {
    "mi": _identifier,
    "mn": _symbols,
    "mo": _operator,
    "mtext": _text,
    "ms": _text,
    "t": _symbols,
    "mspace": lambda _: " ",
}
_LEFT_OUT = frozenset({"annotation", "annotation-xml", "mphantom", "none", "mprescripts", "rpr", "ctrlpr"}) | {
    f"{name}pr" for name in "f ssup ssub ssubsup rad nary d func acc m lim".split()
}
_LAYOUTS: dict[str, Callable[[Element, list[Element], int], str]] = {
    "mfrac": _fraction,
    "msqrt": _root,
    "mroot": _root,
    "msup": _scripts(None, 1),
    "msub": _scripts(1, None),
    "msubsup": _scripts(1, 2),
    "mover": _scripts(None, 1),
    "munder": _scripts(1, None),
    "munderover": _scripts(1, 2),
    "mmultiscripts": _multiscripts,
    "mfenced": _fenced,
    "mtable": _table,
    "semantics": _semantics,
    "f": _word(r"\frac<num><den>"),
    "ssup": _word("<e>^<sup>"),
    "ssub": _word("<e>_<sub>"),
    "ssubsup": _word("<e>_<sub>^<sup>"),
    "rad": _word_root,
    "nary": _word_operator,
    "d": _word_delimited,
    "func": _word("<fname> <e>"),
}
