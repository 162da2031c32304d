"""Templates and matches: what is template, what fits, and above all what may be removed (ALGORITHMS 5 and 11)."""

from __future__ import annotations

import pytest
from cssselect import SelectorError
from made_sites import (
    DIRECTORIES,
    HEAD,
    HOST,
    KEY,
    MENU,
    NUMBERS,
    STRANGER,
    VOTER,
    body_of,
    learn,
    left,
    matches,
    own,
    page,
    site,
)

from templex_scrapy import Page, Template, combine, detect_template, find_template
from templex_scrapy.mapping import PUBLISHED, PUBLISHED_QUICK, TEMPLEX


def stays(body) -> list[str]:
    """What :func:`left` returns where nothing of the body goes."""
    return [body(number) for number in NUMBERS]


# --- votes ---------------------------------------------------------------------------------------


def texts_at(page_, positions) -> set[str]:
    return {page_.nodes[p].text for p in positions if page_.nodes[p].text is not None}


def test_what_all_pages_say_is_template_and_what_one_says_is_not():
    pages = site(lambda n: f"<h1>Headline {n}</h1><p>All rights reserved</p>")
    nodes = learn(pages).nodes
    assert texts_at(pages[0], nodes) == {f"menu entry {i}" for i in range(8)} | {"All rights reserved"}
    assert nodes <= set(range(len(pages[0].nodes)))
    assert 0 in nodes


def test_a_template_knows_its_pages():
    pages = site(lambda _: "")
    template = learn(pages)
    assert (template.key_url, template.page_urls, template.votes) == (
        pages[0].url,
        (pages[1].url, pages[2].url),
        2,
    )


def test_detect_template_is_the_template_of_the_key_page():
    pages = site(lambda n: f"<h1>Headline {n}</h1>")
    assert detect_template(pages[0], pages[1:3]) == learn(pages).nodes
    assert detect_template(pages[0], []) == frozenset()
    assert detect_template(pages[0], pages[:1]) == frozenset(), "the key page has no vote on itself"


def test_by_place_alone_a_headline_is_template():
    pages = site(lambda n: f"<h1>Headline {n}</h1>")
    for similarity in (TEMPLEX, PUBLISHED, PUBLISHED_QUICK):
        by_place = detect_template(pages[0], pages[1:3], similarity=similarity, same=False)
        assert "Headline 0" in texts_at(pages[0], by_place)
        assert "Headline 0" not in texts_at(pages[0], detect_template(pages[0], pages[1:3], similarity=similarity))


@pytest.mark.parametrize(("votes", "found"), [(1, True), (2, True), (3, False)])
def test_votes_are_the_pages_that_a_node_needs(votes, found):
    """Three pages vote, and two of them have the block."""
    block = '<div class="box"><p>Sold out</p></div>'
    pages = [page(MENU + (block if n < 3 else "") + own(n), f"{HOST}{n}") for n in range(4)]
    template = Template.from_pages(pages[0], pages[1:], votes)
    assert ("Sold out" in texts_at(pages[0], template.nodes)) is found
    assert ("Sold out" not in template.match(pages[0]).strip()) is found


@pytest.mark.parametrize("votes", [0, -1])
def test_less_than_one_vote_is_refused(votes):
    with pytest.raises(ValueError, match="votes"):
        Template.from_pages(page(""), [], votes)


def test_with_fewer_pages_than_votes_all_of_them_must_agree():
    pages = site(lambda n: f"<h1>Headline {n}</h1>")
    template = Template.from_pages(pages[0], pages[1:3], votes=5)
    assert template.nodes == learn(pages).nodes
    assert "menu entry" not in template.match(pages[STRANGER]).strip()


# --- no evidence, nothing goes -------------------------------------------------------------------


