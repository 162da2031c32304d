"""Words do not run together where what was between them is removed."""

import pytest
from helpers.made_sites import SOME, body_of, fixed_roots, page, words
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.render import cleaned_html, markdown, text
from templex_scrapy.render.html import MAX_STEPS


def rendered(body):
    one = page(body)
    return body_of(cleaned_html(one, fixed_roots(one)))


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("<p><b>one{}</b> fixed <b>two{}</b></p>", "<p><b>one{}</b> <b>two{}</b></p>"),
        ("<p><b>one{} </b> fixed <b>two{}</b></p>", "<p><b>one{} </b><b>two{}</b></p>"),
        ("<p>one{}<b> fixed </b><i>two{}</i></p>", "<p>one{} <i>two{}</i></p>"),
        ("<p><b>one{}</b><i>fixed</i><br>two{}</p>", "<p><b>one{}</b><br>two{}</p>"),
        ("<p><b>one{}</b><br>fixed<br><b>two{}</b></p>", "<p><b>one{}</b><br><br><b>two{}</b></p>"),
        ("<p><a><b>one{}</b></a> fixed <i>fixed</i><i>fixed</i>two{}</p>", "<p><a><b>one{}</b></a> two{}</p>"),
        ("<p><i>one{}</i><b> fixed <u>two{}</u></b></p>", "<p><i>one{}</i><b> <u>two{}</u></b></p>"),
        ("<p><i>one{}<u>x{}</u> fixed </i><b>two{}</b></p>", "<p><i>one{}<u>x{}</u> </i><b>two{}</b></p>"),
        ("<p><b>one{}</b> fixed <!-- c --><i>two{}</i></p>", "<p><b>one{}</b> <!-- c --><i>two{}</i></p>"),
        ("<div><b>one{}</b><div>fixed</div><b>two{}</b></div>", "<div><b>one{}</b> <b>two{}</b></div>"),
        ("<div><p>one{}</p> fixed <p>two{}</p></div>", "<div><p>one{}</p><p>two{}</p></div>"),
        ("<p><b>fixed</b>one{}<i>two{}</i> fixed </p>", "<p>one{}<i>two{}</i></p>"),
        ("<p><i>fixed</i> own {}</p>", "<p> own {}</p>"),
        ("<p><b>own {}</b> <i>fixed</i> tail {}</p>", "<p><b>own {}</b>  tail {}</p>"),
        ("<p><!-- c -->fixed <i>own {}</i></p>", "<p><!-- c --><i>own {}</i></p>"),
        ("<p><i>fixed</i><!-- c --> own {}</p>", "<p><!-- c --> own {}</p>"),
        ("<div><div><p>fixed</p></div><p>own {}</p></div>", "<div><p>own {}</p></div>"),
        ("<p>one{}<img src=/i{}.png> fixed <b>two{}</b></p>", '<p>one{}<img src="/i{}.png"><b>two{}</b></p>'),
    ],
)
def test_a_blank_is_left_where_words_would_become_one_and_nowhere_else(line, rest):
    """In a row of inline elements the text that goes may hold the only blank between two words."""
    fill = lambda text: text.format(*[1] * text.count("{}"))
    assert rendered(fill(line)) == fill(rest)


def test_a_long_row_of_elements_that_go_leaves_one_blank():
    """However many stand side by side, the last of them speaks for all."""
    row = "<i>fixed</i>" * (3 * MAX_STEPS)
    assert rendered(f"<p><b>one</b>{row}<b>two</b></p>") == "<p><b>one</b> <b>two</b></p>"


@SOME
@given(st.data())
def test_no_two_words_become_one(data):
    """Whatever goes from a row of inline elements, no word is left that holds two words of the page."""
    inline = st.sampled_from(
        ["<b>own{}</b>", "own{} ", "<i> fixed </i>", " fixed ", "<br>", "<u> fixed <b>own{}</b></u>"]
    )
    line = "".join(data.draw(st.lists(inline, max_size=8)))
    joined = lambda text: {"own" * word.count("own") for word in words(text.replace("*", ""))}
    one = page(f"<div>{line.replace('{}', 'xy')}</div>")
    for render in (text, markdown):
        assert joined(render(one, fixed_roots(one))) <= joined(render(one, ()))
