"""MathML, and Word's elements for formulas, as TeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from lxml import etree
from lxml.etree import _Element as Element

_Part: TypeAlias = "Callable[[int | str], str]"  # the TeX of a child, by its position or name; empty if there is none

_MAX_LEVELS = 50  # of MathML in MathML; what is deeper is written as its text
_SPACES = re.compile(r"\s+")
_DISPLAY_STYLE = re.compile(r"\{\\(?:displaystyle|textstyle)\s(.*)\}", re.DOTALL)
_TEX = re.compile(r"\b(?:la)?tex\b", re.IGNORECASE)
_COMMAND = re.compile(r"\\[a-zA-Z]+$")
_ROW_END = r" \\ "
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
_RELATIONS = frozenset("=<>→⇒≤≥≠≈≡∈")
_PLAIN = {"−": "-", "∗": "*", "\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "\xa0": " "}
_FENCES = {"": ".", "{": "\\{", "}": "\\}"}
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
    """Return the TeX of a ``math`` element, or of a formula of Word: the annotation if there is one."""
    alternative = formula.get("alttext", "")
    return clean(alternative if "\\" in alternative or "^" in alternative else _tex(formula, 0))


def clean(tex: str) -> str:
    """Return TeX without the spaces, dollar signs and style around it."""
    tex = _SPACES.sub(" ", tex).strip()
    if styled := _DISPLAY_STYLE.fullmatch(tex):
        depth, inside = 0, styled[1]
        for sign in inside:
            depth += (sign == "{") - (sign == "}")
            if depth < 0:
                break
        if not depth:
            tex = inside.strip()
    return tex.strip("$ ")


def name_of(element: Element) -> str:
    """Return the tag of an element without a prefix; empty for a comment."""
    tag = element.tag
    return tag.rpartition(":")[2].rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _tex(element: Element, level: int) -> str:
    name = name_of(element)
    if level > _MAX_LEVELS:
        return _symbols("".join(element.itertext()))
    if name in _LEAVES:
        return _LEAVES[name]("".join(element.itertext()).strip())
    if name in _LEFT_OUT:
        return ""
    parts = _children(element)
    named: dict[int | str, Element] = {**{name_of(part): part for part in reversed(parts)}, **dict(enumerate(parts))}

    def part(key: int | str) -> str:
        return _tex(named[key], level + 1).strip() if key in named else ""

    if name in _LAYOUTS:
        return _LAYOUTS[name](element, part)
    inside = (piece for child in parts for piece in (_tex(child, level + 1), _symbols((child.tail or "").strip())))
    row = _joined([_symbols((element.text or "").strip()), *inside])
    return f"\\sqrt{{{row.strip()}}}" if name == "msqrt" else row


def _children(element: Element) -> list[Element]:
    return [child for child in element if isinstance(child.tag, str)]


def _joined(pieces: Iterable[str]) -> str:
    """Return TeX with a space between a command and a letter, which are two names."""
    joined: list[str] = []
    for tex in filter(None, pieces):
        if joined and tex[0].isalpha() and _COMMAND.search(joined[-1]):
            joined.append(" ")
        joined.append(tex)
    return "".join(joined)


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


def _name_or_sign(text: str) -> str:
    if text in _FUNCTIONS:
        return f"\\{text} "
    return f" {_symbols(text)} " if text in _RELATIONS else _symbols(text)


def _identifier(text: str) -> str:
    is_word = len(text) > 1 and text.isalpha() and text not in _FUNCTIONS
    return f"\\mathrm{{{_symbols(text)}}}" if is_word else _name_or_sign(text)


def _text(text: str) -> str:
    return f"\\text{{{_SPECIAL.sub(lambda sign: chr(92) + sign[0], text)}}}" if text else ""


# what has several parts


def _base(tex: str) -> str:
    return tex if len(tex) == 1 or re.fullmatch(r"\\[a-zA-Z]+", tex) else f"{{{tex}}}"


def _scripted(base: str, below: str, above: str) -> str:
    for sign, script in (("_", below), ("^", above)):
        if script:
            base += sign + (script if len(script) == 1 else f"{{{script}}}")
    return base


def _fraction(element: Element, part: _Part) -> str:
    command = "binom" if element.get("linethickness") in {"0", "0px", "0pt"} else "frac"
    return f"\\{command}{{{part(0)}}}{{{part(1)}}}"


def _root(degree: str, inside: str) -> str:
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{inside}}}"


def _with_accent(element: Element, part: _Part) -> str:
    parts = _children(element)
    accent = _ACCENTS.get("".join(parts[1].itertext()).strip()) if len(parts) == 2 else None
    if accent:
        return f"\\{accent}{{{part(0)}}}"
    script, is_over = part(1), name_of(element) == "mover"
    return _scripted(_base(part(0)), "" if is_over else script, script if is_over else "")


def _multiscripts(element: Element, part: _Part) -> str:
    names = [name_of(child) for child in _children(element)]
    split = names.index("mprescripts") if "mprescripts" in names else len(names)

    def scripts(places: range) -> tuple[str, str]:
        tex = [part(place) for place in places]
        return _joined(tex[::2]), _joined(tex[1::2])

    before = _scripted("{}", *scripts(range(split + 1, len(names))))
    return f"{before if before != '{}' else ''}{_scripted(_base(part(0)), *scripts(range(1, split)))}"


def _fenced(start: str, end: str, separator: str, inside: Iterable[str]) -> str:
    fences = (_FENCES.get(sign, _symbols(sign)) for sign in (start, end))
    return _joined([f"\\left{next(fences)}", separator.join(inside), f"\\right{next(fences)}"])


def _mfenced(element: Element, part: _Part) -> str:
    separator = (element.get("separators", ",").strip() or " ")[0]
    return _fenced(element.get("open", "("), element.get("close", ")"), separator, _all(element, part))


def _all(element: Element, part: _Part) -> Iterable[str]:
    return map(part, range(len(_children(element))))


def _semantics(element: Element, part: _Part) -> str:
    for child in _children(element)[1:]:
        is_tex = name_of(child) in {"annotation", "annotation-xml"} and _TEX.search(child.get("encoding", ""))
        if is_tex and (annotated := clean("".join(child.itertext()))):
            return annotated
    return part(0)


def _values(element: Element) -> dict[str, str]:
    """Return the settings of an element of Word: ``<m:chr m:val="∑">``."""
    properties = (setting for child in element if name_of(child).endswith("pr") for setting in child)
    values = ((name_of(setting), setting.attrib.items()) for setting in properties)
    return {name: value for name, items in values for key, value in items if str(key).endswith("val")}


def _nary(element: Element, part: _Part) -> str:
    return f"{_scripted(_symbols(_values(element).get('chr', '∫')), part('sub'), part('sup'))} {part('e')}"


def _delimited(element: Element, part: _Part) -> str:
    values, names = _values(element), [name_of(child) for child in _children(element)]
    inside = (part(at) for at, name in enumerate(names) if name == "e")
    return _fenced(values.get("begchr", "("), values.get("endchr", ")"), ",", inside)


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
_LAYOUTS: dict[str, Callable[[Element, _Part], str]] = {
    "mfrac": _fraction,
    "mroot": lambda _, part: _root(part(1), part(0)),
    "msup": lambda _, part: _scripted(_base(part(0)), "", part(1)),
    "msub": lambda _, part: _scripted(_base(part(0)), part(1), ""),
    "msubsup": lambda _, part: _scripted(_base(part(0)), part(1), part(2)),
    "mover": _with_accent,
    "munder": _with_accent,
    "munderover": lambda _, part: _scripted(_base(part(0)), part(1), part(2)),
    "mmultiscripts": _multiscripts,
    "mfenced": _mfenced,
    "mtr": lambda element, part: " & ".join(_all(element, part)),
    "mtable": lambda element, part: f"\\begin{{matrix}}{_ROW_END.join(_all(element, part))}\\end{{matrix}}",
    "semantics": _semantics,
    # Word
    "f": lambda _, part: f"\\frac{{{part('num')}}}{{{part('den')}}}",
    "ssup": lambda _, part: _scripted(_base(part("e")), "", part("sup")),
    "ssub": lambda _, part: _scripted(_base(part("e")), part("sub"), ""),
    "ssubsup": lambda _, part: _scripted(_base(part("e")), part("sub"), part("sup")),
    "rad": lambda _, part: _root(part("deg"), part("e")),
    "nary": _nary,
    "d": _delimited,
    "func": lambda _, part: f"{part('fname')} {part('e')}",
}