def test_an_empty_template_fits_nothing():
    pages = site(lambda _: "<p>text</p>")
    template = Template.from_pages(pages[0], [])
    assert template.nodes == frozenset()
    for each in pages:
        match = template.match(each)
        assert (match.fits, match.coverage, match.nodes, match.removable) == (False, 0.0, frozenset(), frozenset())
        assert match.strip() == each.text


def test_copies_of_the_key_page_have_no_vote():
    key = page(MENU + own(0), HOST)
    copies = [page(MENU + own(0), f"{HOST}index.html"), page(MENU + own(0), f"{HOST}?x=1")]
    template = Template.from_pages(key, copies)
    assert template.page_urls == ()
    assert template.match(key).strip() == key.text


def test_a_copy_of_a_voter_has_no_second_vote():
    """Else a headline that two copies share with the key page would be repeated."""
    key, other, copy = (page(MENU + "<p>Shared by two</p>" + own(n), f"{HOST}{k}") for k, n in enumerate((0, 1, 1)))
    template = Template.from_pages(key, [other, copy])
    assert template.page_urls == (other.url,)
    for each in (key, other, copy):
        assert template.match(each).removable == frozenset()


def test_with_one_other_page_nothing_is_removable():
    pages = site(lambda _: "")
    template = Template.from_pages(pages[0], pages[1:2])
    assert template.nodes, "it is the template by the papers' count"
    for each in pages:
        match = template.match(each)
        assert match.removable == frozenset()
        assert match.strip() == each.text


# --- fit -----------------------------------------------------------------------------------------


def test_every_page_of_the_site_fits_and_keeps_what_is_its_own():
    for number, match in zip(NUMBERS, matches(lambda n: f"<h1>Headline {n}</h1>"), strict=True):
        assert match.fits
        assert match.coverage == 1.0
        assert match.removable <= match.nodes
        assert body_of(match.strip()) == f"<h1>Headline {number}</h1>{own(number)}"


def test_a_page_of_another_site_does_not_fit():
    other = page("<table><tr><td>x<td>y</table><p class=z>All other words</p>")
    match = learn(site(lambda _: "")).match(other)
    assert not match.fits
    assert match.coverage < 0.7
    assert match.removable == frozenset()
    assert match.strip() == other.text


