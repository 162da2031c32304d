"""The main content for reading: each step on pages made for it, then the figures on real sites."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from detector_cases import URL, lines_run, odd_pages, page

from templex_scrapy.content import find_content, repeated_texts
from templex_scrapy.page import Page
from templex_scrapy.template import Template

STORY = "<p>" + "It rained on the roofs and in the streets until the evening came. " * 4 + "</p>"
MORE = "<p>" + "Nobody had seen so much water since the year of the great flood. " * 4 + "</p>"
MASTHEAD = "<b><a href='/'>Weather daily</a></b>"
IMPRINT = "<div>Printed in Ghent, and sold wherever it may rain.</div>"
SHOP = (("A hat", "in"), ("A coat", "in"), ("Two boots", "in"), ("A scarf", "in"), ("A bag", "out"), ("A belt", "out"))
BOTH = STORY + MORE  # neither holds nearly all words, so that the way down ends at what holds both
LINKS = "".join(f'<li><a href="/{name}">{name} again</a></li>' for name in ("Hail", "Snow", "Fog", "Frost"))


def said(key: Page, others: tuple[Page, ...] = ()) -> str:
    """The words of what was found, one blank apart."""
    texts = (key._arrays.texts[position] for position in sorted(find_content(key, others)))
    return " ".join(" ".join(text for text in texts if text is not None).split())


def pages(*bodies: str) -> tuple[Page, ...]:
    return tuple(page(body, f"{URL}{number}") for number, body in enumerate(bodies))


def titled(title: str, body: str) -> Page:
    return Page(f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>", URL)


def repeated(key: Page, others: tuple[Page, ...]) -> list[str | None]:
    found = repeated_texts(key._arrays, [other._arrays for other in others]).repeated
    return [text for text, flag in zip(key._arrays.texts, found, strict=True) if flag]


def test_what_more_than_half_of_the_pages_say_at_the_same_path_is_repeated() -> None:
    key, *others = pages("<p>a</p><p>b</p><i>c</i><p>d</p>", "<p>a</p><p>b</p>", "<p>a</p><b>c</b>", "<p>a</p><p>b</p>")
    assert repeated(key, tuple(others)) == ["a", "b"]
    assert repeated(key, tuple(others[:2])) == ["a"], "one of two is not more than half"
    assert repeated(key, ()) == []


def test_the_same_text_at_another_depth_is_not_repeated() -> None:
    key, other = pages("<div>a</div><div><div>b</div></div><p>c</p>", "<div><div>a</div></div><div>b</div><p>c</p>")
    assert repeated(key, (other,)) == ["c"]


def test_texts_are_the_same_however_they_are_spaced() -> None:
    key, other = pages("<p>About  us</p><p>x</p>", "<p>\n About us</p>")
    assert repeated(key, (other,)) == ["About  us"]


def test_a_page_that_says_all_the_same_is_a_copy_and_tells_nothing() -> None:
    key, other = pages(f"<div>{STORY}</div>", f"<div data-now='1'>{STORY}</div>")
    assert repeated(key, (other,)) == []
    assert said(key, (other,)) == said(key) != ""


def test_what_the_site_repeats_goes() -> None:
    bodies = (f"<div>{MASTHEAD}{text}{IMPRINT}</div>" for text in (BOTH, MORE, "<p>Fog.</p>"))
    key, *others = pages(*bodies)
    assert said(key, tuple(others)) == said(page(BOTH))
    assert said(key).endswith("Printed in Ghent, and sold wherever it may rain."), "alone nothing tells"


def test_a_text_varies_where_another_page_has_another_one_behind_the_same_text() -> None:
    key, *others = pages(*(f"<p>{name}</p><dl><dt>Stock</dt><dd>{stock}</dd></dl>" for name, stock in SHOP))
    varying = repeated_texts(key._arrays, [other._arrays for other in others]).varying
    assert [text for text, flag in zip(key._arrays.texts, varying, strict=True) if flag] == ["in"]


def test_labels_and_values_of_the_content_are_kept_though_the_site_repeats_them() -> None:
    key, *others = pages(
        *(
            f"<div>{MASTHEAD}<dl><dt>Name</dt><dd>{name}</dd><dt>Price</dt><dd>{number}0 roubles</dd><dt>Stock</dt>"
            f"<dd>{stock}</dd></dl>{IMPRINT}</div>"
            for number, (name, stock) in enumerate(SHOP, 1)
        )
    )
    assert said(key, tuple(others)) == "Name A hat Price 10 roubles Stock in"


@pytest.mark.parametrize(
    "beside",
    [
        "<nav>Home</nav>",
        "<aside>Home</aside>",
        "<footer>Home</footer>",
        "<header>Home</header>",
        "<form>Home</form>",
        '<div role="navigation">Home</div>',
        '<div role="Search">Home</div>',
        '<div role="dialog">Home</div>',
        '<ol class="Breadcrumbs">Home</ol>',
        '<div class="article-comments">Home</div>',
        '<div id="related_posts">Home</div>',
        '<div class="share">Home</div>',
        '<div class="reviews">Home</div>',
    ],
)
def test_what_is_declared_or_named_to_be_beside_the_content_goes(beside: str) -> None:
    assert said(page(f"<div>{beside}{BOTH}</div>")) == said(page(BOTH))


@pytest.mark.parametrize(
    "kept", ['class="category-sharing"', 'class="tag-comments"', 'class="commentary"', 'id="shares"']
)
def test_names_of_other_things_do_not_count(kept: str) -> None:
    assert "Aside" in said(page(f"<div><div {kept}>Aside</div>{BOTH}</div>"))


@pytest.mark.parametrize("name", ["token comment", "hljs-comment", "comment"])
def test_comments_in_code_are_content(name: str) -> None:
    """Prism, highlight.js and others mark them with the names that readers' comments have."""
    code = f'<pre><code>x = 1 <span class="{name}"># the level in metres</span></code></pre>'
    assert "the level in metres" in said(page(f"<div>{BOTH}{code}</div>"))


