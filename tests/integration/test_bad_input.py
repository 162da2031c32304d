"""What comes from the web and is no good page: never an error, never a change to what was not understood."""

import pytest
from helpers.detector_cases import ODD
from helpers.made_sites import HOST, MENU, learn, page, site, words

from templex_scrapy import Match, Page, SubdigraphSearch, Template, rank_links
from templex_scrapy.render import OUTPUT_NAMES

BASES = [*"/ x/ http://other.test/x/ //other.test/ http://[ javascript:x data:,x # ?x".split()]
BASES += ["", "  /x/  ", "http://site.test:99999/", "\ud800", "http://é.test/"]


def check_match(match):
    assert match.removable <= match.nodes <= set(range(len(match.page.nodes)))
    assert 0 <= match.coverage <= 1
    for output in OUTPUT_NAMES:
        assert getattr(match.clean, output) is not None
    if not match.removable:
        assert match.clean.html == match.page.text


def process(pages):
    """All that is done with pages, the first being the key page and the last one a stranger."""
    for each in pages:
        assert [node.position for node in each.nodes] == list(range(len(each.nodes)))
        assert each.nodes
        assert all(each.nodes[at].tag == "a" for at in each.links.values())
        assert SubdigraphSearch(each).wanted() == rank_links(each)[:60]
    template = Template.from_pages(pages[0], pages[1:-1])
    made = [template.match(each) for each in pages]
    for match in made:
        check_match(match)
    return made


@pytest.mark.parametrize("source", ODD.values(), ids=ODD.keys())
def test_a_bad_page_is_processed(source):
    """Alone, as each of the pages that make a template, as a stranger to a good one, and behind a template."""
    own = [source + (f"<p>own {n}".encode() if isinstance(source, bytes) else f"<p>own {n}") for n in range(4)]
    process([Page(source, f"{HOST}{n}") for n in range(4)])
    process([Page(each, f"{HOST}{n}") for n, each in enumerate(own)])
    good, bad = site(lambda n: f"<p>text {n}</p>"), Page(source, f"{HOST}bad")
    check_match(learn(good).match(bad))
    process([good[0], bad, good[1], good[2]])
    process([bad, *good[:3]])
    process([page(f"{MENU}<p>own {n}</p>{Page(each, HOST).text}", f"{HOST}{n}") for n, each in enumerate(own)])


@pytest.mark.parametrize("base", BASES)
def test_base_of_every_kind(base):
    body = f'<base href="{base}">{MENU}<a href="x">y</a><img src=z.png><p>own {{}}'
    for match in process([page(body.format(n), f"{HOST}{n}") for n in range(4)]):
        assert match.fits
        assert "menu entry" not in match.clean.html


@pytest.mark.parametrize(
    "url", ["", "not a url", "http://x:99999/", "mailto:a", "/relative", "\ud800", "http://[broken/"]
)
def test_addresses_that_are_none(url):
    process([page(f'{MENU}<a href="x">y</a><p>own {n}', url) for n in range(4)])


def test_html_10000_deep_comes_out_unchanged():
    deep = f"{MENU}<p>own{{0}}</p>{'<div>' * 10_000}deep{{0}}{'</div>' * 10_000}<p>behind"
    pages = [page(deep.format(n), f"{HOST}{n}") for n in range(4)]
    for match in [*process(pages), learn(site(lambda n: f"<p>{n}")).match(pages[3])]:
        assert match.removable == frozenset()
        assert match.clean.html == match.clean.annotated_html == match.page.text
    for output in ("text", "markdown"):
        assert {"own3", "deep3", "behind"} <= set(words(getattr(match.clean, output)))


@pytest.mark.parametrize("source", ["<div>" * 9_000, "<b>x" * 9_000, "<p><div" * 9_000, "<pre>x\n" * 5_000])
def test_no_output_of_a_page_that_the_parser_cuts_raises(source):
    for end in ["", "\x00", "\ud800", "<!--", "<script>", "&#0;", "]]>", "</html>x"]:
        check_match(Match(Page(source + end, HOST)))