def test_coverage_is_the_share_of_the_template_that_the_page_has():
    pages = site(lambda _: "")
    template = learn(pages)
    half = page(MENU[: len(MENU) // 2] + own(9))
    match = template.match(half)
    # body, and of 8 x (div, a, text) one half
    assert match.coverage == pytest.approx((1 + 12) / (1 + 24), abs=0.05)
    assert not match.fits


def test_agreement_is_low_where_the_page_is_in_another_language():
    pages = site(lambda n: f"<h1>Headline {n}</h1>")
    template = learn(pages)
    german = Page(pages[STRANGER].text.replace("menu entry", "Eintrag im Menü"), f"{HOST}de/")
    match = template.match(german)
    assert match.coverage == 1.0, "it has everything at its place"
    assert match.agreement == 0.0
    assert template.match(pages[STRANGER]).agreement == 1.0
    assert match.text().count("Eintrag") == 8, "nobody else has said so"


def test_an_unfamiliar_page_has_kinds_of_elements_that_the_template_has_not_seen():
    pages = site(lambda _: "")
    template = learn(pages)
    assert template.match(pages[STRANGER]).unfamiliar == 0.0
    shop = page(MENU + "".join(f'<i class="shop{n}"></i>' for n in range(8)))
    assert template.match(shop).unfamiliar == pytest.approx(0.5)


# --- texts ---------------------------------------------------------------------------------------


def test_a_text_at_the_same_place_with_other_words_stays():
    assert left(lambda n: f"<h1>Headline {n}</h1>") == [f"<h1>Headline {n}</h1>" for n in NUMBERS]


def test_a_text_that_differs_by_white_space_alone_is_the_same():
    assert left(lambda n: f"<p>All{' ' * (n + 1)}rights\n{' ' * n}reserved</p>") == ["", "", ""]


def test_a_label_goes_and_the_value_beside_it_stays():
    assert left(lambda n: f"<p><b>Author:</b> <i>name {n}</i></p>") == [f"<p> <i>name {n}</i></p>" for n in NUMBERS]


def test_what_two_of_a_template_s_pages_say_goes_from_a_stranger_too():
    """The key page says something else there."""
    pages = site(lambda n: f"<p>{'Open' if n else 'Closed'}</p>")
    assert body_of(learn(pages).match(pages[STRANGER]).strip()) == own(STRANGER)
    assert "Closed" in learn(pages).match(pages[KEY]).strip()


def test_what_only_the_key_page_says_stays_where_a_stranger_says_it_too():
    pages = site(lambda n: f"<p>{'Half price' if n in (KEY, STRANGER) else n}</p>")
    template = learn(pages)
    assert "Half price" in template.match(pages[KEY]).strip()
    assert "Half price" in template.match(pages[STRANGER]).strip(), "one other page proves nothing"


def test_a_page_that_voted_has_no_vote_on_itself():
    pages = site(lambda n: f"<p>{'Half price' if n in (KEY, VOTER) else n}</p>")
    template = learn(pages)
    assert "Half price" in template.match(pages[VOTER]).strip()
    assert "Half price" in template.match(pages[KEY]).strip()


# --- links ---------------------------------------------------------------------------------------


def test_a_link_with_another_target_stays_with_its_text():
    body = lambda n: f'<p><a href="/item{n}">Read more</a></p>'  # noqa: E731
    assert left(body) == stays(body)


def test_elements_in_a_link_that_stays_stay():
    body = lambda n: f'<p><a href="/item{n}"><b>Read <i>more</i></b><img src="/arrow.png"></a></p>'  # noqa: E731
    assert left(body) == stays(body)


def test_a_block_in_a_link_that_stays_stays():
    body = lambda n: f'<a href="/item{n}"><div><b>Read</b><b>all of</b><i>this</i></div></a>'  # noqa: E731
    assert left(body) == stays(body)


def test_text_in_a_link_that_stays_for_another_text_stays():
    body = lambda n: f'<p><a href="/basket">Basket holds <b>{n} things</b></a></p>'  # noqa: E731
    assert left(body) == stays(body)


def test_a_relative_link_written_the_same_leads_elsewhere_from_another_directory():
    body = lambda _: '<p><a href="next.html">Next page</a></p>'  # noqa: E731
    assert left(body, urls=DIRECTORIES) == stays(body)
    assert left(body) == ["", "", ""], "in one directory it is the same link"


def test_a_relative_link_among_much_that_is_the_same_stays():
    """The same start tags in the same shape, compared as a whole."""
    inner = '<ul><li><a href="next.html">Next page</a></li><li>All of</li><li>this is fixed</li></ul>'
    for cleaned in left(lambda _: f'<div class="box">{inner}</div>', urls=DIRECTORIES):
        assert 'href="next.html"' in cleaned
        assert "Next page" in cleaned
        assert "is fixed" not in cleaned


def test_a_block_with_a_relative_link_that_moves_stays():
    inner = '<ul><li><a href="next.html">Next page</a></li><li>All of</li><li>this is fixed</li></ul>'
    for cleaned in left(lambda n: "<br>" * n + f"<section>{inner}</section>", urls=DIRECTORIES):
        assert "Next page" in cleaned


def test_links_written_differently_with_one_target_are_the_same():
    urls = [HOST, f"{HOST}a/page.html", f"{HOST}a/b/page.html", f"{HOST}a/b/c/page.html"]
    up = lambda n: "../" * n or "./"  # noqa: E731
    assert left(lambda n: f'<p><a href="{up(n)}imprint.html">Imprint</a></p>', urls=urls) == ["", "", ""]


def test_base_decides_where_relative_links_lead():
    pages = site(lambda _: '<p><a href="next.html">Next page</a></p>', urls=DIRECTORIES)
    based = [Page(p.text.replace("<title>", f'<base href="{HOST}x/"><title>'), p.url) for p in pages]
    assert "Next page" not in learn(based).match(based[STRANGER]).strip()


def test_a_query_link_leads_to_another_page_of_each_page():
    body = lambda _: '<p><a href="?page=2">Next page</a></p>'  # noqa: E731
    assert left(body) == stays(body)


def test_a_query_link_in_a_block_leads_to_another_page_of_each_page():
    inner = '<li><a href="?page=2">Next page</a></li><li>and some</li><li>other words</li>'
    for cleaned in left(lambda _: f'<div class="pages"><ul>{inner}</ul></div>'):
        assert "?page=2" in cleaned


@pytest.mark.parametrize("schemes", [("https", "http", "http", "http"), ("http", "http", "https", "https")])
def test_a_site_on_http_and_https_is_one_site(schemes):
    urls = [f"{scheme}://site.test/p{n}.html" for n, scheme in enumerate(schemes)]
    body = lambda n: f'<p><a href="{schemes[n]}://site.test/imprint">Imprint</a><a href="/x">Other</a></p>'  # noqa: E731
    assert left(body, urls=urls) == ["", "", ""]


def test_links_that_differ_by_fragment_within_the_page_are_the_same():
    assert left(lambda _: '<p><a href="#top">Top of the page</a></p>') == ["", "", ""]


# --- media ---------------------------------------------------------------------------------------


def test_an_image_goes_by_its_source():
    body = lambda n: f'<p><img src="/photo{n}.jpg" alt="photo"></p>'  # noqa: E731
    assert left(body) == stays(body)
    assert left(lambda _: '<p><img src="/logo.png" alt="logo"></p>') == ["", "", ""]


def test_a_relative_image_written_the_same_is_another_in_another_directory():
    body = lambda _: '<p><img src="photo.jpg"></p>'  # noqa: E731
    assert left(body, urls=DIRECTORIES) == stays(body)


@pytest.mark.parametrize(
    "medium",
    [
        '<picture><img src="photo.jpg"></picture>',
        '<video><source src="clip.mp4"></source></video>',
        '<img src="/blank.gif" data-src="photo.jpg">',
        '<img srcset="photo.jpg 2x">',
        '<object data="film.swf"></object>',
        '<video poster="still.jpg"></video>',
    ],
    ids=["picture", "source", "lazy", "srcset", "object", "poster"],
)
def test_any_relative_source_is_another_in_another_directory(medium):
    body = lambda _: f"<p>{medium}</p>"  # noqa: E731
    assert left(body, urls=DIRECTORIES) == stays(body)


def test_what_a_medium_holds_is_template_where_it_goes():
    for match in matches(lambda _: '<p><picture><img src="photo.jpg"></picture></p>', urls=DIRECTORIES):
        assert match.removable <= match.nodes


@pytest.mark.parametrize(
    "medium",
    [
        '<video src="/film{}.mp4"></video>',
        '<audio src="/sound{}.mp3"></audio>',
        '<object data="/film{}.swf"></object>',
        '<embed src="/film{}.swf"></embed>',
        '<svg><path d="M{}"></path></svg>',
        "<svg><text>label {}</text></svg>",
        '<canvas data-values="{}"></canvas>',
        "<math><mi>x{}</mi></math>",
        '<input type="hidden" value="{}">',
        "<textarea>text {}</textarea>",
        "<select><option>choice {}</option></select>",
        "<button>Buy {}</button>",
        '<iframe src="/map{}"></iframe>',
        "<noscript><p>text {}</p></noscript>",
    ],
    ids=lambda medium: medium[1:].split()[0].split(">")[0],
)
def test_media_of_the_page_s_own_keep_what_holds_them(medium):
    body = lambda n: f'<div class="box"><div>{medium.format(n)}</div></div>'  # noqa: E731
    assert left(body) == stays(body)


@pytest.mark.parametrize("tag", ["iframe", "noscript"])
def test_what_is_no_node_stays_even_where_all_around_it_goes(tag):
    """Nobody has compared what it holds."""
    held = f'<{tag} src="/same">same</{tag}>'
    for cleaned in left(lambda _: f"<div><div>Fixed words {held} and others</div></div>"):
        assert cleaned == f"<div><div>{held}</div></div>"


def test_media_that_are_the_same_go():
    same = '<form action="/find"><input name="q"><button>Search</button></form><svg><path d="M1"></path></svg>'
    assert left(lambda _: f"<div>{same}</div>") == ["", "", ""]


def test_a_form_control_stays_whole():
    body = lambda n: f"<p><select><option>all</option><option>item {n}</option></select></p>"  # noqa: E731
    assert left(body) == stays(body)


def test_a_block_in_a_form_control_that_stays_stays():
    group = "<optgroup><option>Red ones</option><option>Blue ones</option><option>Green ones</option></optgroup>"
    body = lambda n: f"<p><select><option>item {n}</option>{group}</select></p>"  # noqa: E731
    assert left(body) == stays(body)


def test_an_image_map_goes_by_its_targets():
    areas = lambda n: f'<map name="m"><area href="/t{n}"></map>'  # noqa: E731
    for number, cleaned in zip(NUMBERS, left(lambda n: f"<div>Choose {areas(n)}</div>"), strict=True):
        assert f"/t{number}" in cleaned


def test_frames_stay():
    frames = (
        '<frameset><frame src="menu.html"><frame src="content{}.html"><noframes>No frames here</noframes></frameset>'
    )
    pages = [Page(f"<html><head><title>t</title></head>{frames.format(n)}</html>", f"{HOST}{n}") for n in range(4)]
    cleaned = learn(pages).match(pages[STRANGER]).strip()
    assert f"content{STRANGER}.html" in cleaned


# --- tables --------------------------------------------------------------------------------------


def test_a_cell_of_a_plain_row_stays_with_its_row():
    body = lambda n: f"<table><tr><td>Goals</td><td>0</td><td>{n}</td></tr></table>"  # noqa: E731
    assert left(body) == stays(body)


def test_formatting_in_a_plain_row_stays():
    body = lambda n: f"<table><tr><td><b>Goals</b></td><td><i>0</i> and</td><td>{n}</td></tr></table>"  # noqa: E731
    assert left(body) == stays(body)


def test_a_row_that_is_all_the_same_goes():
    fixed = "<tr><th>Player</th><th>Goals</th></tr>"
    body = lambda n: f"<table>{fixed}<tr><td>Name {n}</td><td>0</td></tr></table>"  # noqa: E731
    assert left(body) == [body(n).replace(fixed, "") for n in NUMBERS]


def test_a_layout_table_is_no_plain_row():
    body = lambda n: f"<table><tr><td><div>Fixed words</div></td><td><div>article {n}</div></td></tr></table>"  # noqa: E731
    for number, cleaned in zip(NUMBERS, left(body), strict=True):
        assert "Fixed words" not in cleaned
        assert f"article {number}" in cleaned


# --- running text --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        "<li>Heat to <b>{0}</b> degrees and do not stir for ten minutes.</li>",
        '<p>The <a href="/kettle">kettle</a> came to the kitchen in {0}, as <i>the</i> others did</p>',
        "<div>Written by <span>the miller</span> for his heirs on <span>{0} May</span></div>",
        "<p>水車は<b>{0}</b>年に建てられた。</p>",
    ],
)
def test_a_sentence_goes_whole_or_not_at_all(sentence):
    body = lambda n: f"<div>{sentence.format(n)}</div>"  # noqa: E731
    assert left(body) == stays(body)


