"""The view: what is marked, what each switch shows in a browser, and that hostile pages do nothing."""

from __future__ import annotations

import html
import re

import pytest
from helpers.browsing import HOSTILE
from lxml import html as lxml_html

from templex_scrapy import Match, Page, Template
from templex_scrapy.inspect import view

HOST = "https://site.test/"
MENU = "".join(f'<li class="entry"><a href="/section{i}/">Section {i}</a></li>' for i in range(6))
STORY = "The river carries stones from the upper valley down to the plain, and drops them where it slows."


def page(number: int, *, body: str = "", title: str = "") -> Page:
    """A page with a menu and a footer that repeat; ``body`` is put at the end of the article."""
    return Page(
        f"<!DOCTYPE html><html><head><title>{title or f'Page {number}'}</title></head><body>"
        f'<header><p>Welcome to the repeated banner</p><ul id="menu">{MENU}</ul></header>'
        f"<main><h1>Headline {number}</h1><p>{' '.join([f'{STORY} ({number})'] * 3)}</p>"
        f"<p>Written by <b>Author {number}</b> <i>on {number} May</i></p>{body}</main>"
        "<footer><p>Repeated footer with imprint and terms</p></footer></body></html>",
        f"{HOST}section{number}/",
    )


def match_of(body: str = "", *, title: str = "", own_body: str | None = None) -> Match:
    """A page of the site, and three others with the same body, compared with their template."""
    pages = [page(number, body=body) for number in range(1, 4)]
    key = page(0, body=body if own_body is None else own_body, title=title)
    return Template.from_pages(key, pages).match(key)


def frames(written: str) -> list[str]:
    """The sources of the two frames."""
    return [html.unescape(source) for source in re.findall(r'srcdoc="([^"]*)"', written)]


def test_marks():
    """Removed and content subtrees, kept texts and the menu have a class, and nodes the reason as a tooltip."""
    marked, cleaned = (lxml_html.document_fromstring(source) for source in frames(view(match_of())))
    removed = marked.xpath("//*[contains(@class, 'removed')]")
    assert [element.tag for element in removed] == ["header", "footer"]
    assert removed[0].get("title") == "At this position on 3 of 3 pages. Removed."
    assert [element.tag for element in marked.xpath("//*[contains(@class, 'menu')]")] == ["ul"]
    assert marked.xpath("string(//*[contains(@class, 'content')])").startswith("Headline 0")
    assert marked.xpath("//*[@class='kept']/text()") == ["Written by "]
    assert "with another text. Kept: 2 would have to agree." in marked.xpath("//h1/@title")[0]
    assert marked.xpath("//a") == []
    assert cleaned.xpath("//header | //footer | //*[@title]") == []
    assert " ".join(cleaned.text_content().split()).endswith("Written by Author 0 on 0 May")


def test_what_is_kept_of_the_markup():
    """Pictures are named, unknown elements are transparent; of the attributes, those of tables and languages."""
    own = (
        '<p onclick="x" style="color:red" lang="de">a</p><img alt="A map" src="/m.png"><video src="v"></video><br>b'
        '<my-card class="removed">c</my-card><textarea>d&lt;b></textarea><table><tr><td colspan="2">e</table>'
        "<select><option>f<option>g</select>"
    )
    marked, _ = frames(view(match_of(own_body=own)))
    for part in (
        r'<p[^>]* lang="de">',
        ">A map<",
        ">video<",
        r"<br[^>]*><span[^>]*>b<",
        r"f(</span>)+ · .*g(</span>)+ · ",
        r'<td[^>]* colspan="2">',
        "d&lt;b&gt;",
    ):
        assert re.search(part, marked), part
    assert not re.search(r"onclick|color:red|m\.png|my-card|textarea", marked)
    assert marked.count('class="removed"') == 2


def test_a_picture_stays_in_its_paragraph():
    body = "<p>Before <svg><title>A drawing</title></svg> after</p>"
    (paragraph,) = lxml_html.document_fromstring(frames(view(match_of(body)))[0]).xpath("//p[.//*[@class='picture']]")
    assert paragraph.text_content().endswith(" after")
    assert not paragraph.xpath(".//div")


