"""Blocks that several pages have word for word, at whatever position."""

import pytest
from helpers.made_sites import DIRECTORIES, HOST, MENU, left, own, page

from templex_scrapy import SiteCleaner, Template
from templex_scrapy.page import NodeValues, nodes_of, values_of
from templex_scrapy.votes.blocks import Blocks

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


def test_a_block_that_moves_goes_all_the_same():
    block = "<ul><li>One of three</li><li>Two of three</li><li>Three of three</li></ul>"
    paragraphs = lambda n: "".join(f"<p>article {n} {k}</p>" for k in range(3 * n))
    cleaned = left(lambda n: f"<section>{paragraphs(n)}{block}</section>")
    assert all("of three" not in each for each in cleaned)


def test_a_list_that_is_in_the_sidebar_as_well_is_content_elsewhere():
    """The front page of a manual shows the table of contents of its sidebar once more, as its content."""
    toc = "<ul>" + "".join(f'<li><a href="/{n}">Chapter number {n}</a></li>' for n in range(6)) + "</ul>"

    def made(n, side, more=""):
        return page(f"{MENU}{MENU}<i>{side}</i><main><h1>{n}</h1>{own(n)}{more}</main>", f"{HOST}{n}")

    template = Template.from_pages(made(0, toc), [made(n, toc) for n in range(1, 4)])
    assert template.match(made(9, toc, toc)).clean.html.count("Chapter number 3") == 1
    for more, is_left in ((toc, True), (f"<aside>{toc}</aside>", False)):
        moved = template.match(made(9, "", more))
        assert moved.fits
        assert ("Chapter" in moved.clean.html) is is_left, "nothing of the content is a block that has moved"


@pytest.mark.parametrize(("pages", "quoting"), [(69, 50), (7, 4)])
@pytest.mark.parametrize("quote", ["<div>{}</div>", "<blockquote>{}</blockquote>", "<div class=text><b>{}</b></div>"])
def test_pages_that_quote_an_article_do_not_remove_it_from_its_own_page(pages, quoting, quote):
    """The authors of some pages must not decide what is left of the page of another one."""

    def article(n):
        return "<div class=text>" + "".join(f"<p>Sentence {k} of {n} has words.</p>" for k in range(6)) + "</div>"

    def made(n):
        body = f"{quote.format(article(0))}<p>Said about it by {n}</p>" if 0 < n <= quoting else article(n)
        return page(f"<nav>{MENU}</nav><main><h1>Head {n}</h1>{body}</main>", f"{HOST}{n}.html")

    made_pages = [made(n) for n in range(pages)]
    for n, clean in enumerate(SiteCleaner.learn(made_pages).clean(made_pages)):
        assert clean.fits
        assert "menu entry" not in clean.text
        for text in (clean.html, clean.text, clean.content_text):
            assert 0 < n <= quoting or all(f"Sentence {k} of {n} has words." in text for k in range(6))


def test_merged_blocks_need_the_pages_of_one_template():
    merged = Blocks.merged([(Blocks({"a": 2, "b": 3}), 3), (Blocks({"a": 2, "c": 5}), 2)])
    assert merged.pages == {"b": 3, "a": 2, "c": 5}


@pytest.mark.parametrize(
    "other",
    [
        "<div><p>two words</p><p>one word more</p><p>three at last</p></div>",
        "<div><p>one word more<p>two words</p></p><b>three at last</b></div>",
    ],
    ids=["other order", "other tags"],
)
def test_a_long_text_is_a_block_if_three_pages_have_the_very_same(other):
    block = "<div><p>one word more</p><p>two words</p><p>three at last</p></div>"
    made = lambda *blocks: [values_of(page(html, f"{HOST}{n}")) for n, html in enumerate(blocks)]
    assert Blocks.common_to(made(block, block, block)).pages
    assert not Blocks.common_to(made(block, block, other)).pages


def common(*bodies, urls=DIRECTORIES):
    """The sizes, in nodes, of the blocks that pages with these bodies have in common."""
    bodies = [f"<p>three words before {body}" for body in bodies]
    pages = [values_of(page(body, url)) for body, url in zip(bodies, urls, strict=False)]
    return {size for _, size, _ in Blocks.common_to(pages).shapes}


@pytest.mark.parametrize(
    ("block", "on_three", "on_two"),
    [
        ("<ul><li>one</li><li>two three</li></ul>", True, False),
        ("<ul><li>one two three</li><li></li></ul>", False, False),
        ("<ul><li>one</li><li>two</li></ul>", False, False),
        ("<ul><li><a href=/1>one two</a></li><li>three four</li></ul>", True, True),
        ("<ul><li><a href=/1>one</a><a href=/2>two</a></li><li>three four</li></ul>", True, True),
        ("<ul><li><a href=/1>one</a></li><li>two three</li></ul>", True, False),
    ],
    ids=["5 nodes, 3 words", "4 nodes", "2 words", "half in a link", "half in two links", "a third in a link"],
)
def test_a_block_has_five_nodes_and_three_words_and_is_on_three_pages_or_half_in_links(block, on_three, on_two):
    assert bool(common(block, block, block)) is on_three
    assert bool(common(block, block)) is on_two


def test_relative_links_that_lead_elsewhere_make_other_blocks():
    block = "<ul><li><a href=next>one two</a></li><li>three four</li></ul>"
    assert not common(block, block, block)
    assert common(block, block, urls=(HOST, f"{HOST}other"))


def test_the_first_element_of_a_page_may_be_a_block_and_other_words_are_none():
    block = "<ul><li>one</li><li>two three</li></ul>"
    key, *_ = pages = [values_of(page(f"{block}{n}", f"{HOST}{n}")) for n in range(3)]
    blocks, left_out = Blocks.common_to(pages), bytearray(len(key.arrays.ids))
    assert list(blocks.found_in(key, left_out, 3)) == [1]
    assert list(blocks.found_in(values_of(page(block.replace("one", "six"))), left_out, 1)) == []


def test_each_block_of_a_page_is_digested_once():
    """To look for each of many blocks among all would take the square of their number."""
    item = "<li><a href='/{0}'>Item</a> <a href='/{0}/more'>number {0} of many</a></li>"
    listed = lambda *numbers: "<ul>" + "".join(map(item.format, numbers)) + "</ul>"
    blocks = Blocks.common_to([values_of(page(f"{k}{listed(*range(200))}", f"{HOST}{k}")) for k in range(3)])
    made = page(listed(*range(200, 400)) + listed(*range(199, -1, -1)))
    asked: list[int] = []

    class Asked(NodeValues):
        def digest(self, position):
            asked.append(position)
            return super().digest(position)

    values = Asked(nodes_of(made), made.base_url, made.url)
    fixed = values.arrays.sizes[1]
    left_out = bytearray([0] + [1] * fixed + [0] * fixed)
    assert len(list(blocks.found_in(values, left_out, 2))) == 200
    assert len(asked) < 4 * 200