def test_a_sentence_that_is_the_same_goes():
    fixed = "<p>All of it by <b>the miller</b> and by his heirs.</p>"
    assert left(lambda n: f"<div>{fixed}<p>article {n}</p></div>") == stays(lambda n: f"<div><p>article {n}</p></div>")


def test_a_label_is_no_sentence():
    assert left(lambda n: f"<p>In stock: <b>{n}</b></p>") == stays(lambda n: f"<p><b>{n}</b></p>")


def test_links_in_a_row_are_no_sentence():
    """The page's own name in a menu keeps none of the menu, however many words a link has."""
    menu = "".join(f'<a href="/{k}">Another of our many pages {k}</a> | ' for k in range(4))
    for number, cleaned in zip(NUMBERS, left(lambda n: f"<nav>{menu}Page {n}</nav>"), strict=True):
        assert "Another" not in cleaned
        assert f"Page {number}" in cleaned


def test_what_holds_more_than_text_is_no_sentence():
    body = lambda n: f"<div>Welcome to the mill of old <p>article {n}</p></div>"  # noqa: E731
    for cleaned in left(body):
        assert "Welcome" not in cleaned


# --- blocks that move ----------------------------------------------------------------------------


def test_a_block_that_moves_goes_all_the_same():
    block = "<ul><li>One of three</li><li>Two of three</li><li>Three of three</li></ul>"
    paragraphs = lambda n: "".join(f"<p>article {n} {k}</p>" for k in range(3 * n))  # noqa: E731
    cleaned = left(lambda n: f"<section>{paragraphs(n)}{block}</section>")
    assert all("of three" not in each for each in cleaned)