@pytest.mark.parametrize("tag", ["article", "section"])
def test_header_and_footer_of_a_section_are_part_of_it(tag: str) -> None:
    tested = said(page(f"<{tag}><header><b>Rain</b></header>{BOTH}<footer>by Ann</footer></{tag}>"))
    assert tested.startswith("Rain")
    assert tested.endswith("by Ann")


def test_what_holds_most_of_the_words_is_the_content_whatever_it_is_called() -> None:
    assert said(page(f"<form class='comments'>{BOTH}</form><p>Send</p>")) == said(page(BOTH))
    assert said(page(f"<aside>{STORY}</aside>{MORE}")) == said(page(MORE))


def test_a_dialog_goes() -> None:
    assert said(page(f"<div role='dialog'>{STORY}{MORE}</div><div>{MORE}</div>")) == said(page(MORE))
    assert said(page(f"<dialog>{STORY}</dialog>")) == said(page(STORY)), "nothing else would be left"


def test_of_several_documents_the_one_of_the_title_is_the_page_s() -> None:
    documents = [f"<div><h1>{name} came</h1>{text}</div>" for name, text in (("Rain", STORY), ("Wind", MORE))]
    body = "".join(documents)
    assert said(titled("Rain came - Weather", body)) == said(titled("Rain came", documents[0]))
    assert said(titled("Wind came - Weather", body)) == said(titled("Wind came", documents[1]))
    assert said(titled("Weather", body)) == said(page(body))


def test_posts_of_a_thread_are_one_document() -> None:
    body = f"<div><h1>Rain</h1>{STORY}</div><div><h1>Re: Rain</h1>{MORE}</div>"
    assert said(titled("Rain - Forum", body)) == said(page(body))


def test_the_box_of_a_headline_is_no_document() -> None:
    body = f"<div><div><h1>Rain</h1><p>Much of it</p></div><div><h1>Weather</h1></div></div><div>{BOTH}</div>"
    assert said(titled("Rain", body)).endswith(said(page(BOTH)))


def test_the_way_leads_down_to_what_holds_nearly_all_words() -> None:
    tested = page(f"<div>Tuesday</div><div><p>Weather</p><div>{BOTH}</div></div>")
    assert said(tested) == said(page(BOTH))


