"""MathML, and Word's elements for formulas, as TeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import accumulate, chain
from typing import NamedTuple

from lxml import etree
from lxml.etree import _Element as Element

_MAX_LEVELS = 50  # of MathML in MathML; of what is deeper the text stays
_SPACES = re.compile(r"\s+")
_DISPLAY_STYLE = re.compile(r"\{\\(?:displaystyle|textstyle)\s(.*)\}", re.DOTALL)
_TEX = re.compile(r"\b(?:la)?tex\b", re.IGNORECASE)
_COMMAND = re.compile(r"\\[a-zA-Z]+$")
_ROW_END = r" \\ "
_ESCAPES = {sign: f"\\{sign}" for sign in "#$%&_{}"}
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
_SYMBOLS = str.maketrans({**{sign: f"\\{name} " for sign, name in _OPERATORS.items()}, **_ESCAPES, **_PLAIN})
_ESCAPED = str.maketrans(_ESCAPES)
_RELATIONS = frozenset("=<>→⇒≤≥≠≈≡∈")
_FENCES = {"": ".", "{": "\\{", "}": "\\}"}
_ACCENTS = {
    "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "¯": "bar", "‾": "overline", "\\to": "vec", "⃗": "vec",
    "˙": "dot", ".": "dot", "¨": "ddot", "ˇ": "check", "⏞": "overbrace", "⏟": "underbrace", "\\_": "underline",
    "̲": "underline",
}  # fmt: skip
_FUNCTIONS = frozenset(
    "arccos arcsin arctan cos cosh cot det dim exp gcd inf ker lim ln log max min mod sec sin sinh sup tan tanh".split()
)


def parsed(source: str) -> Element | None:
    """Return the ``math`` element of a source of MathML; None if there is none."""
    # with a tag in front no source is empty, or declares an encoding
    return next(etree.HTML(f"<p>{source}").iter("math"), None)


def tex_of(formula: Element) -> str:
    """Return the TeX of a ``math`` element, or of a formula of Word: the annotation if there is one."""
    alternative = formula.get("alttext", "")
    return clean(alternative if "\\" in alternative or "^" in alternative else _tex(formula, 0))


def clean(tex: str) -> str:
    """Return TeX without the spaces, dollar signs and style around it."""
    tex = _SPACES.sub(" ", tex).strip()
    if styled := _DISPLAY_STYLE.fullmatch(tex):
        # of "{\displaystyle a}+{b}" the first brace does not end at the last
        depths = [0, *accumulate((sign == "{") - (sign == "}") for sign in styled[1])]
        if min(depths) == depths[-1] == 0:
            tex = styled[1].strip()
    return tex.strip("$ ")


def name_of(element: Element) -> str:
    """Return the tag of an element without a prefix; empty for a comment."""
    tag = element.tag
    return tag.rpartition(":")[2].rpartition("}")[2].lower() if isinstance(tag, str) else ""


class _Parts(NamedTuple):
    """An element with the names and the TeX of the elements in it."""

    element: Element
    names: list[str]
    tex: list[str]

    def get(self, key: int | str | None) -> str:
        """Return the TeX of a part, by place or name; empty if there is none."""
        place = self.names.index(key) if key in self.names else key
        return self.tex[place] if isinstance(place, int) and place < len(self.tex) else ""


def _tex(element: Element, level: int) -> str:
    name = name_of(element)
    if level > _MAX_LEVELS:
        return _symbols("".join(element.itertext()))
    if name in _LEAVES:
        return _LEAVES[name]("".join(element.itertext()).strip())
    if name in _LEFT_OUT:
        return ""
    if name == "semantics" and (annotated := _annotation(element)):
        return annotated
    children = [child for child in element if isinstance(child.tag, str)]
    tex = [_tex(child, level + 1) for child in children]
    if name in _LAYOUTS:
        return _LAYOUTS[name](_Parts(element, [*map(name_of, children)], [*map(str.strip, tex)]))
    tails = (_symbols((child.tail or "").strip()) for child in children)
    inside = chain.from_iterable(zip(tex, tails, strict=True))
    row = _joined([_symbols((element.text or "").strip()), *inside])
    return f"\\sqrt{{{row.strip()}}}" if name == "msqrt" else row


def _joined(pieces: Iterable[str]) -> str:
    """Return TeX with a space between a command and a letter, which are two names."""
    joined: list[str] = []
    for tex in filter(None, pieces):
        if joined and tex[0].isalpha() and _COMMAND.search(joined[-1]):
            joined.append(" ")
        joined.append(tex)
    return "".join(joined)


def _symbols(text: str) -> str:
    tex = text.translate(_SYMBOLS)
    return tex.rstrip() if text and text[-1] in _OPERATORS else tex


def _name_or_sign(text: str) -> str:
    if text in _FUNCTIONS:
        return f"\\{text} "
    return f" {_symbols(text)} " if text in _RELATIONS else _symbols(text)


def _identifier(text: str) -> str:
    is_word = len(text) > 1 and text.isalpha() and text not in _FUNCTIONS
    return f"\\mathrm{{{_symbols(text)}}}" if is_word else _name_or_sign(text)


def _text(text: str) -> str:
    return f"\\text{{{text.translate(_ESCAPED)}}}" if text else ""


# what has several parts


def _base(tex: str) -> str:
    return tex if len(tex) == 1 or re.fullmatch(r"\\[a-zA-Z]+", tex) else f"{{{tex}}}"


def _scripted(base: str, below: str, above: str) -> str:
    for sign, script in (("_", below), ("^", above)):
        if script:
            base += sign + (script if len(script) == 1 else f"{{{script}}}")
    return base


def _scripts(base: int | str, below: int | str | None, above: int | str | None) -> Callable[[_Parts], str]:
    return lambda parts: _scripted(_base(parts.get(base)), parts.get(below), parts.get(above))


def _fraction(parts: _Parts) -> str:
    command = "binom" if parts.element.get("linethickness") in {"0", "0px", "0pt"} else "frac"
    return f"\\{command}{{{parts.get(0)}}}{{{parts.get(1)}}}"


def _root(degree: str, inside: str) -> str:
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{inside}}}"


def _with_accent(parts: _Parts) -> str:
    base, script = parts.get(0), parts.get(1)
    if script in _ACCENTS:
        return f"\\{_ACCENTS[script]}{{{base}}}"
    return _scripted(_base(base), *(("", script) if name_of(parts.element) == "mover" else (script, "")))


def _multiscripts(parts: _Parts) -> str:
    split = [*parts.names, "mprescripts"].index("mprescripts")
    behind, before = parts.tex[1:split], parts.tex[split + 1 :]
    start = _scripted("{}", _joined(before[::2]), _joined(before[1::2])) if any(before) else ""
    return start + _scripted(_base(parts.get(0)), _joined(behind[::2]), _joined(behind[1::2]))


def _fenced(start: str, end: str, separator: str, inside: Iterable[str]) -> str:
    fences = (_FENCES.get(sign, _symbols(sign)) for sign in (start, end))
    return _joined([f"\\left{next(fences)}", separator.join(inside), f"\\right{next(fences)}"])


def _mfenced(parts: _Parts) -> str:
    attributes = parts.element.attrib
    separator = (attributes.get("separators", ",").strip() or " ")[0]
    return _fenced(attributes.get("open", "("), attributes.get("close", ")"), separator, parts.tex)


def _annotation(semantics: Element) -> str:
    for child in semantics:
        is_tex = name_of(child) in {"annotation", "annotation-xml"} and _TEX.search(child.get("encoding", ""))
        if is_tex and (annotated := clean("".join(child.itertext()))):
            return annotated
    return ""


def _value(element: Element, name: str, default: str) -> str:
    """Return a setting of an element of Word: ``<m:chr m:val="∑">``."""
    properties = (setting for child in element if name_of(child).endswith("pr") for setting in child)
    values = (setting.attrib.items() for setting in properties if name_of(setting) == name)
    return next((value for items in values for key, value in items if str(key).endswith("val")), default)


def _nary(parts: _Parts) -> str:
    sign = _symbols(_value(parts.element, "chr", "∫"))
    return f"{_scripted(sign, parts.get('sub'), parts.get('sup'))} {parts.get('e')}"


def _delimited(parts: _Parts) -> str:
    start, end = _value(parts.element, "begchr", "("), _value(parts.element, "endchr", ")")
    return _fenced(start, end, ",", (tex for name, tex in zip(parts.names, parts.tex, strict=True) if name == "e"))


_LEAVES: dict[str, Callable[[str], str]] = {
    "mi": _identifier,
    "mn": _symbols,
    "mo": _name_or_sign,
    "mtext": _text,
    "ms": _text,
    "t": _symbols,
    "mspace": lambda _: " ",
}
_LEFT_OUT = frozenset({"annotation", "annotation-xml", "mphantom", "none", "mprescripts", "rpr", "ctrlpr"}) | {
    f"{name}pr" for name in "f ssup ssub ssubsup rad nary d func acc m lim".split()
}
_LAYOUTS: dict[str, Callable[[_Parts], str]] = {
    "mfrac": _fraction,
    "mroot": lambda parts: _root(parts.get(1), parts.get(0)),
    "msup": _scripts(0, None, 1),
    "msub": _scripts(0, 1, None),
    "msubsup": _scripts(0, 1, 2),
    "mover": _with_accent,
    "munder": _with_accent,
    "munderover": _scripts(0, 1, 2),
    "mmultiscripts": _multiscripts,
    "mfenced": _mfenced,
    "mtr": lambda parts: " & ".join(parts.tex),
    "mtable": lambda parts: f"\\begin{{matrix}}{_ROW_END.join(parts.tex)}\\end{{matrix}}",
    # Word
    "f": lambda parts: f"\\frac{{{parts.get('num')}}}{{{parts.get('den')}}}",
    "ssup": _scripts("e", None, "sup"),
    "ssub": _scripts("e", "sub", None),
    "ssubsup": _scripts("e", "sub", "sup"),
    "rad": lambda parts: _root(parts.get("deg"), parts.get("e")),
    "nary": _nary,
    "d": _delimited,
    "func": lambda parts: f"{parts.get('fname')} {parts.get('e')}",
}
