"""Formulas of a page as TeX in Markdown."""

import re

import pytest
from helpers.made_sites import page

from templex_scrapy import Match


def markdown(body):
    return Match(page(body)).clean.markdown


def word(inside):
    return re.sub("<(/?)", r"<\1m:", f"<oMath>{inside}</oMath>")


E = "E=mc^2"
PREVIEW = '<span class="MathJax_Preview">E</span><span class="MathJax"><nobr>E</nobr></span>'
FALLBACK = '<img src="/x.svg" class="mwe-math-fallback-image-inline" alt="E">'
MATHJAX3 = "<mjx-container><mjx-math></mjx-math><span><math><mi>{}</mi></math></span></mjx-container>"
ANNOTATED = f'<math><semantics><mi>E</mi><annotation encoding="application/x-tex">{E}</annotation></semantics></math>'


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (ANNOTATED, f"${E}$"),
        (ANNOTATED.replace(E, "{\\displaystyle x_{1}}").replace("<math>", '<math display="block">'), "$$x_{1}$$"),
        (f'<math alttext="{E}"><mi>E</mi></math>', f"${E}$"),
        # KaTeX
        (f'<span class="katex"><span>{ANNOTATED}</span><span class="katex-html">E</span></span>', f"${E}$"),
        (f'<span class="katex-display"><span class="katex"><span>{ANNOTATED}</span></span></span>', f"$${E}$$"),
        # MathJax 2: a preview, what is shown, and the source
        (f'{PREVIEW}<script type="math/tex">{E}</script>', f"${E}$"),
        (f'<script type="math/tex; mode=display">{E}</script>', f"$${E}$$"),
        ('<span class="MathJax" data-mathml="<math><mi>x</mi></math>"><nobr>x</nobr></span>', "$x$"),
        ('<span class="MathJax" data-mathml=" ">x</span>', "x"),
        (
            """<span class="MathJax" data-mathml="<?xml version='1.0' encoding='utf-8'?><math>x</math>">y</span>""",
            "$x$",
        ),
        ('<span class="MathJax">x</span><script type="math/mml"><math><mi>x</mi></math></script>', "$x$"),
        ('<span class="MathJax">x</span><script type="math/asciimath">x</script>', "x"),
        ('<div class="MathJax_Display"><span class="MathJax">x</span></div><script type="math/tex">y</script>', "$y$"),
        # words beside a formula stay
        (
            '<span class="mathjax">Let <math><mi>x</mi></math> be and <math><mi>y</mi></math>.</span>',
            "Let $x$ be and $y$.",
        ),
        ('<span class="mathjax"><math><mi>x</mi></math> <b>is</b></span>', "$x$ **is**"),
        ('Let <span class="MathJax_Preview">x</span> be', "Let x be"),
        ('<math><mi>x</mi></math> <span class="MathJax">y</span> <span class="MathJax_Text">z</span>', "$x$ y z"),
        ('<b>a</b> <span class="katex-html">E</span>', "**a** E"),
        # MathJax 3
        (
            f'<mjx-container display="true"><mjx-math>E</mjx-math><mjx-assistive-mml>{ANNOTATED}</mjx-assistive-mml>',
            f"$${E}$$",
        ),
        (f"Let {MATHJAX3.format('x')} and {MATHJAX3.format('y')}{MATHJAX3.format('z')} be", "Let $x$ and $y$$z$ be"),
        # MediaWiki
        (f'<span class="mwe-math-element"><span>{ANNOTATED}</span>{FALLBACK}</span>', f"${E}$"),
        ('<img class="tex" src="/x.png" alt="a_1 + b">', "$a_1 + b$"),
        (f"{ANNOTATED} and {FALLBACK}", f"${E}$ and $E$"),
        # Word
        (word("<f><num><t>a</t></num><den><t>b</t></den></f>"), "$\\frac{a}{b}$"),
        (
            word('<nary><naryPr><chr m:val="∑"></chr></naryPr><sub><t>i</t></sub><sup>n</sup><e><t>x</t></e></nary>'),
            "$\\sum_i^n x$",
        ),
        (
            word('<d><dPr><begChr m:val="["></begChr></dPr><e>a</e><e>b</e></d><rad><deg></deg><e>x</e></rad>'),
            "$\\left[a,b\\right)\\sqrt{x}$",
        ),
        (word("<sSubSup><e><t>x</t></e><sub><t>1</t></sub><sup><t>23</t></sup></sSubSup>"), "$x_1^{23}$"),
        ("<math><mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac></math>", "$\\binom{n}{k}$"),
        (word("<sSup><e><t>10</t></e><sup><t>6</t></sup></sSup>"), "${10}^6$"),
        ("<mml:math><mml:msub><mml:mi>x</mml:mi><mml:mn>1</mml:mn></mml:msub></mml:math>", "$x_1$"),
        # MathML
        ("<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mi>&alpha;</mi><mi>y</mi></math>", "$x^2+\\alpha y$"),
        ("<math><msqrt><mi>x</mi></msqrt><mroot><mi>y</mi><mn>3</mn></mroot></math>", "$\\sqrt{x}\\sqrt[3]{y}$"),
        (
            "<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mover><mi>x</mi><mo>¯</mo></mover></math>",
            "$\\sum_i^n\\bar{x}$",
        ),
        ("<math><mi>sin</mi><mi>x</mi><mo>≤</mo><mtext>1 %</mtext></math>", "$\\sin x \\leq \\text{1 \\%}$"),
        (
            "<math><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable></math>",
            "$\\begin{matrix}a & b\\end{matrix}$",
        ),
        ("<math><mfenced><mi>a</mi><mi>b</mi></mfenced></math>", "$\\left(a,b\\right)$"),
        ('<math><mfenced open="⟨"><mi>x</mi></mfenced></math>', "$\\left\\langle x\\right)$"),
        (
            "<math><mmultiscripts><mi>T</mi><mi>&alpha;</mi><none/><mi>x</mi><none/></mmultiscripts></math>",
            "$T_{\\alpha x}$",
        ),
        ("<math><mmultiscripts><mi>C</mi><mn>12</mn><mn>3</mn></mmultiscripts></math>", "$C_{12}^3$"),
        ("<math><msup><msup><mi>a</mi><mi>b</mi></msup><mn>2</mn></msup></math>", "${a^b}^2$"),
        ("<math><mn>1</mn><mspace></mspace><mn>2</mn><mi>f</mi><mo>&#x2061;</mo><mi>x</mi></math>", "$1 2fx$"),
        (ANNOTATED.replace("application/x-tex", "text/plain"), "$E$"),
        (ANNOTATED.replace(E, "{\\displaystyle a}+{b}"), "${\\displaystyle a}+{b}$"),
        (f"<math><mi>a</mi>{ANNOTATED[6:]}", f"$a{E}$"),
        ('</p><div class="block"><p>Let <math><mi>x</mi></math> be', "Let $x$ be"),
        ('<span class="katex-display"><math display="inline"><mi>x</mi></math></span>', "$x$"),
        # for a script of the page
        ("so \\(a_1*b\\) and $$c_*$$ but \\(the one\\)", "so $a_1*b$ and $$c_*$$ but \\\\(the one\\\\)"),
        ("<math></math>", ""),
    ],
)
def test_formulas_are_tex(html, expected):
    assert markdown(f"<p>{html}") == expected


@pytest.mark.parametrize(("levels", "roots"), [(49, 49), (50, 50), (51, 50)])
def test_fifty_levels_of_a_formula_are_written(levels, roots):
    nested = "<math>" + "<msqrt>" * levels + "<mi>x</mi>" + "</msqrt>" * levels
    made = markdown(nested)
    assert (made.count("\\sqrt"), made.count("x")) == (roots, 1)


@pytest.mark.parametrize(("backslashes", "is_formula"), [(199, True), (200, False)])
def test_a_text_full_of_backslashes_has_no_formulas(backslashes, is_formula):
    made = markdown("<p>" + "a\\" * (backslashes - 2) + " \\(x^2\\)")
    assert ("$x^2$" in made) is is_formula