def test_the_bar():
    """Title and address, words, share of the template, the pages compared, how far a page fits, and if it is kept."""
    match = match_of(title="&lt;/title&gt;&lt;script&gt;1&lt;/script&gt;")
    written = view(match)
    assert "<title>&lt;/title&gt;&lt;script&gt;1&lt;/script&gt; · templex</title>" in written
    assert f"<bdi>{HOST}section0/</bdi>" in written
    before, after = match.clean.words
    assert f"<span>{before} words, {after} kept</span>" in written
    assert "compared with 3 pages</span>" in written
    assert "coverage" not in written
    other = Page(page(5).text.replace("<footer", "<div").replace("Repeated footer", "x"), f"{HOST}5")
    partial = match.template.match(other)
    assert f"<span>coverage {partial.coverage:.0%}</span>" in view(partial)
    assert "no template fits the page" in view(match.template.match(Page("<p>nothing alike</p>", HOST)))
    assert "No template was found for this page." in view(Match(page(0)))
    empty = re.sub(r"<main>.*</main>", "<main></main>", page(9).text)
    whole = view(match.template.match(Page(empty, f"{HOST}9")))
    assert "nothing would be left" in whole
    assert "Repeated footer" in frames(whole)[1]


@pytest.mark.parametrize(
    "source", ["", "<frameset><frame src='x'></frameset>", "\0\x01<p>\ud800</p>", "plain text", "<b>" * 5_000 + "deep"]
)
def test_odd_pages(source):
    """A page that is hardly a page has a view all the same, which UTF-8 can write."""
    view(match_of().template.match(Page(source, f"{HOST}\udcff"))).encode("utf-8")


@pytest.mark.browser
def test_what_each_switch_shows(show):
    """The marked page, the cleaned page, or both; by mouse and by keyboard, on a wide and on a narrow screen."""
    opened = show(view(match_of()))

    def shown() -> list[bool]:
        return [opened.page.locator(f"iframe.{mode}").is_visible() for mode in ("marked", "cleaned")]

    assert shown() == [True, False]
    marked, cleaned = (opened.page.frame_locator(f"iframe.{mode}") for mode in ("marked", "cleaned"))
    assert marked.locator("header").is_visible()
    opened.page.get_by_text("Cleaned").click()
    assert shown() == [False, True]
    assert cleaned.locator("h1").is_visible()
    assert cleaned.locator("header").count() == 0
    opened.page.keyboard.press("ArrowRight")
    assert shown() == [True, True]
    opened.page.set_viewport_size({"width": 390, "height": 800})
    boxes = [opened.page.locator(f"iframe.{mode}").bounding_box() for mode in ("marked", "cleaned")]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
@pytest.mark.parametrize("is_repeated", [False, True])
def test_hostile_pages(show, is_repeated):
    """Nothing runs, loads or navigates, even without sandbox and policy."""
    match = match_of(body=HOSTILE if is_repeated else "", own_body=HOSTILE, title=html.escape(HOSTILE))
    written = view(match)
    opened = show(written.replace("Content-Security-Policy", "x").replace('sandbox=""', ""))
    opened.page.get_by_text("Side by side").click()
    for frame in opened.page.frames[1:]:
        frame.get_by_text("go", exact=True).click()
        assert [one for one in opened.inspect(frame) if not one.startswith("name=")] == []
    opened.wait_for_events()
    assert opened.page.evaluate("window.pwned") is None
    assert "<img src=x" in opened.page.title()


@pytest.mark.browser
@pytest.mark.parametrize("protected", [True, False])
def test_without_escaping(show, protected):
    """Sandbox and policy alone hold a page back; without them it does what it wants: the test can fail."""
    written = view(match_of())
    marked, _ = frames(written)
    hostile = marked.replace("Headline 0", HOSTILE.replace("\ud800", ""))
    written = written.replace(html.escape(marked), html.escape(hostile))
    if not protected:
        written = written.replace('sandbox=""', "").replace("Content-Security-Policy", "x")
    opened = show(written)
    opened.may_offend = True
    opened.wait_for_events()
    assert (opened.page.evaluate("window.pwned") is None) is protected
