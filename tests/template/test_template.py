"""Templates: which nodes are template, which pages vote, and which template a search finds."""

import asyncio
import sys

import pytest
from helpers.made_sites import HOST, MENU, body_of, made_site, own, page

from templex_scrapy import Template, find_template, find_template_async


def texts_at(page_, positions):
    return {text for p in positions if (text := page_.nodes[p].text) is not None}


@pytest.mark.parametrize(("votes", "found"), [(1, True), (2, True), (3, False)])
def test_votes_are_the_pages_that_a_node_needs(votes, found):
    """Three pages vote, and two of them have the block."""
    block = '<div class="box"><p>Sold out</p></div>'
    pages = [page(MENU + (block if n < 3 else "") + own(n), f"{HOST}{n}") for n in range(4)]
    template = Template.from_pages(pages[0], pages[1:], votes)
    assert ("Sold out" in texts_at(pages[0], template.nodes)) is found
    assert ("Sold out" not in template.match(pages[0]).clean.html) is found


def test_removed_texts_are_those_of_the_key_page_the_doubtful_ones_first():
    pages = [page(f"{MENU}{'<div class=box><p>Sold out</p></div>' if n < 3 else ''}{own(n)}") for n in range(4)]
    template = Template.from_pages(pages[0], pages[1:])
    removed = template.removed_texts()
    assert removed[0] == ("Sold out", "div.box p", 3)
    assert {text.text for text in removed[1:]} == {f"menu entry {number}" for number in range(8)}
    assert {text.pages for text in removed[1:]} == {4}
    clean = template.match(pages[0]).clean.text
    assert not any(text.text in clean for text in removed)
    assert Template.from_pages(pages[0], pages[1:2]).removed_texts() == [], "one other page proves nothing"


def test_removed_texts_are_those_that_are_removed_from_the_key_page():
    """Links of the frame are among them, and a forum's labels are not, because its address tells that it is one."""
    post = "<div class=comment><p>Posted by</p><p>member {0}</p><p>{1}</p></div>"
    body = "<main>{0}</main><ul><li><a href=/{1}/edit>Edit this page</a></li></ul>"
    make = lambda n: body.format("".join(post.format(f"{n}-{k}", own(n)) for k in range(9)), n)
    pages = [page(MENU + make(n), f"{HOST}viewtopic.php?t={n}") for n in range(8)]
    template = Template.from_pages(pages[0], pages[1:])
    removed = {text.text for text in template.removed_texts()}
    assert "Edit this page" in removed
    assert removed == texts_at(pages[0], template.match(pages[0]).removable)
    assert removed == {text.text for text in Template.from_dict(template.to_dict()).removed_texts()}


def test_pages_may_be_fetched_with_await():
    pages = {page.url: page for page in made_site(5)}
    key = next(iter(pages.values()))

    async def fetch(url):
        await asyncio.sleep(0)
        return pages.get(url)

    found = asyncio.run(find_template_async(key, fetch))
    assert found.to_dict() == find_template(key, pages.get).to_dict()
    assert "Footer of the made site" in {key.nodes[position].text for position in found.nodes}


@pytest.mark.parametrize("votes", [0, -1])
def test_less_than_one_vote_is_refused(votes):
    with pytest.raises(ValueError, match="votes"):
        Template.from_pages(page(""), [], votes)


def test_copies_of_the_key_page_have_no_vote():
    key = page(MENU + own(0), HOST)
    copies = [page(MENU + own(0), f"{HOST}index.html"), page(MENU + own(0), f"{HOST}?x=1")]
    template = Template.from_pages(key, copies)
    assert template.page_urls == ()
    assert template.match(key).clean.html == key.text


def test_a_copy_of_a_voter_has_no_second_vote():
    """Else a headline that two copies share with the key page would be repeated."""
    key, other, copy = (page(MENU + "<p>Shared by two</p>" + own(n), f"{HOST}{k}") for k, n in enumerate((0, 1, 1)))
    template = Template.from_pages(key, [other, copy])
    assert template.page_urls == (other.url,)
    for each in (key, other, copy):
        assert template.match(each).removable == frozenset()


def linked_site(count):
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
    assert body_of(template.match(pages[f"{HOST}p7"]).clean.html) == own(7)


def test_find_template_without_pages_is_empty():
    key = linked_site(4)[f"{HOST}p0"]
    assert find_template(key, lambda _: None).page_urls == ()
    assert find_template(key, lambda _: None).match(key).clean.html == key.text
    assert find_template(key, lambda _: key, max_loads=0).page_urls == ()
    assert find_template(key, lambda _: key).page_urls == (), "whatever is asked for, it is the key page again"


def test_the_key_page_is_known_by_its_source():
    """Of pages with the same text, too."""
    key, *voters = made_site()
    known = Template.from_pages(key, voters).voters
    assert known.is_key(key)
    assert not any(map(known.is_key, voters))
    assert not known.is_key(page(key.text + "<!-- -->", key.url, head=""))


def test_the_texts_of_a_site_count_with_the_bytes_that_they_take():
    pages, texts = [page(own(n), f"{HOST}{n}") for n in range(3)], {2**40 + n: n / 1_000 for n in range(1_000)}
    few, many = (Template.from_pages(pages[0], pages[1:], site_texts=some).nbytes for some in ({}, texts))
    real = sys.getsizeof(texts) + sum(sys.getsizeof(number) + sys.getsizeof(share) for number, share in texts.items())
    assert many - few == pytest.approx(real, rel=0.1)
