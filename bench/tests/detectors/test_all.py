"""What holds of every detector."""

from __future__ import annotations

import pytest
import strategies
from detector_cases import URL, odd_pages, page
from hypothesis import given
from templex_bench.detectors import DETECTORS, Detector

from templex_scrapy.page import Page

MENU = '<ul class="menu"><li><a href="/">Home</a></li><li><a href="/b">Blog</a></li></ul>'
KEY = page(
    f"<div>{MENU}</div><div><h2>Rain</h2><p>It rained all day.</p><table><tr><td>9 mm</td></tr></table></div>"
    "<p>Imprint</p>"
)
PAGES = [
    page(f"<div>{MENU}</div><div><h2>{name}</h2><p>{text}</p></div><p>Imprint</p>", URL + name)
    for name, text in (
        ("Wind", "The wind rattled at the doors."),
        ("Lamps", "Lamps were few."),
        ("Fog", "There was fog."),
    )
]

each = pytest.mark.parametrize("detector", DETECTORS.values(), ids=DETECTORS.keys())
each_site_level = pytest.mark.parametrize(
    "detector", [one for one in DETECTORS.values() if one.level == "site"], ids=lambda one: one.name
)


@each
def test_it_finds_something_and_not_all(detector: Detector) -> None:
    found = detector.detect(KEY, PAGES)
    assert found
    assert found < frozenset(range(len(KEY)))


@each
def test_every_reading_is_accepted(detector: Detector) -> None:
    for parameters in detector.readings.values():
        assert detector.detect(KEY, PAGES, **parameters) <= frozenset(range(len(KEY)))
    with pytest.raises(TypeError, match="sise"):
        detector.detect(KEY, PAGES, sise=3)


@each_site_level
def test_copies_have_no_part(detector: Detector) -> None:
    copies = [Page(copied.text, f"{copied.url}-copy") for copied in (KEY, *PAGES)]
    assert detector.detect(KEY, [*PAGES, *copies]) == detector.detect(KEY, PAGES)
    alone = detector.detect(KEY, [])
    assert bool(alone) == (detector.name == "content-words"), "the papers find nothing without other pages"
    assert detector.detect(KEY, [Page(KEY.text, URL + "copy"), KEY]) == alone


@each
@given(pages=strategies.page_groups)
def test_the_same_again_in_any_order_and_inputs_unchanged(detector: Detector, pages: list[str]) -> None:
    key, *others = [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]
    before = [(seen.text, seen.arrays.tag_strings, seen.arrays.sizes) for seen in (key, *others)]
    found = detector.detect(key, others)
    assert isinstance(found, frozenset)
    assert found <= frozenset(range(len(key)))
    again, *more = [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]
    assert found == detector.detect(again, tuple(more))
    if detector.name in {"sst", "iwptd", "rbm-td", "content-words"}:
        assert found == detector.detect(key, others[::-1])
    assert before == [(seen.text, seen.arrays.tag_strings, seen.arrays.sizes) for seen in (key, *others)]


@each
@odd_pages
def test_odd_pages(detector: Detector, html: str) -> None:
    odd = Page(html, URL)
    assert detector.detect(odd, PAGES) <= frozenset(range(len(odd)))
    assert detector.detect(KEY, [odd, *PAGES]) <= frozenset(range(len(KEY)))


@each
@pytest.mark.parametrize("shared", [True, False])
def test_many_siblings(detector: Detector, shared: bool) -> None:
    """A thousand items a page, the same on all pages or on none: it ends."""

    def listed(number: int) -> Page:
        items = (f"<li><a href='/{item}'>item {item if shared else (number, item)}</a></li>" for item in range(1000))
        return page(f"{MENU}<ol>{''.join(items)}</ol><p>page {number}</p>", f"{URL}{number}")

    key, *others = map(listed, range(3))
    found = detector.detect(key, others)
    if detector.target == "template" and detector.name != "hybrid":  # to which the list may be content
        assert ((key.arrays.tag_strings.index("<ol>") + 3) in found) == shared