@pytest.mark.parametrize("tag", ["article", "li", "p", "tr"])
def test_the_way_ends_above_the_longest_of_several_items(tag: str) -> None:
    """A page of a blog with a long post and a short one, a short paragraph before a long one."""
    short = words(10)
    items = page(f"<div>Tuesday</div><div><{tag}>{short}</{tag}><{tag} class=post-2>{words(80)}</{tag}></div>")
    assert said(items) == f"{short} {words(80)}"
    shorter = page(f"<div>Tuesday</div><div><{tag}>It was sold</{tag}><{tag} class=post-2>{words(80)}</{tag}></div>")
    assert said(shorter) == f"It was sold {words(80)}"
    boxes = page(f"<div>Tuesday</div><div><div>{short}</div><div class=post-2>{words(80)}</div></div>")
    assert said(boxes) == words(80)


@pytest.mark.parametrize(
    "start",
    ["section id=next-steps", "section id=widgets", "div class='elementor-widget elementor-widget-text-editor'"],
)
def test_sections_are_content_whatever_they_are_about(start: str) -> None:
    tag = start.split(maxsplit=1)[0]
    assert said(page(f"<div>{STORY}<{start}><h2>Further on</h2>{MORE}</{tag}></div>")) == said(
        page(f"{STORY}<h2>Further on</h2>{MORE}")
    )


def words(count: int) -> str:
    return " ".join(f"word{number}" for number in range(count))


def test_the_headline_comes_along() -> None:
    tested = titled("Rain | Weather", f"<div><p>Tuesday</p><h2>Rain</h2></div><div>{STORY}{MORE}</div>")
    assert said(tested) == said(page("<h2>Rain</h2>" + BOTH))


def test_lists_of_links_go_unless_the_page_is_one() -> None:
    assert said(page(f"<div>{STORY}<ul>{LINKS}</ul>{MORE}</div>")) == said(page(BOTH))
    assert (
        said(page(f"<div><p>Archive</p><ul>{LINKS}</ul></div>"))
        == "Archive Hail again Snow again Fog again Frost again"
    )


def test_no_element_is_left_of_which_no_words_are_left() -> None:
    key, other = pages(f"<div>{MASTHEAD}{BOTH}<hr></div>", f"<div>{MASTHEAD}<p>Fog</p></div>")
    found = find_content(key, [other])
    assert [key._arrays.start_tag(position).tag for position in sorted(found)] == [
        "div",
        "p",
        "#text",
        "p",
        "#text",
        "hr",
    ]


def test_comments_are_removed_though_they_have_most_words_where_an_article_remains() -> None:
    assert said(page(f"<div>{BOTH}<div class='commentlist'>{(BOTH + STORY) * 4}</div></div>")) == said(page(BOTH))
    assert "flood" in said(page(f"<div><p>Rain.</p><div class='commentlist'>{BOTH * 4}</div></div>")), "too little else"


def test_the_way_on_a_page_of_prose_leads_past_a_column_of_links() -> None:
    column = f"<div>{''.join(f'<p><a href=/{n}>Hail and snow in the hills {n}</a></p>' for n in range(40))}</div>"
    prose = f"<div><div>{BOTH}</div>{column}</div>"
    assert said(page(prose, f"{URL}rain")) == said(page(BOTH))


def test_boxes_of_links_in_prose_are_removed() -> None:
    box = "<div>Also <p><a href=/a>Hail in the hills</a></p> <p><a href=/b>Snow in the hills</a></p></div>"
    assert said(page(f"<div>{STORY}{box}{MORE}</div>", f"{URL}rain")) == said(page(BOTH))
    line = "<div>By <a href=/a>Ann of the hills</a> and <a href=/b>Bob</a></div>"
    assert "By Ann of the hills and Bob" in said(page(f"<div>{STORY}{line}{MORE}</div>", f"{URL}rain"))


