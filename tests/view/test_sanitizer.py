"""Markup of the page: what nh3 keeps by the view's lists."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from templex_scrapy.view.sanitizer import DROPPED, NOWHERE, TAGS, allowed_tags, sanitize


def sanitized(markup: str) -> str:
    return sanitize(markup, TAGS)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('<p class="a b" id="c" dir="rtl" data-x="1" aria-label="l">t</p>', None),
        ('<p style="color: red">t</p>', None),
        ("<script>x</script>one <b>two</b><iframe>y</iframe>three", "one <b>two</b>three"),
        ('<p onclick="x" tabindex="0" contenteditable>t</p>', "<p>t</p>"),
        ('<a href="https://x" target="_top" ping="y">t</a>', f'<a href="{NOWHERE}">t</a>'),
        ('<a href="javascript:x">t</a><a name="n">u</a>', "<a>t</a><a>u</a>"),
        ('<form action="x"><input name="a" value="b" autofocus></form>', '<form><input value="b"></form>'),
        ("<object data=x><b>instead</b></object><embed src=x>", "<b>instead</b>"),
        ('<img src="/p.png" srcset="q 2x" alt="a">', '<img src="/p.png" alt="a">'),
        ('<img src="javascript:x" alt="a">', '<img alt="a">'),
        ('<p style="color: red ! important">t</p>', '<p style="color: red  important">t</p>'),
        ('<img src="data:image/gif;base64,AA">', None),
        ('<svg viewBox="0 0 9 9"><use href="#p"></use></svg>', None),
        ('<svg><use href="http://x#p"></use><image href="x"></image></svg>', "<svg><use></use></svg>"),
        ("<math><mtext>x</mtext></math><template>y</template>z", "z"),
    ],
)
def test_what_is_kept(written, expected):
    """The look of a page is kept; what runs, loads, submits or navigates is not."""
    if expected is None:
        assert sanitized(written) == written
    else:
        assert expected in sanitized(written)
        assert not re.search(r"//x|javascript|=[\"']?x", sanitized(written))


def test_custom_elements_are_kept():
    """Style sheets refer to them; without scripts they do nothing."""
    tags = allowed_tags(["my-card", "p", "annotation-xml", "blink"])
    assert {"my-card", "p"} <= tags
    assert not tags & (DROPPED | {"blink"})
    assert sanitize('<my-card class="c" onclick="x">t</my-card>', tags) == '<my-card class="c">t</my-card>'


SOUP = st.sampled_from(
    [
        *"<table> <tr> <td> </table> <select> <option> </select> <svg> </svg> <math> <mtext> <style> </style>".split(),
        *"<title> </title> <textarea> </textarea> <noscript> </noscript> <template> </template> <form> </form>".split(),
        *"<embed> <source> <object> </object> <picture> <image> <wbr> <desc> <foreignObject> <mglyph> <!-- -->".split(),
        *"<annotation-xml> <![CDATA[ ]]> <? <p> <a> <b> </a> </b> <xmp> <plaintext> </svg> </math>".split(),
        "<img src=http://x onerror=pwn()>",
        "<a title='</style></textarea></title></noscript><img src=http://x onerror=pwn()>'>",
        "<script>pwn()</script>",
        "&lt;img src=http://x onerror=pwn()&gt;",
        "text ",
    ]
)


@given(st.lists(SOUP, max_size=14).map("".join))
def test_tag_soup(markup):
    """However it is nested, nothing that runs or loads becomes markup, also when it is parsed again."""
    written = sanitized(markup)
    for element in lxml_html.fragment_fromstring(written, create_parent="div").iter():
        assert element.tag not in DROPPED
        assert not [name for name in element.attrib if name.startswith("on")]
        assert element.get("src") is None or element.tag == "img"
    assert sanitized(written) == written