def test_an_article_that_two_list_pages_show_in_full_stays_on_its_own_page():
    """A blog whose front page and category page hold the newest posts; nothing but the post is the post's own page."""
    post = lambda n: (  # noqa: E731
        f'<div class="post"><h2><a href="/{n}">Title of {n}</a></h2><p>First paragraph of {n}</p>'
        f"<p>Second <b>paragraph</b> of {n}</p></div>"
    )
    foot = '<div class="foot"><p>All rights</p><p>reserved</p></div>'
    make = lambda path, *posts: page(f'{MENU}<div class="main">{"".join(posts)}</div>{foot}', f"{HOST}{path}")  # noqa: E731
    home, category = make("", post(1), post(2), post(3)), make("category", post(3), post(1), post(5))
    about, article = make("about", "<p>About us</p>"), make("1", post(1), "<p>Nice post</p>")
    match = Template.from_pages(home, [category, about]).match(article)
    assert match.fits
    assert "First paragraph of 1" in match.strip()


# --- preserve ------------------------------------------------------------------------------------

FOOT = '<div class="foot"><p class="imprint">Imprint <b>here</b></p><p>All rights reserved</p></div>'


def test_what_a_selector_matches_stays_with_what_it_holds_and_what_holds_it():
    assert (
        left(lambda _: FOOT, preserve=[".imprint"])
        == ['<div class="foot"><p class="imprint">Imprint <b>here</b></p></div>'] * 3
    )