def test_texts_between_headline_and_root_come_along() -> None:
    body = f"<div><h1>Rain</h1><p>It fell all day</p><a href=/>Home</a></div><div><div>{BOTH}</div></div>"
    tested = Page(f"<title>Rain | Weather</title>{body}", f"{URL}rain")
    assert said(tested) == f"Rain It fell all day {said(page(BOTH))}"
    body = f"<div><h1>Rain</h1>{'<p>Tuesday</p>' * 200}{STORY}</div><div><div>{BOTH * 3}</div></div>"
    tested = Page(f"<title>Rain | Weather</title>{body}", f"{URL}rain")
    assert said(tested) == f"Rain {said(page(STORY))} {said(page(BOTH * 3))}", "the beginning of the text, and no more"


def test_linked_values_between_headline_and_root_come_along() -> None:
    def story(name: str, brand: str) -> Page:
        row = f"<div><div>Brand</div><div><a href=/{brand}>{brand}</a></div></div>"
        head = f"<div><h1>{name}</h1><p>{name} it is</p>{row}<a href=/>Home</a></div>"
        return Page(f"<title>{name} | Weather</title>{head}<div><p>{f'{name} again. ' * 50}</p></div>", f"{URL}{name}")

    others = story("Hail", "Meteor"), story("Snow", "Frosty"), story("Fog", "Frosty")
    assert said(story("Rain", "Acme"), others).startswith("Rain Rain it is Brand Acme Rain again.")
    assert said(story("Rain", "Frosty"), others).startswith("Rain Rain it is Brand Frosty Rain again.")


def test_the_words_of_the_headline_are_in_the_title_in_any_order() -> None:
    tested = Page(f"<title>Rain by Ann, second edition</title><h2>Rain (second)</h2><div>{BOTH}</div>", f"{URL}rain")
    assert said(tested) == f"Rain (second) {said(page(BOTH))}"
    tested = Page(f"<title>Much rain by Ann</title><h2>Much rain <i>and snow</i></h2><div>{BOTH}</div>", f"{URL}rain")
    assert said(tested) == f"Much rain and snow {said(page(BOTH))}"


POSTS = "".join(
    f"<div class=post><p class=rank>Expert</p><p class=from>Ghent {n}</p><div class=text>{text}</div></div>"
    for n, text in enumerate(
        (STORY, MORE, "<p>Thanks.</p>", f"{STORY}<p>I agree with all of this, and so does she.</p>")
    )
)


def test_short_posts_of_a_forum_are_content() -> None:
    thread = "<div class=comment><p>Is the bridge open?</p></div>" + POSTS.replace("class=post", "class=comment")
    assert "Is the bridge open?" in said(page(f"<div>{BOTH}{thread}</div>", f"{URL}viewtopic.php?t=1"))
    assert "Is the bridge open?" not in said(page(f"<div>{BOTH}{thread}</div>", f"{URL}rain"))


NAMES = ("Brand", "Colour", "Size", "Weight", "Origin", "Material", "Care", "Warranty")
REVIEWS = "<div class=reviews><p>It kept me dry for a year, and then it did not</p></div>"


def product(name: str, labels: Iterable[str] = NAMES, rest: str = "") -> Page:
    rows = "".join(f"<tr><th>{label}</th><td>{name} {number}</td></tr>" for number, label in enumerate(labels))
    text = "".join(f"<p>{f'{name} {number}, said twice. ' * 20}</p>" for number in range(3))
    body = f"<div>{MASTHEAD}<h1>{name}</h1><table>{rows}</table><div><div>{text}</div></div>{rest}{IMPRINT}</div>"
    return Page(f"<title>{name} | Weather</title>{body}", f"{URL}{name}")


def of_products(**parts: Any) -> str:
    return said(product("Hat", **parts), tuple(product(name, **parts) for name in ("Coat", "Boots", "Scarf")))


def test_a_product_is_content_as_far_as_its_facts_reach() -> None:
    found = of_products()
    assert found.startswith("Hat Brand Hat 0 Colour Hat 1")
    assert "Warranty Hat 7" in found
    assert "Ghent" not in found


