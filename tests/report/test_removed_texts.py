"""The table of removed texts: the largest come first."""

from __future__ import annotations

from templex_scrapy import Page
from templex_scrapy.report.removed_texts import MAX_TEXTS, RemovedTexts


def add(texts: RemovedTexts, body: str, removed: str) -> None:
    """Count a page of which the texts in elements ``b`` with a class are removed."""
    page = Page(f"<body>{body}</body>", "https://site.test/")
    arrays = page._arrays
    roots = [at for at in range(len(page)) if removed in arrays.start_tag(at).classes]
    texts.add(arrays, roots)


def test_the_largest_come_first():
    """A text of many words, or of many pages, is before one of few; how often it is kept is counted."""
    texts = RemovedTexts()
    for number in range(9):
        box = '<div class="gone"><p class="stock">In stock</p></div>' if number < 3 else '<p class="stock">In stock</p>'
        add(texts, f'<nav class="gone"><a>Home</a></nav>{box}<h1>Own {number}</h1>', "gone")
    rows = [(row.text, row.removed, row.kept, row.selector) for row in texts.largest(9)]
    assert texts.pages == 9
    assert rows == [("Home", 9, 0, "nav.gone a"), ("In stock", 3, 6, "p.stock")]


def test_the_number_of_texts_is_limited():
    """The most frequent ones are kept."""
    texts = RemovedTexts()
    for number in range(MAX_TEXTS // 4):
        own = "".join(f"<li>{number} {one}</li>" for one in range(5))
        add(texts, f'<ul class="gone"><li>Always</li>{own}</ul><p>{number}</p>', "gone")
    assert texts.largest(1)[0].text == "Always"
    assert len(texts.largest(10_000)) <= MAX_TEXTS
