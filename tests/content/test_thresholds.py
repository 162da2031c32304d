"""Each number of the rules, on pages at its border: moved by a quarter, it is another number."""

from dataclasses import fields

import pytest
from helpers.borders import borders_in, check_border
from helpers.made_sites import page

from templex_scrapy.content import Kept, KeptParts, content_nodes
from templex_scrapy.content.content_root import content_root, declared_body
from templex_scrapy.content.head import NO_HEAD, Head
from templex_scrapy.content.headlines import headings
from templex_scrapy.content.repeated_texts import repeated_texts
from templex_scrapy.content.selection import Selection
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.content.trimming import without_boxes_of_links, without_teasers
from templex_scrapy.page import nodes_of

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


def words(count, word="word"):
    return " ".join(f"{word}{number}" for number in range(count))


PARAGRAPH = f"<p>{words(20)}</p>"


def blocks(count):
    """That many words, none of them in a long block."""
    return "".join(f"<p>{words(min(9, count - start))}</p>" for start in range(0, count, 9))


def selection(body):
    arrays = nodes_of(page(body))
    return Selection(arrays, bytearray(b"\1") * len(arrays.ids))


def root(body):
    """The start tag of the element with the content."""
    arrays = nodes_of(page(body))
    return arrays.tag_strings[content_root(Selection(arrays, bytearray(b"\1") * len(arrays.ids)), NO_HEAD)]


def trimmed(body):
    own = without_boxes_of_links(selection(body), 0, -1)
    return " ".join(text for text, flag in zip(own.arrays.texts, own.flags, strict=True) if text is not None and flag)


def kept(body):
    """The texts left of a page in which each text with "fixed" is repeated."""
    arrays = nodes_of(page(body))
    equal = bytes(text is None or "fixed" in text for text in arrays.texts)
    ends = [position + size for position, size in enumerate(arrays.sizes)]
    gone = KeptParts(arrays, bytes(all(equal[at:end]) for at, end in enumerate(ends)), equal).removable
    return " ".join(text for text, flag in zip(arrays.texts, gone, strict=True) if text is not None and not flag)


def varies(differing):
    def said(value):
        return page(f"<p>Price</p><p>{value}</p>")

    key, others = said("own"), [said(str(number)) for number in range(differing)] + [said("own")]
    return 1 in repeated_texts(nodes_of(key), [nodes_of(other) for other in others]).varying


def border_of_large_share():
    for count, expected in ((70, "<p>"), (69, "<body>")):
        assert root(f"<div><p>{words(count)}</p></div><p>{words(100 - count)}</p>") == expected


def border_of_small_share():
    for linked, is_long in ((6, True), (7, False)):
        assert bool(selection(f"<p>{words(20 - linked)} <a>{words(linked)}</a></p>").long_words(0)) is is_long


def border_of_nearly_all():
    assert root(f"<div><p>{words(8)}</p></div><p>{words(2)}</p>") == "<p>"
    assert root(f"<div><p>{words(7)}</p></div><p>{words(3)}</p>") == "<body>"


def border_of_article_words():
    for count, expected in ((60, "<div>"), (59, "<body>")):
        assert root(f"<div>{PARAGRAPH * 2}<p>{words(count - 40)}</p></div>{blocks(40)}") == expected


def border_of_body_share():
    for count, is_body in ((80, True), (79, False)):
        body = f"<div class=entry-content><p>{words(count)}</p></div><p>{words(200 - count)}</p>"
        assert bool(declared_body(selection(body))) is is_body


def border_of_prose_share():
    for others, expected in ((440, "<div>"), (441, "<body>")):
        assert root(f"<div>{PARAGRAPH * 3}</div>{blocks(others)}") == expected


def border_of_running_share():
    links = f"<ul class=a>{'<li><a>more</a></li>' * 2}</ul>"
    for others, is_kept in ((58, False), (59, True)):
        assert ("more" in trimmed(f"<p>{words(40)}</p>{blocks(others)}{links}")) is is_kept


def border_of_long_block():
    assert selection(f"<p>{words(10)}</p>").long_words(0) == 10
    assert not selection(f"<p>{words(9)}</p>").long_words(0)


def border_of_label_words():
    for count, is_kept in ((8, True), (9, False)):
        label = f"<div><p>own value</p></div><ul><li>{words(count, 'fixed')}</li></ul>"
        assert ("fixed" in kept(f"<div>{label}<p>own text</p><p>own end</p></div>")) is is_kept


def border_of_line_links():
    for count, expected in ((3, True), (4, False)):
        own = selection(f"<p>by {'<a>Ann</a>' * count}</p>")
        assert bool(own.is_line(1)) is expected


def border_of_box_links():
    for count, is_kept in ((1, True), (2, False)):
        links = "<li><a href=/>more</a></li>" * count
        assert ("more" in trimmed(f"<p>{words(80)}</p><ul class=a>{links}</ul>")) is is_kept


def border_of_link_weight():
    assert selection(f"<p>one <a>{words(2)}</a></p>").weight(0) == 6


def border_of_teaser_share():
    for count, is_kept in ((11, False), (12, True)):
        teasers = f"<div><p><a href=/>{words(2, 'more')}</a></p><p>{words(count, 'lead')}</p></div>" * 2
        own = without_teasers(selection(f"<p></p><section>{PARAGRAPH * 9}</section><div>{teasers}</div>"), 0, -1)
        assert bool(own.words(own.arrays.positions("div")[0])) is is_kept


def border_of_outside_texts():
    # eight tenths of the texts are in the content, however many are outside of it
    text = "".join(f"<p>{words(20, 'own')}</p>" for _ in range(40))
    for count, is_kept in ((2, False), (3, True)):
        beside = f"<div><i>fixed</i>{'<p>own</p>' * count}</div>"
        assert ("fixed" in kept(f"{beside}<div>{text}</div>")) is is_kept


def border_of_fact_labels():
    for count, is_content in ((8, True), (7, False)):
        rows = "".join(f"<p>fixed {'abcdefgh'[number]}</p><p>own value</p>" for number in range(count))
        one = page(f"<div>{rows}</div><div>{PARAGRAPH * 8}</div>")
        labels = [position for position, text in enumerate(nodes_of(one).texts) if text is not None and "fixed" in text]
        found = content_nodes(one, Head.of(one), labels, dict.fromkeys(labels, Kept.SMALL))
        assert (set(labels) <= found) is is_content


def border_of_differing_pages():
    assert varies(2)
    assert not varies(1)


def test_a_heading_has_fifty_nodes_at_most():
    for more, expected in (("", [1]), ("<br>", [])):
        own = selection(f"<h1>word {'<b>word</b>' * 24}{more}</h1>")
        assert headings(own, "h1") == expected


BORDERS = borders_in(globals())


@pytest.mark.parametrize("name", [field.name for field in fields(THRESHOLDS)])
def test_the_border_is_where_the_number_is(name):
    check_border(THRESHOLDS, name, BORDERS[name])
