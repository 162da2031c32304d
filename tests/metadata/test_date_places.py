"""The place where the pages of a template have their dates."""

import pytest
from helpers.made_sites import made_site

from templex_scrapy import Match, Page, Template
from templex_scrapy.metadata import may_be_date


def test_a_text_with_a_date_is_short():
    assert [may_be_date(f"{'x' * length} 3 May 2026") for length in (41, 42)] == [True, False]


@pytest.mark.parametrize(("others", "is_place"), [(["Ann Lee"], True), (["Ann Lee", "Bob Ray"], False)])
def test_most_texts_at_a_place_of_dates_are_dates(others, is_place):
    pytest.importorskip("htmldate")
    texts = ["3 May 2026", "4 May 2026", *others]
    site = made_site(len(texts), text="<i>@</i> Words of page {number} alone.")
    pages = [Page(page.text.replace("@", text), page.url) for page, text in zip(site, texts, strict=True)]
    found = Template.from_pages(pages[0], pages[1:]).match(pages[0]).clean.metadata.get("date", {})
    assert (found.get("source") == "place") == is_place


def mills(line):
    """Pages with the day of the crawl in the frame, and a line of their own."""
    return [
        Page(
            f"<title>Mill {number}</title><body><nav><p>All mills<p>27 November 2020</nav><h1>Mill {number}</h1>"
            f"<p>{f'Words of mill {number}. ' * 9}</p>{line.format(number)}",
            f"https://site.test/{number}",
        )
        for number in range(1, 7)
    ]


def test_a_date_where_sister_pages_have_theirs_beats_a_guess():
    pytest.importorskip("htmldate")
    pages = mills("<p>Since 1 May 2010</p><i class=when>{} June 2024</i>")
    template = Template.from_pages(pages[0], pages[1:])
    assert Match(pages[2]).clean.metadata["date"]["value"] != "2024-06-03"
    assert template.match(pages[2]).clean.metadata["date"] == {"value": "2024-06-03", "source": "place"}


def test_the_day_of_the_crawl_in_the_frame_is_no_date():
    pytest.importorskip("htmldate")
    pages = mills("")
    assert Match(pages[2]).clean.metadata["date"]["value"] == "2020-11-27"
    assert "date" not in Template.from_pages(pages[0], pages[1:]).match(pages[2]).clean.metadata
