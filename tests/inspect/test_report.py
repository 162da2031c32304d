"""The report as a file: what it shows, and that nothing of a page becomes markup."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from helpers.browsing import HOSTILE, PWN
from helpers.recorded import Clean, Search, record_crawl, record_page, report_of

from templex_scrapy.figures import one_line
from templex_scrapy.inspect.markup import link
from templex_scrapy.inspect.recorder import Recorder


@pytest.fixture
def recorder() -> Recorder:
    made = Recorder()
    record_crawl(made)
    return made


def test_figures(recorder):
    """Totals come from stats and recorder; outcomes of items have the words of the stats."""
    counts = {
        "items": 12,
        "items/cleaned": 9,
        "items/no_template": 3,
        "searches": 2,
        "searches/learnt": 1,
        "words/before": 1000,
        "words/after": 600,
    }
    stats = {f"templex/{name}": count for name, count in counts.items()}
    written = report_of(recorder, stats={**stats, "templex/errors": 2})
    found = re.findall(r"<li><span>([^<]*)</span><b>([^<]*)</b><span>([^<]*)</span>", written)
    figures = {label: (value, note) for label, value, note in found}
    assert figures["Items"] == ("12", "9 cleaned")
    assert figures["Templates"] == ("1", "2 searches")
    assert figures["Words removed"] == ("40%", "400 of 1,000")
    assert figures["Errors"][0] == "2"
    assert 'from whose page something was removed</td><td class="n">9</td><td class="n">75%' in written
    assert "Errors" not in report_of(recorder)


def test_what_is_listed(recorder):
    """Templates with their removed texts and a selector for each, failed searches and pages without a template."""
    written = report_of(recorder)
    assert "<b>4 pages</b> cleaned; coverage 100% on average" in written
    assert "3 pages voted on it" in written
    assert "<bdi>Section /news/</bdi>" in written
    assert "<code>ul.menu a</code>" in written
    assert 'no two of the linked pages link to each other and differ</td><td class="n">1<' in written
    assert "https://site.test/unfit" in written
    assert "the page has too little of the templates of the site" in written


def test_changes_since_an_earlier_crawl_stand_out(recorder):
    """A new design with the template that serves it, and a label that is gone."""
    old, new = (SimpleNamespace(key_url=f"https://site.test/{number}") for number in (1, 2))
    recorder.template_changed(old=old, new=new, pages=("https://site.test/3",), label="")
    recorder.template_changed(old=old, new=None, pages=("https://site.test/4",), label="<b>Price</b>")
    written = html.unescape(report_of(recorder))
    like = "pages like https://site.test/1, such as https://site.test/"
    assert f"</span> A new design: {like}3; their template is now that of https://site.test/2.</p>" in written
    assert f"</span> The label '<b>Price</b>' is gone from {like}4.</p>" in written


def test_texts_that_are_kept_elsewhere_stand_out(recorder):
    """Their list is open, and they are marked."""
    search = Search()
    record_page(recorder, replace(search.clean("/9"), removed=()))
    record_page(recorder, replace(search.clean("/8", body="<p>Section 7</p>"), removed=search.clean("/8").removed[:1]))
    written = report_of(recorder)
    assert '<details open="">' in written
    assert '<bdi class="doubtful">Repeated footer with imprint and terms</bdi>' in written


def test_how_the_crawl_ended():
    """It runs, is finished, or ended early; a dry run says so."""
    recorder = Recorder()
    assert "running for 0:01:00 " in report_of(recorder, reason=None)
    assert "took 0:01:00 <span" in report_of(recorder)
    assert "ended early: shutdown" in report_of(recorder, reason="shutdown")
    assert "dry run: no item was changed" in report_of(recorder, dry_run=True)


def hostile_report() -> str:
    """The report of a crawl in which everything that pages decide is hostile."""
    escaped = html.escape(HOSTILE).replace("\0", "")
    search, recorder = Search(title=escaped, body=f"<h2>{escaped}</h2>"), Recorder()
    clean = search.clean("/x", title=escaped, body=f"<p>{escaped}</p>{HOSTILE}")
    for url in ("https://site.test/'\"><img src=x onerror=window.pwned=1>\ud800", f"javascript:{PWN}"):
        record_page(recorder, replace(clean, url=url, template_url=url))
        recorder.page_cleaned(Clean(url=url))
        search.key.url, search.template = url, replace(search.template, urls=(url, *search.template.page_urls))
        recorder.search_ends(search.search, None, cut_short=False)
        recorder.template_learnt(search.template)
    return report_of(recorder, spider=HOSTILE, reason=HOSTILE)


@pytest.mark.browser
def test_hostile_pages_stay_text(show):
    """Titles, texts, URLs, the spider's name: nothing runs or loads, even without the policy."""
    source = hostile_report()
    assert "\u202e" not in source
    opened = show(source.replace("Content-Security-Policy", "x"), viewport={"width": 390, "height": 800})
    opened.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    opened.wait_for_events()
    assert "<img src=x" in opened.page.title()
    assert "<img src=x onerror" in opened.page.inner_text("body")
    assert [one for one in opened.inspect() if not re.fullmatch(r"style=width:[\d.]+%|id=\w+|name=[\w-]+", one)] == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        (" a \n b ", None, "a b"),
        ("a\u202eb", None, "ab"),
        ("a\x00b", None, "a\ufffdb"),
        ("\u0646\u200c\u0645", None, "\u0646\u200c\u0645"),
        ("abcdef", 4, "abc…"),
    ],
)
def test_one_line(text, limit, line):
    """Without characters that hide or turn what is around them, shortened with a sign."""
    assert one_line(text, limit) == line


def test_links():
    """Complete http and https URLs are links; letters are shown as letters."""
    assert '<a href="https://site.test/%C3%A9"' in link("https://site.test/%C3%A9")
    assert "<bdi>https://site.test/é</bdi>" in link("https://site.test/%C3%A9")
    assert "<bdi>https://site.test/%C3%A9/%FF</bdi>" in link("https://site.test/%C3%A9/%FF")
    assert "href" not in link("javascript:alert(1)") + link("https://site.test/cut…")
