"""What holds of every detector."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import strategies
from detector_cases import URL, odd_pages, page
from hypothesis import given
from templex_bench.detectors import DETECTORS, PRINTED_TITLE, Method

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


def detect(detector: Method, key: Page, pages: Iterable[Page], **parameters: object) -> frozenset[int]:
    found = detector.load()(key, pages, **parameters).nodes
    assert found is not None
    return found


each = pytest.mark.parametrize("detector", DETECTORS.values(), ids=DETECTORS.keys())
each_site_level = pytest.mark.parametrize(
    "detector", [one for one in DETECTORS.values() if one.level == "site"], ids=lambda one: one.name
)


@each
def test_it_finds_something_and_not_all(detector: Method) -> None:
    found = detect(detector, KEY, PAGES)
    assert found
    assert found < frozenset(range(len(KEY)))


@each
def test_every_reading_is_accepted(detector: Method) -> None:
    for reading in detector.readings.values():
        parameters = {name: value for name, value in reading.items() if name != "size"}
        assert detect(detector, KEY, PAGES, **parameters) <= frozenset(range(len(KEY)))
    assert (PRINTED_TITLE in detector.readings) == (detector.name != "content-words")
    with pytest.raises(TypeError, match="sise"):
        detect(detector, KEY, PAGES, sise=3)


LIST = page("<ul><li>Home</li><li>News</li></ul>")
BLOCKS = page("<div>Home</div><ul><li>News</li></ul><nav>Menu</nav>")


@pytest.mark.parametrize(
    ("name", "key", "bodies", "found"),
    [
        # each body as often as is said
        ("sst", LIST, {"<ul bgcolor=red><li>a</li><li>b</li></ul>": 1, "<p>c</p>": 2}, {0, 1, 2, 3, 4, 5}),
        ("rtdm-td", LIST, {'<ul><li class="now">Home</li><li>News</li></ul>': 1}, {0, 1, 4, 5}),
        ("rbm-td", LIST, {'<ul><li>News</li><li class="now">Home</li></ul>': 1}, {3, 4, 5}),
        (
            "iwptd",
            BLOCKS,
            {"<p>Home</p><ul><li>News</li></ul><nav>Menu</nav>": 3, "<p>Home</p><nav>Menu</nav>": 1, "<p>a</p>": 3},
            {1, 2},
        ),
        ("menex", page('<ul><li>w</li></ul><ul id="topNav"><li>w w</li></ul>'), {}, {1, 2, 3}),
    ],
    ids=["sst", "rtdm-td", "rbm-td", "iwptd", "menex"],
)
def test_as_printed_means_these_options(name: str, key: Page, bodies: dict[str, int], found: set[int]) -> None:
    """Worked out by hand; without any one of the options of its reading, a detector finds something else."""
    detector = DETECTORS[name]
    pages = [page(f"{body}<!-- {n} -->", f"{URL}{body}{n}") for body, times in bodies.items() for n in range(times)]
    printed = {option: value for option, value in detector.readings[PRINTED_TITLE].items() if option != "size"}
    assert detect(detector, key, pages, **printed) == found
    for option in printed:
        less = {other: value for other, value in printed.items() if other != option}
        assert detect(detector, key, pages, **less) != found, option


@each_site_level
def test_copies_have_no_part(detector: Method) -> None:
    copies = [Page(copied.text, f"{copied.url}-copy") for copied in (KEY, *PAGES)]
    assert detect(detector, KEY, [*PAGES, *copies]) == detect(detector, KEY, PAGES)
    alone = detect(detector, KEY, [])
    assert bool(alone) == (detector.name == "content-words"), "the papers find nothing without other pages"
    assert detect(detector, KEY, [Page(KEY.text, URL + "copy"), KEY]) == alone


@each
@given(pages=strategies.page_groups)
def test_the_same_again_in_any_order_and_inputs_unchanged(detector: Method, pages: list[str]) -> None:
    key, *others = [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]
    before = [(seen.text, seen.arrays.tag_strings, seen.arrays.sizes) for seen in (key, *others)]
    found = detect(detector, key, others)
    assert isinstance(found, frozenset)
    assert found <= frozenset(range(len(key)))
    again, *more = [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]
    assert found == detect(detector, again, tuple(more))
    if detector.name in {"sst", "iwptd", "rbm-td", "content-words"}:
        assert found == detect(detector, key, others[::-1])
    assert before == [(seen.text, seen.arrays.tag_strings, seen.arrays.sizes) for seen in (key, *others)]


@each
@odd_pages
def test_odd_pages(detector: Method, html: str) -> None:
    odd = Page(html, URL)
    assert detect(detector, odd, PAGES) <= frozenset(range(len(odd)))
    assert detect(detector, KEY, [odd, *PAGES]) <= frozenset(range(len(KEY)))
