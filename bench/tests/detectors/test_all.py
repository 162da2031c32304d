"""What holds of every detector."""

import pytest
from helpers import strategies
from helpers.detector_cases import ODD
from helpers.made_sites import HOST, page
from hypothesis import given, settings
from templex_bench.candidates import MAX_LOADS
from templex_bench.detectors import DETECTORS, PRINTED_TITLE, iwptd, literal, menu, sst
from templex_bench.plan import EQUAL_SIZE, STANDARD_SIZE, VOTES

from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, PUBLISHED_QUICK, TEMPLEX
from templex_scrapy.page import Page, nodes_of
from templex_scrapy.papers import conex, menex

MENU = '<ul class="menu"><li><a href="/">Home</a></li><li><a href="/b">Blog</a></li></ul>'
KEY = page(
    f"<div>{MENU}</div><div><h2>Rain</h2><p>It rained all day.</p><table><tr><td>9 mm</td></tr></table></div>"
    "<p>Imprint</p>"
)
PAGES = [
    page(f"<div>{MENU}</div><div><h2>{name}</h2><p>{text}</p></div><p>Imprint</p>", HOST + name)
    for name, text in (
        ("Wind", "The wind rattled at the doors."),
        ("Lamps", "Lamps were few."),
        ("Fog", "There was fog."),
    )
]


def detect(detector, key, pages, **parameters):
    found = detector.load()(key, pages, **parameters).nodes
    assert found is not None
    return found


each = pytest.mark.parametrize("detector", DETECTORS.values(), ids=DETECTORS.keys())
each_site_level = pytest.mark.parametrize(
    "detector", [one for one in DETECTORS.values() if one.level == "site"], ids=lambda one: one.name
)


@each
def test_it_finds_something_and_not_all(detector):
    found = detect(detector, KEY, PAGES)
    assert found
    assert found < frozenset(range(len(KEY)))


@each
def test_every_reading_is_accepted(detector):
    for reading in detector.readings.values():
        parameters = {name: value for name, value in reading.items() if name != "size"}
        assert detect(detector, KEY, PAGES, **parameters) <= frozenset(range(len(KEY)))
    assert (PRINTED_TITLE in detector.readings) == (detector.name not in {"content-words", "complement"})
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
def test_as_printed_means_these_options(name, key, bodies, found):
    """Worked out by hand; without any one of the options of its reading, a detector finds something else."""
    detector = DETECTORS[name]
    pages = [page(f"{body}<!-- {n} -->", f"{HOST}{body}{n}") for body, times in bodies.items() for n in range(times)]
    printed = {option: value for option, value in detector.readings[PRINTED_TITLE].items() if option != "size"}
    assert detect(detector, key, pages, **printed) == found
    for option in printed:
        less = {other: value for other, value in printed.items() if other != option}
        assert detect(detector, key, pages, **less) != found, option


@each_site_level
def test_copies_have_no_part(detector):
    copies = [Page(copied.text, f"{copied.url}-copy") for copied in (KEY, *PAGES)]
    assert detect(detector, KEY, [*PAGES, *copies]) == detect(detector, KEY, PAGES)
    alone = detect(detector, KEY, [])
    assert bool(alone) == (detector.name == "content-words"), "the papers find nothing without other pages"
    assert detect(detector, KEY, [Page(KEY.text, HOST + "copy"), KEY]) == alone


@each
@settings(max_examples=10)
@given(pages=strategies.page_groups)
def test_the_same_again_in_any_order_and_inputs_unchanged(detector, pages):
    key, *others = [Page(html, f"{HOST}{number}") for number, html in enumerate(pages)]
    before = [(seen.text, nodes_of(seen).tag_strings, nodes_of(seen).sizes) for seen in (key, *others)]
    found = detect(detector, key, others)
    assert isinstance(found, frozenset)
    assert found <= frozenset(range(len(key)))
    again, *more = [Page(html, f"{HOST}{number}") for number, html in enumerate(pages)]
    assert found == detect(detector, again, tuple(more))
    if detector.name in {"sst", "iwptd", "rbm-td", "content-words"}:
        assert found == detect(detector, key, others[::-1])
    assert before == [(seen.text, nodes_of(seen).tag_strings, nodes_of(seen).sizes) for seen in (key, *others)]


@each
def test_odd_pages(detector):
    for html in ODD.values():
        odd = Page(html, HOST)
        assert detect(detector, odd, PAGES) <= frozenset(range(len(odd)))
        assert detect(detector, KEY, [odd, *PAGES]) <= frozenset(range(len(KEY)))


def test_the_constants_are_those_of_the_thesis():
    """Section or table beside each; a wrong one would shift figures without a test that fails."""
    weights = ("position", "classes", "children", "attributes", "threshold", "option")
    for printed, values in (
        (literal.TEMPLATES, (0.1, 0.1, 0.3, 0.5, 0.7, 2)),  # 8.5, row 1
        (literal.CODE, (0.4, 0.1, 0.5, 0.0, 0.9, 4)),  # 8.5, row 5
        (literal.CONTENT, (0.0, 0.1, 0.7, 0.2, 0.9, 4)),  # 10.2
        (literal.as_of(PUBLISHED), (0.1, 0.1, 0.3, 0.5, 0.7, 4)),
        (literal.as_of(PUBLISHED_QUICK), (0.4, 0.1, 0.5, 0.0, 0.9, 4)),
        (literal.as_of(PUBLISHED_CONTENT), (0.0, 0.1, 0.7, 0.2, 0.9, 4)),
        (literal.as_of(TEMPLEX), (0.4, 0.1, 0.5, 0.0, 0.6, 4)),  # ours
    ):
        assert tuple(getattr(printed, name) for name in weights) == values
    rules = [
        (one.rules, one.share) for one in (literal.TEMPLATES, literal.CONTENT, literal.CODE, literal.as_of(TEMPLEX))
    ]
    assert rules == [("printed", "first"), ("printed", "first"), ("code", "union"), ("added", "union")]
    assert literal.NO_ATTRIBUTES == 0.75  # the published code
    assert menu.WEIGHTS == (0.30, 0.05, 0.10, 0.15, 0.15, 0.25)  # 5.1
    thresholds = (menex.CANDIDATE_SHARE, menex.ROOT_THRESHOLD, menex.MENU_THRESHOLD)  # 5.2
    assert thresholds == (menu.CANDIDATES, menu.ROOT, menu.MENU) == (0.85, 0.90, 0.85)
    assert (conex.CANDIDATES, conex.MAX_WORDS, conex.LEAST_TEXT) == (3, 3, 1 / 3)  # 6.1, 6.2
    assert DETECTORS["page-conex"].readings[PRINTED_TITLE] == {"least_text": 0, "max_words": 3}
    tags = "body br em h1 h2 h3 h4 h5 header hr iframe nav script span undefined"
    assert frozenset(f"a {tags}".split()) == conex.NOT_RATED  # 6.2.2
    assert (iwptd.OCCURRENCES, iwptd.SHARE) == (5, 0.7)  # 12.1
    assert frozenset("div dl form ol table ul".split()) == iwptd.HTML4_BLOCKS  # ours, but for three
    assert (sst.GAMMA, sst.THRESHOLD) == (0.9, 0.2)  # the paper; ours
    assert dict(VOTES) == {1: 1, 2: 2, 3: 2, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4}  # 8.4
    assert (EQUAL_SIZE, STANDARD_SIZE["site-conex"]) == (3, 4)  # 8.4, 10.1
    assert MAX_LOADS == 60  # ours
