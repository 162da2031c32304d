"""CSS of the page: nothing in it loads anything."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.view.css import LOST, MAX_LENGTH, MAX_STYLE, filter_css, filter_style


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a{background:url(http://x)}", "a{background:LOST}"),
        ("a{background:url( 'http://x' ) no-repeat}", "a{background:LOST no-repeat}"),
        ("a:hover{color:red;BACKGROUND-image:url(x),url(#a)}", "a:hover{color:red;BACKGROUND-image:LOST,url(#a)}"),
        ("a{list-style:url(x);cursor:url(x),auto;content:url(x)}", "a{list-style:none;cursor:none,auto;content:none}"),
        ("@media print{a{background:url(x)}}", "@media print{a{background:LOST}}"),
        ("a{background:u\\72l(http://x)}", "a{background:LOST}"),
        ("a{background:u\\0000072 L(http://x)}", "a{background:u\\0000072 L(http://x)}"),
        ("a{background:\\75 \\72 \\6c(//x)}", "a{background:LOST}"),
        ("a{background:URL(//x)}", "a{background:LOST}"),
        ("a{fill:url(#shape)}", "a{fill:url(#shape)}"),
        ("a{background:url(data:image/png;base64,AA)}", "a{background:url(data:image/png;base64,AA)}"),
        ("a{background:url(data:text/html,x)}", "a{background:LOST}"),
        ("a{background:image-set('x.png' 1x)}", "a{background:templex-none('x.png' 1x)}"),
        ("a{background:image\\2dset('x.png' 1x)}", "a{background:templex-none('x.png' 1x)}"),
        ("a{--u:url(http://x)}", "a{--u:none}"),
        ("a{b:url('x)}", "a{b:templex-none('x)}"),
        ("a{content:'</style>'}", "a{content:'<\\/style>'}"),
        ("@font-face{src:url(x.woff)}", "@font-face{src:none}"),
        ("@media (width < 600px){.\\31 a{color:red}}", "@media (width < 600px){.\\31 a{color:red}}"),
        ("@import 'x';", "@templex-none 'x';"),
        ("@im\\70ort url(x);", "@templex-none none;"),
        ("@IMPORT 'x';", "@templex-none 'x';"),
    ],
)
def test_sheets_load_nothing(written, expected):
    """Remote addresses become an empty picture or ``none``; everything else is kept."""
    assert filter_css(written) == expected.replace("LOST", f"url({LOST})")


PIECES = (
    *"url( u\\72l( src( image-set( @import 'http://x' \"http://x\" http://x ' \" ) ; { } : \\ / * #".split(),
    *("data:", "background:", "data:image/png,x", "</style>", "\n", " ", "/*", "*/"),
)


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_nothing_that_loads_is_left(css):
    """Whatever pieces a sheet is made of, only local addresses are left, and no import."""
    filtered = filter_css(css)
    assert "@import" not in filtered.lower()
    assert "</" not in filtered
    for rest in re.split(r"(?i)(?<!templex-none\()(?:url|src|image-set)\(", filtered)[1:]:
        assert re.match(r"\s*[\"']?\s*(?:data:image/|#)", rest), filtered


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("color:red!important;top:0", "color:red;top:0"),
        ("color:red ! /**/ IMPORTANT", "color:red "),
        ("color:red!!important important", "color:red important"),
        ("color:red!\\69mportant", "color:red"),
        ("background:url(x)", f"background:url({LOST})"),
        ("--important: important", "--important: important"),
    ],
)
def test_style_attributes_lose_importance(written, expected):
    """A style attribute loads nothing and overrides none of the view's rules."""
    assert filter_style(written) == expected


def test_what_is_too_long_is_left_out():
    """Long sheets, sheets that become long, and long style attributes."""
    assert filter_css("a{}" * MAX_LENGTH) == ""
    assert filter_css("a{background:url()}" * 90_000) == ""
    assert filter_style("x" * (MAX_STYLE + 1)) == ""