def test_several_selectors_and_one_that_matches_nothing():
    assert (
        left(lambda _: FOOT, preserve=[".none", "p:not(.imprint)", "b"])
        == ['<div class="foot"><p class="imprint"><b>here</b></p><p>All rights reserved</p></div>'] * 3
    )


def test_body_preserved_is_all_preserved():
    pages = site(lambda _: FOOT)
    match = learn(pages).match(pages[STRANGER], preserve=["body"])
    assert match.removable == frozenset()
    assert match.strip() == pages[STRANGER].text


def test_what_is_preserved_is_still_template():
    pages = site(lambda _: FOOT)
    template = learn(pages)
    assert template.match(pages[STRANGER], preserve=[".foot"]).nodes == template.match(pages[STRANGER]).nodes


@pytest.mark.parametrize("tag", ["script", "style", "template"])
@pytest.mark.parametrize("selector", ["{}", '{}[type="application/ld+json"]', ".foot > {}", "body {}"])
def test_what_is_no_node_can_be_preserved(tag, selector):
    """It stays with what holds it; what stands beside it goes as before."""
    held = f'<{tag} type="application/ld+json">{{"price": 1}}</{tag}>'
    body = f'<div><div class="foot">All rights reserved{held}<b>Imprint</b></div><p>Contact</p></div>'
    assert left(lambda _: body, preserve=[selector.format(tag)]) == [f'<div><div class="foot">{held}</div></div>'] * 3


