"""Values under the labels that the pages of a site share."""

import pytest
from helpers.detector_cases import lines_run
from helpers.growth import growth
from helpers.made_sites import MENU
from helpers.made_sites import page as made_page

from templex_scrapy import Page, Template
from templex_scrapy.metadata.labelled_fields import Fields
from templex_scrapy.page import nodes_of

URL = "https://site.test/{}"


def fields(form, values, frame="<div class=nav>The frame of all pages</div>"):
    """Return the fields of the first of some pages, on each of which a form is filled with values."""
    pages = [
        Page(f"<html><body>{frame}<h1>Page {value[0]}</h1>{form.format(*value)}</body></html>", URL.format(number))
        for number, value in enumerate(values)
    ]
    return Template.from_pages(pages[0], pages[1:]).match(pages[0]).clean.fields


VALUES = [(f"one{n}", f"two{n}") for n in range(6)]


@pytest.mark.parametrize(
    "form",
    [
        "<dl><dt>Brand</dt><dd>{}</dd><dt>Weight</dt><dd>{}</dd></dl>",
        "<table><tr><th>Brand</th><td>{}</td></tr><tr><th>Weight</th><td>{}</td></tr></table>",
        "<table><tr><th>Brand</th><th>Weight</th></tr><tr><td>{}</td><td>{}</td></tr></table>",
        "<ul><li><b>Brand:</b> {}</li><li><b>Weight</b>: {}</li></ul>",
        "<p><b>Brand: </b>{}<br><b>Weight: </b>{}<br></p>",
        "<ul><li>Brand: {}</li><li>Weight: {}</li></ul>",
        "<ul><li>Brand\uff1a{}</li><li>Weight\uff1a{}</li></ul>",
        "<h3>Brand</h3><ul><li>{}</li></ul><h3>Weight</h3><ul><li>{}</li></ul><p>More, and so on</p>",
        "<div class=k>Brand</div><div class=v>{}</div><div class=k>Weight</div><div class=v>{}</div>",
        "<p><b>{}</b><span>Brand</span></p><p><b>{}</b><span>Weight</span></p>",
        "<p class=k><b>Brand</b></p><p><b>{}</b></p><p class=k><b>Weight</b></p><p><b>{}</b></p>",
        "<dl><dt>Brand</dt><dd><a href='/b/{0}'>{0}</a></dd><dt>Weight</dt><dd>{1}</dd></dl>",
    ],
)
def test_forms(form):
    assert fields(form, VALUES) == {"Brand": "one0", "Weight": "two0"}


FEW = [("Acme", "Ann"), ("Bolt", "Ann"), ("Acme", "Bea"), ("Bolt", "Bea"), ("Acme", "Ann")]
COMMON = [("Acme" if n % 2 else f"one{n}", "In stock" if n % 3 else f"two{n}") for n in range(1, 9)]


@pytest.mark.parametrize(
    ("form", "values", "expected"),
    [
        # several values of a label are one text, and a label with several values is one of a listing
        ("<dl><dt>Size</dt><dd>{}</dd><dd>{}</dd></dl>", VALUES, {"Size": "one0 two0"}),
        ("<p><b>By</b> {}</p><p><b>By</b> {}</p>", VALUES, {}),
        ("<dl><dt>Brand</dt><dd>{}</dd><dt>Stock</dt><dd>{}</dd></dl>", COMMON, {"Brand": "Acme", "Stock": "In stock"}),
        ("<dl><dt>In</dt><dd><a>{}</a></dd><dt>By</dt><dd><a>{}</a></dd></dl>", FEW, {"In": "Acme", "By": "Ann"}),
        ("<p>https://site.test/{}", VALUES, {}),
        ("<p>Mon 9:00-17:{}", VALUES, {}),
        ("<div class=k>A</div><div class=v></div><p>Afterwards {}", VALUES, {}),
        # a value before the label is a single element
        ("<p><b>{} <i>{}</i></b><span>Brand</span></p>", VALUES, {"Brand": "one0 two0"}),
        ("<p><b>{}</b><i>{}</i><span>Brand</span></p>", VALUES, {}),
    ],
)
def test_pairs(form, values, expected):
    assert fields(form, values) == expected


def test_a_label_has_at_most_eight_words():
    for label, found in (("word " * 8, 1), ("word " * 9, 0), ("重量" * 8, 1), ("重量" * 9, 0), ("น้ำหนัก" * 9, 0)):
        assert len(fields(f"<dl><dt>{label}</dt><dd>{{}}</dd></dl>", VALUES)) == found


def test_what_one_page_alone_has_is_no_label():
    values = [("one", "<b>Only:</b> here"), *(VALUES[1:])]
    assert fields("<p><b>Brand:</b> {}</p><p><b>Weight:</b> 1{0}</p><p>{1}</p>".replace("{}", "{0}"), values) == {
        "Brand": "one",
        "Weight": "1one",
    }


def test_without_a_template_there_are_none():
    page = Page("<dl><dt>Brand</dt><dd>Acme</dd></dl>", URL.format(0))
    assert Template.from_pages(page, []).match(page).clean.fields == {}


def test_work_grows_with_the_page():
    def work(rows):
        form = "".join(f"<b>label {row}</b> {{0}}{row} " for row in range(rows))
        pages = [Page(f"<h1>{n}</h1>{form.format(n)}", URL.format(n)) for n in range(5)]
        match = Template.from_pages(pages[0], pages[1:]).match(pages[0])
        assert match.roots is not None
        lines = lines_run(lambda: match.clean.fields)
        assert len(match.clean.fields) == rows
        return lines

    assert work(1000) < 15 * work(100), "ten times the rows"


def test_tables_in_tables_take_linear_time():
    def read(size):
        table = f"<tr>{'<th>Brand' * size}</tr><tr>{'<td>Acme {}' * size}</tr>".replace("{}", "{0}")
        form = "<table><caption>" * (size // 4) + f"<table>{table}"
        pages = [made_page(MENU + form.format(n), f"https://site.test/{n}") for n in range(3)]
        arrays, labels = nodes_of(pages[0]), Template.from_pages(pages[0], pages[1:]).labels
        return lambda: Fields(arrays, arrays.text_positions, labels).found()

    assert growth(read, 1000) < 3
