"""The report as a file: what it shows, that it is readable, and that nothing of a page becomes markup."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from recorded import Clock, Search, crawl_of, record_page, record_pages, report_of, unfit

from templex_scrapy.report.document import document, is_web, readable
from templex_scrapy.report.page_texts import one_line
from templex_scrapy.report.recorder import Recorder

PWN = "document.title='pwned';window.pwned=1;new Image().src='http://127.0.0.1:9/x';alert(1)"
HOSTILE = (
    f'</p></title></style></script></iframe></textarea>--><script>{PWN}</script><img src=x onerror="{PWN}">'
    f'<a href="javascript:{PWN}">go</a><svg onload="{PWN}"></svg><base target=_blank href=\'http://127.0.0.1:9/\'>'
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><link rel=stylesheet href='http://127.0.0.1:9/c'>"
    "<style>*{position:fixed;inset:0;background:red!important}@import 'http://127.0.0.1:9/i'</style>"
    "<iframe src='http://127.0.0.1:9/f'></iframe>{{ 7*7 }}{% raw %}' \" ` \u202e reversed \ud800 \x00"
)


@pytest.fixture(scope="module")
def source() -> str:
    clock = Clock()
    recorder = Recorder(clock)
    record_pages(recorder, clock, Search())
    return report_of(recorder)


def test_figures():
    """Totals come from stats and recorder; kinds of items have the words of the stats."""
    clock = Clock()
    recorder = Recorder(clock)
    record_pages(recorder, clock, Search())
    stats = {"items": 12, "items_cleaned": 9, "items_no_template": 3, "words_before": 1000, "words_after": 600}
    written = document(recorder, crawl_of(**stats, errors=2))
    found = re.findall(r'label">([^<]*)</span> <span class="value">([^<]*)</span> <span class="note">([^<]*)<', written)
    figures = {label: (value, note) for label, value, note in found}
    assert figures["Items"] == ("12", "9 cleaned")
    assert figures["Templates"] == ("1", "2 searches")
    assert figures["Words removed"] == ("40%", "400 of 1,000")
    assert figures["Errors"][0] == "2"
    assert re.search(r"from whose page something was removed</th><td class=\"n\">9</td><td class=\"n\">75%", written)
    assert "Errors" not in report_of(recorder)


def test_how_the_crawl_ended():
    """It runs, is finished, or ended early; a dry run says so; without pages the report says so."""
    recorder = Recorder()
    assert "still running" in document(recorder, crawl_of(reason=None))
    assert "finished</span>" in document(recorder, crawl_of())
    assert "ended early: shutdown" in document(recorder, crawl_of(reason="shutdown"))
    assert "dry run: no item was changed" in document(recorder, replace(crawl_of(), dry_run=True))
    assert "No page with items was downloaded." in report_of(recorder)
    assert "<svg" not in report_of(recorder)


@pytest.mark.browser
def test_the_switches_of_a_sample(show, source):
    """Removed texts are struck out, as they were, or gone; by mouse and by keyboard."""
    opened = show(source)
    sample = opened.page.locator("details.sample").first
    removed, kept = sample.locator(".removed").first, sample.locator(".page p:not(.removed)").first
    look = "(element) => getComputedStyle(element).textDecorationLine"
    for mode, is_seen, decoration in (("after", False, ""), ("before", True, "none"), ("marked", True, "line-through")):
        sample.locator(f"label.{mode}").click()
        assert removed.is_visible() is is_seen
        assert kept.is_visible()
        assert not is_seen or removed.locator("span").first.evaluate(look) == decoration
    sample.locator("input.marked").focus()
    opened.page.keyboard.press("ArrowRight")
    opened.page.keyboard.press("ArrowRight")
    assert not removed.is_visible()


def hostile_source() -> str:
    """The report of a crawl in which everything that pages decide is hostile."""
    escaped = html.escape(HOSTILE).replace("\0", "")
    search = Search(title=escaped, body=f"<h2>{escaped}</h2>")
    recorder = Recorder(Clock())
    clean = search.clean("/x", title=escaped, body=f"<p>{escaped}</p>{HOSTILE}")
    for url in (f"https://site.test/'\"><img src=x onerror={PWN}>\ud800", f"javascript:{PWN}"):
        record_page(recorder, replace(clean, url=url, template_url=url))
        recorder.page_cleaned(unfit(url))
        search.key.url = search.template.key_url = url
        search.end(recorder)
        recorder.search_ends(search.search, None, cut_short=False)
    return document(recorder, crawl_of(spider=HOSTILE, reason=HOSTILE))


@pytest.mark.browser
def test_hostile_pages_stay_text(show):
    """Titles, texts, URLs, the spider's name: nothing runs or loads, even without the policy; all is shown as it is."""
    source = hostile_source()
    assert "\u202e" not in source
    opened = show(source.replace("Content-Security-Policy", "x-no-policy"), viewport={"width": 390, "height": 800})
    opened.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for label in opened.page.locator(".switch label").all():
        label.click()
    opened.wait_for_events()
    assert opened.page.evaluate("window.pwned") is None
    assert "<script>" in opened.page.title()
    assert "{{ 7*7 }}" in opened.page.inner_text("body")
    assert opened.page.locator("script, iframe, img, link, object, base").count() == 0
    attributes = opened.page.evaluate(
        "[...document.querySelectorAll('*')].flatMap((e) => [...e.attributes].map((a) => [a.name, a.value]))"
    )
    assert not [name for name, _ in attributes if name.startswith("on")]
    targets = [value for name, value in attributes if name in {"href", "src", "xlink:href", "action"}]
    assert all(target.startswith(("#", "https://", "http://")) for target in targets)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
@pytest.mark.parametrize("protected", [True, False])
def test_without_escaping(show, protected):
    """The policy alone holds the same pages back; without it they run: the test can fail."""
    source = hostile_source() if protected else hostile_source().replace("Content-Security-Policy", "x-no-policy")
    head, body = source.split("</head>", 1)
    opened = show(f"{head}</head>{html.unescape(body).replace('http-equiv=refresh', 'x')}")
    opened.wait_until(lambda: opened.offences and (protected or opened.page.evaluate("window.pwned")))
    opened.wait_for_events()
    assert (opened.page.evaluate("window.pwned") is None) is protected
    opened.offences.clear()


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        (" a \n b ", None, "a b"),
        ("a\u202eb", None, "ab"),
        ("a\x00b", None, "a\ufffdb"),
        ("\ud800", None, "\ufffd"),
        ("\u0646\u200c\u0645", None, "\u0646\u200c\u0645"),
        ("abcdef", 4, "abc…"),
        ("abcd", 4, "abcd"),
    ],
)
def test_one_line(text, limit, line):
    """Without characters that hide or turn what is around them, shortened with a sign."""
    assert one_line(text, limit) == line


def test_urls():
    """Complete http and https URLs are links; letters are shown as letters."""
    assert is_web("https://site.test/")
    assert not is_web("javascript:alert(1)")
    assert not is_web("https://site.test/cut…")
    assert readable("https://site.test/%C3%A9/%FF") == "https://site.test/%C3%A9/%FF"
    assert readable("https://site.test/%C3%A9") == "https://site.test/é"
