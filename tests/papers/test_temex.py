"""The papers' detectors: TemEx, and HybEx, which is TemEx on what page-level ConEx leaves."""

from helpers import strategies
from helpers.detector_cases import odd_examples
from helpers.made_sites import SOME, learn, page, site
from hypothesis import given

from templex_scrapy.mapping import PUBLISHED, PUBLISHED_QUICK, TEMPLEX
from templex_scrapy.page import Page
from templex_scrapy.papers import detect_content, detect_template, detect_template_hybrid

URL = "https://site.test/"


def site_page(url, text):
    return page(
        '<div><div><ul><li><a href="/">Home</a></li><li><a href="/b">Blog</a></li></ul></div>'
        f"<div><div><h2>Notes</h2><p>{text}</p><p>It was read by all, and then once more.</p>"
        "<p>Nothing else.</p></div></div>"
        "<div><p>Imprint</p></div></div>",
        url,
    )


KEY = site_page(URL, "The rain fell in torrents on the roofs of the town.")


OTHERS = [
    site_page(URL + "1", "The wind swept up the streets and rattled at the doors."),
    site_page(URL + "2", "The lamps struggled against the darkness of the night."),
]


def test_detect_template_is_the_template_of_the_key_page():
    pages = site(lambda n: f"<h1>Headline {n}</h1>")
    assert detect_template(pages[0], pages[1:3]) == learn(pages).nodes
    assert detect_template(pages[0], []) == frozenset()
    assert detect_template(pages[0], pages[:1]) == frozenset(), "the key page has no vote on itself"


def test_by_place_alone_a_headline_is_template():
    pages = site(lambda n: f"<h1>Headline {n}</h1>")
    headline = next(node.position for node in pages[0].nodes if node.text == "Headline 0")
    for similarity in (TEMPLEX, PUBLISHED, PUBLISHED_QUICK):
        assert headline in detect_template(pages[0], pages[1:3], similarity=similarity, same=False)
        assert headline not in detect_template(pages[0], pages[1:3], similarity=similarity)


def test_the_content_is_no_template_though_the_others_have_its_place():
    content = detect_content(KEY)
    place = detect_template(KEY, OTHERS, same=False)
    assert content < place
    assert detect_template_hybrid(KEY, OTHERS, same=False, content=content) == place - content
    # what follows the content among its siblings is not laid over the others' content, which has other words
    assert detect_template_hybrid(KEY, OTHERS, content=content) == place - content
    for none in [], [Page(KEY.text, URL + "copy")]:
        assert detect_template_hybrid(KEY, none) == frozenset()


@SOME
@odd_examples(lambda html: ([html, KEY.text],))
@odd_examples(lambda html: ([KEY.text, html, *(other.text for other in OTHERS)],))
@given(strategies.page_groups)
def test_never_in_the_content_and_deterministic(pages):
    key, *others = [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]
    for same in (True, False):
        found = detect_template_hybrid(key, others, same=same)
        assert found <= frozenset(range(len(key))) - detect_content(key)
        again = [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]
        assert found == detect_template_hybrid(again[0], iter(again[1:]), same=same)