def test_what_stands_in_what_is_no_node_can_be_preserved():
    body = '<div class="foot">All rights reserved<template><b>x</b></template></div>'
    assert left(lambda _: body, preserve=["b"]) == ['<div class="foot"><template><b>x</b></template></div>'] * 3


def test_what_is_preserved_in_the_head_keeps_nothing_in_the_body():
    pages = site(lambda _: FOOT, head="<!DOCTYPE html><html><head><script>x()</script></head>")
    assert body_of(learn(pages).match(pages[STRANGER], preserve=["script", "head"]).strip()) == own(STRANGER)


@pytest.mark.parametrize("selector", ["html", ":root", "*"])
def test_what_holds_the_body_preserves_all(selector):
    pages = site(lambda _: FOOT)
    assert learn(pages).match(pages[STRANGER], preserve=[selector]).strip() == pages[STRANGER].text


@pytest.mark.parametrize("selector", ["P.imprint", "p[CLASS=imprint]"])
def test_tags_and_attributes_are_selected_in_any_case(selector):
    assert all("Imprint" in each for each in left(lambda _: FOOT, preserve=[selector]))


def test_one_selector_may_be_a_string():
    pages = site(lambda _: FOOT)
    assert "Imprint" in learn(pages).match(pages[STRANGER], preserve=".imprint, .none").strip()


@pytest.mark.parametrize("selector", ["", "!!", "a:contains(", "a::text", "p >"])
def test_what_is_no_selector_is_refused_at_once(selector):
    pages = site(lambda _: FOOT)
    with pytest.raises(SelectorError):
        learn(pages).match(pages[STRANGER], preserve=[selector])


@pytest.mark.parametrize("selector", ["svg|a", "p svg|a", "p:not(svg|a)", "[xlink|href]", "p, svg|*"])
def test_a_selector_that_cannot_be_applied_is_refused_at_once(selector):
    pages = site(lambda _: FOOT)
    with pytest.raises(SelectorError, match="namespace prefix"):
        learn(pages).match(pages[STRANGER], preserve=[selector])


@pytest.mark.parametrize("selector", ["*|p", "|p", "[*|class]"])
def test_a_selector_of_any_or_no_namespace_is_one(selector):
    assert all("All rights reserved" in each for each in left(lambda _: FOOT, preserve=[selector]))


@pytest.mark.parametrize("body", ["", "<div>" * 3_000])
@pytest.mark.parametrize("selector", ["!!", "svg|a"])
def test_what_is_no_selector_is_refused_whether_the_page_fits_or_not(body, selector):
    with pytest.raises(SelectorError):
        Template.from_pages(page(""), []).match(page(body), preserve=[selector])
    with pytest.raises(SelectorError):
        learn(site(lambda _: FOOT)).match(page(body), preserve=[selector])


# --- combine -------------------------------------------------------------------------------------


def test_combine_takes_what_any_fitting_template_knows():
    english = site(lambda n: "<p>For sale</p>" if n != 2 else "<p>Sold</p>")
    german = site(lambda n: "<p>Sold</p>" if n else "<p>Other</p>", urls=[f"{HOST}de/{n}" for n in range(4)])
    subject = page(f"{MENU}<p>Sold</p>{own(7)}", f"{HOST}x")
    one, two = (learn(pages).match(subject) for pages in (english, german))
    assert "Sold" in one.strip()
    assert "Sold" not in two.strip()
    both = combine([one, two])
    assert both.nodes == one.nodes | two.nodes
    assert both.removable == one.removable | two.removable
    assert body_of(both.strip()) == own(7)
    assert (both.fits, both.coverage) == (True, max(one.coverage, two.coverage))
    assert both.agreement == max(one.agreement, two.agreement)


