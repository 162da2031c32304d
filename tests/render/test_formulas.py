"""Formulas of a page as TeX in Markdown."""

import pytest
from made_sites import page

from templex_scrapy import Match


def markdown(body):
    return Match(page(body)).clean.markdown


E = "E=mc^2"
PREVIEW = '<span class="MathJax_Preview">E</span><span class="MathJax"><nobr>E</nobr></span>'
FALLBACK = '<img src="/x.svg" class="mwe-math-fallback-image-inline" alt="E">'
ANNOTATED = f'<math><semantics><mi>E</mi><annotation encoding="application/x-tex">{E}</annotation></semantics></math>'
RENDERED = '<span class="katex-html">E</span>'


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (ANNOTATED, f"${E}$"),
        (ANNOTATED.replace(E, "{\\displaystyle x_{1}}").replace("<math>", '<math display="block">'), "$$x_{1}$$"),
        (ANNOTATED.replace(E, "{\\displaystyle a}+{b}"), "${\\displaystyle a}+{b}$"),
        (ANNOTATED.replace("application/x-tex", "text/plain"), "$E$"),
        (f'<math alttext="{E}"><mi>E</mi></math>', f"${E}$"),
        # KaTeX
        (f'<span class="katex"><span>{ANNOTATED}</span>{RENDERED}</span>', f"${E}$"),
        # MathJax 2: a preview, what is shown, and the source
        (f'{PREVIEW}<script type="math/tex">{E}</script>', f"${E}$"),
        (f'<script type="math/tex; mode=display">{E}</script>', f"$${E}$$"),
        ('<span class="MathJax">x</span><script type="math/asciimath">x</script>', "x"),
        ('<div class="MathJax_Display"><span class="MathJax">x</span></div><script type="math/tex">y</script>', "$y$"),
        # MathJax 3
        (
            f"<mjx-container><mjx-math>E</mjx-math><mjx-assistive-mml>{ANNOTATED}</mjx-assistive-mml>",
            f"${E}$",
        ),
        # MediaWiki
        (f'<span class="mwe-math-element"><span>{ANNOTATED}</span>{FALLBACK}</span>', f"${E}$"),
        ('<img class="tex" src="/x.png" alt="a_1 + b">', "$a_1 + b$"),
        # words beside a formula stay
        ('<span class="mathjax">Let <math><mi>x</mi></math> be</span>', "Let $x$ be"),
        ('<span class="MathJax_x">Let</span><span>be <math><mi>x</mi></math></span>', "Let be $x$"),
        ('Let <span class="MathJax_Preview">x</span><!-- c --> be', "Let x be"),
        (f"<b>a</b> {RENDERED}", "**a** E"),
        # MathML
        (
            "<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mi>&beta;</mi><mi>y</mi></mfrac></math>",
            "$x^{2}+\\frac{β}{y}$",
        ),
        (
            "<math><msqrt><mi>x</mi><mi>z</mi></msqrt><mroot><mi>y</mi><mn>3</mn></mroot></math>",
            "$\\sqrt{xz}\\sqrt[3]{y}$",
        ),
        ("<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover></math>", "$∑_{i}^{n}$"),
        ("<math><mi>sin</mi><mi>x</mi><mo>≤</mo><mtext>1 %</mtext></math>", "$\\mathrm{sin}x≤\\text{1 \\%}$"),
        (
            "<math><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr></mtr></mtable></math>",
            "$\\begin{matrix}a & b \\\\ \\end{matrix}$",
        ),
        ("<mml:math><mml:msub><mml:mi>x</mml:mi></mml:msub></mml:math>", "$x_{}$"),
        # for a script of the page
        ("so \\(a_1*b\\) and $$c_*$$ but \\(the one\\)", "so $a_1*b$ and $$c_*$$ but \\\\(the one\\\\)"),
        ("<math></math>", ""),
        ("<m:oMath><m:r><m:t>a</m:t></m:r></m:oMath>", "a"),
    ],
)
def test_formulas_are_tex(html, expected):
    assert markdown(f"<p>{html}") == expected


@pytest.mark.parametrize(("backslashes", "is_formula"), [(199, True), (200, False)])
def test_a_text_full_of_backslashes_has_no_formulas(backslashes, is_formula):
    made = markdown("<p>" + "a\\" * (backslashes - 2) + " \\(x^2\\)")
    assert ("$x^2$" in made) is is_formula