def test_reviews_of_a_product_are_content() -> None:
    key, *others = (product(name, rest=REVIEWS.replace("me", name)) for name in ("Hat", "Coat", "Boots", "Scarf"))
    assert "It kept Hat dry" in said(key, tuple(others))
    key, *others = (product(name, NAMES[:3], REVIEWS.replace("me", name)) for name in ("Hat", "Coat", "Boots", "Scarf"))
    assert "It kept Hat dry" not in said(key, tuple(others)), "three labels are no product"


@pytest.mark.parametrize("labels", [["by"] * 8, [str(number) for number in range(8)]])
def test_the_same_label_again_and_again_or_a_number_is_no_fact(labels: list[str]) -> None:
    assert "It kept" not in of_products(labels=labels, rest=REVIEWS)


def test_work_grows_as_the_page_does() -> None:
    few, many = (page(f"<div>{POSTS * count}</div>", f"{URL}viewtopic.php?t=1") for count in (8, 32))
    less, more = (lines_run(lambda one=one: find_content(one)) for one in (few, many))  # type: ignore[misc]
    assert len(few) < less < more < 5 * less


@odd_pages
def test_odd_pages_alone(html: str) -> None:
    odd = Page(html, URL)
    assert find_content(odd, []) <= frozenset(range(len(odd)))


def test_a_copy_of_the_page_among_the_others_tells_nothing() -> None:
    key, other = pages(*(f"<div>{STORY}</div><p>Generated in 0.{n} s</p>" for n in (123, 456)))
    assert said(key, (other,)) == said(key)


def test_comments_that_are_all_of_a_page_are_kept_whole() -> None:
    posts = (STORY, MORE, "<p>A short answer</p>")
    assert said(page("".join(f"<div class=comment>{post}</div>" for post in posts))) == said(page("".join(posts)))


def test_a_box_named_after_its_comments_is_the_article_with_them() -> None:
    comments = f"<div class=comments>{MORE}</div>"
    assert said(page(f"<div class='post has-comments'>{STORY * 4}{comments}</div>")) == said(page(STORY * 4))


def test_a_review_is_an_article() -> None:
    note = f"<p>{' '.join(f'note{n}' for n in range(80))}</p>"
    assert said(page(f"<div class=review>{STORY * 9}</div><div>{note}</div>")).startswith(said(page(STORY)))


def test_short_posts_of_a_forum_are_kept() -> None:
    posts = "<div class=comments><p>Short post one here</p><p>Another short one</p></div>"
    assert said(page(posts, f"{URL}forum/t/1")) == "Short post one here Another short one"


def test_a_logo_in_a_heading_is_no_headline() -> None:
    logo = "<h1><a href='/'><img alt='Site' src='/logo.png'></a></h1><p>All the news that is wet</p>"
    found = said(titled("Rain again - Site", f"<div>{logo}</div><div><h1>Rain again</h1></div><div>{BOTH}</div>"))
    assert found.startswith("Rain again It rained")


def test_links_that_vary_do_not_count_as_words_of_the_text() -> None:
    """Above ``THRESHOLDS.article`` words, short facts between the headline and the text are left out."""

    def made(name: str, tags: str) -> Page:
        facts = "".join(f"<div>{' '.join(f'{name}{fact}{word}' for word in 'abcde')}</div>" for fact in "klmnopqrst")
        links = "".join(f"<div class=tag><a href=/t/{tag}>{tag} topic group</a></div>" for tag in tags)
        text = "".join(f"<p>{' '.join(f'{name}{row}{word}' for word in range(40))}.</p>" for row in "uvwxyz")
        frame = "<ul><li><a href=/1>One</a></li><li><a href=/2>Two</a></li></ul>"
        body = f"<div>{frame}</div><div><h1>On {name}</h1><div>{facts}{links}</div><div>{text}</div></div>"
        return Page(f"<html><head><title>On {name}</title></head><body>{body}</body></html>", f"{URL}{name}")

    key, *others = (made(name, "abcd" if name < "d" else "efgh") for name in ("ann", "bob", "cy", "di", "ed"))
    match = Template.from_pages(key, others).match(key)
    assert "a topic group" in match.clean.html
    assert "anntd annte" in match.clean.content_text