def test_combine_leaves_out_what_does_not_fit():
    pages = site(lambda _: "")
    fitting = learn(pages).match(pages[STRANGER])
    other = Template.from_pages(page("<p>a"), [page("<p>b", f"{HOST}b")]).match(pages[STRANGER])
    empty = Template.from_pages(page(""), []).match(pages[STRANGER])
    assert combine([empty, fitting]) is fitting
    assert combine([empty]) is empty
    assert combine([empty, empty]).removable == frozenset()
    assert combine([fitting, empty]).removable == fitting.removable
    assert other.removable == frozenset()


def test_combine_keeps_what_each_preserves():
    pages = site(lambda _: FOOT)
    matched = [learn(pages).match(pages[STRANGER], preserve=[".imprint"]) for _ in range(2)]
    assert "Imprint" in combine(matched).strip()
    assert "All rights" not in combine(matched).strip()


def test_combine_refuses_matches_of_different_pages():
    pages = site(lambda _: "")
    template = learn(pages)
    with pytest.raises(ValueError, match="one page"):
        combine([template.match(pages[0]), template.match(pages[1])])
    with pytest.raises(ValueError, match="at least one"):
        combine([])


# --- find_template -------------------------------------------------------------------------------


def linked_site(count: int) -> dict[str, Page]:
    """Pages that all link each other, and one link to nowhere."""
    menu = "".join(f'<li><a href="/p{k}">Entry {k}</a></li>' for k in range(count))
    return {
        f"{HOST}p{n}": page(f'<ul class="menu"><li><a href="/gone">Gone</a></li>{menu}</ul>{own(n)}', f"{HOST}p{n}")
        for n in range(count)
    }


def test_find_template_loads_until_the_subdigraph_is_whole():
    pages, asked = linked_site(8), []

    def fetch(url):
        asked.append(url)
        return pages.get(url)

    key = pages[f"{HOST}p0"]
    template = find_template(key, fetch)
    assert len(template.page_urls) == 3
    assert key.url not in asked
    assert len(asked) == len(set(asked)) <= 4
    assert body_of(template.match(pages[f"{HOST}p7"]).strip()) == own(7)


def test_find_template_without_pages_is_empty():
    key = linked_site(4)[f"{HOST}p0"]
    assert find_template(key, lambda _: None).page_urls == ()
    assert find_template(key, lambda _: None).match(key).strip() == key.text
    assert find_template(key, lambda _: key, max_loads=0).page_urls == ()
    assert find_template(key, lambda _: key).page_urls == (), "whatever is asked for, it is the key page again"


def test_the_head_of_a_page_is_left_alone():
    pages = site(lambda _: "", head=HEAD.replace("<title>t", '<meta name="a" content="b"><title>Fixed title'))
    cleaned = learn(pages).match(pages[STRANGER]).strip()
    assert '<meta name="a" content="b"><title>Fixed title</title>' in cleaned


@pytest.mark.parametrize(
    "element",
    [
        '<time datetime="2024-01-0{}">Today</time>',
        '<meta itemprop="price" content="{}.50">',
        '<div style="background-image: url(/pictures/{}.jpg)"></div>',
        '<form action="/order/{}">Order</form>',
        '<blockquote cite="/source/{}">As they say</blockquote>',
        '<amp-img src="/pictures/{}.jpg"></amp-img>',
    ],
)
def test_an_element_whose_value_differs_stays(element):
    for html in left(lambda n: f'<div class="box"><p>The same words on all pages</p>{element.format(n)}</div>'):
        assert element.split("{}")[0] in html
