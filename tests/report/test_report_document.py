"""The report in a browser: what is seen, that its switches work, and that nothing that pages say runs or escapes."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from told import Clock, Told

from templex_scrapy.crawl.candidate_loader import SearchResult
from templex_scrapy.report.document import document, duration, is_web
from templex_scrapy.report.excerpt import plain, shortened
from templex_scrapy.report.recorder import Recorder
from templex_scrapy.report.snapshot import Crawl, snapshot

PWN = "document.title='pwned';window.pwned=1;new Image().src='http://127.0.0.1:9/x';alert(1)"
HOSTILE = (
    f'</p></title></style></script></iframe></textarea>--><script>{PWN}</script><img src=x onerror="{PWN}">'
    f'<a href="javascript:{PWN}">go</a><svg onload="{PWN}"></svg><base target=_blank href=\'http://127.0.0.1:9/\'>'
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><link rel=stylesheet href='http://127.0.0.1:9/c'>"
    "<style>*{position:fixed;inset:0;background:red!important}@import 'http://127.0.0.1:9/i'</style>"
    "<iframe src='http://127.0.0.1:9/f'></iframe>{{ 7*7 }}{% raw %}' \" ` \u202e reversed \ud800 \x00"
)


def crawl_of(spider: str = "test", reason: str | None = "finished") -> Crawl:
    return Crawl(spider=spider, began=datetime(2026, 1, 2, 3, 4, tzinfo=UTC), dry_run=False, stats={}, reason=reason)


def recorded(told: Told, clock: Clock) -> Recorder:
    """A crawl of some pages, with a failed search and a page that fits nothing."""
    recorder = Recorder(clock)
    recorder.search_ends(told.search, told.result, told.template)
    for number in range(4):
        clock.now += 1
        cleaned = told.cleaned(f"/{number}", body="<p>left words</p>")
        recorder.page_cleaned(cleaned)
        recorder.item_cleaned(cleaned)
    failed = Told(others=False)
    recorder.search_ends(failed.search, failed.result, None)
    recorder.page_unfit(f"{told.host}/unfit")
    return recorder


@pytest.fixture
def show(open_report, tmp_path: Path) -> Callable[..., object]:
    """Writes a report and opens it."""

    def show_it(source: str, **options: object) -> object:
        file = tmp_path / "report.html"
        file.write_text(source, encoding="utf-8")
        return open_report(file, **options)

    return show_it


@pytest.fixture
def source() -> str:
    clock = Clock()
    return document(snapshot(recorded(Told(), clock), crawl_of()))


def test_a_template_from_the_store_is_told_without_an_empty_column(show):
    """Where there is no drawing there is no room for one; templates that served nothing are told as such."""
    told, clock = Told(), Clock()
    recorder = Recorder(clock)
    recorder.page_cleaned(told.cleaned("/1", body="<p>left words</p>"))
    crawl = replace(crawl_of(), stats={"templex/store/loaded": 4})
    opened = show(document(snapshot(recorder, crawl)))
    assert "4 from the store, 3 of them served no page" in opened.text(".figures")
    assert "searches" not in opened.text(".figures")
    card = opened.page.locator(".template")
    assert card.locator(".graph").count() == opened.page.locator(".legend").count() == 0
    left = card.locator("h4").bounding_box()["x"] - card.bounding_box()["x"]
    assert left < 25


def test_all_parts_are_seen(show, source):
    """Totals, charts, drawings, samples, failures and what fits nothing."""
    opened = show(source)
    text = opened.text()
    for words in ("Crawl report: test", "finished", "Templates", "4 pages served", "Headline of", "too", "/unfit"):
        assert words in text
    assert opened.page.locator(".chart svg").count() == 2
    assert opened.page.locator(".graph svg").count() == opened.page.locator(".legend").count() == 1
    assert opened.page.locator(".graph g").count() == 4
    assert opened.page.locator(".graph line").count() == 6
    assert opened.page.locator("script, iframe, img, link, object").count() == 0


def test_the_switches_of_a_sample(show, source):
    """Marked shows what goes struck out, before as it was, after not at all; by mouse and by keyboard."""
    opened = show(source)
    sample = opened.page.locator("details.sample").first
    gone, kept = sample.locator(".gone").first, sample.locator(".page p:not(.gone)").first
    look = "(element) => getComputedStyle(element).textDecorationLine"
    for mode, is_seen, decoration in (
        ("after", False, None),
        ("before", True, "none"),
        ("marked", True, "line-through"),
    ):
        sample.locator(f"label.{mode}").click()
        assert gone.is_visible() is is_seen
        assert kept.is_visible()
        if decoration:
            assert gone.locator("span").first.evaluate(look) == decoration
    sample.locator("input.marked").focus()
    opened.page.keyboard.press("ArrowRight")
    opened.page.keyboard.press("ArrowRight")
    assert not gone.is_visible()


def test_samples_have_switches_of_their_own(show, source):
    """Switching one sample leaves the others."""
    opened = show(source)
    samples = opened.page.locator("details.sample")
    assert samples.count() == 2
    samples.nth(1).locator("summary").click()
    samples.nth(0).locator("label.after").click()
    assert not samples.nth(0).locator(".gone").first.is_visible()
    assert samples.nth(1).locator(".gone").first.is_visible()


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_is_wider_than_the_screen(show, source, width):
    """On a phone too, only tables scroll sideways."""
    opened = show(source, width=width)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_texts_are_no_wider_than_a_phone(show):
    """Neither do long texts without blanks make it wider."""
    opened = show(hostile_source(), width=390)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390


def luminance(colour: str) -> float:
    """Relative luminance of a colour ``rgb(...)`` (WCAG 2)."""
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_can_be_read(show, source, scheme):
    """Every text stands out from its ground with a contrast of 4.5 or more."""
    opened = show(source, color_scheme=scheme)
    opened.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    found = opened.page.evaluate("""() => {
        const ground = (at) => {
            for (; at; at = at.parentElement) {
                const colour = getComputedStyle(at).backgroundColor;
                if (!colour.endsWith(", 0)")) return colour;
            }
        };
        return [...document.querySelectorAll("p, li, td, th, span, h1, h2, h3, h4, a, label, summary, footer, bdi, b")]
            .filter((element) => element.textContent.trim())
            .map((element) => [getComputedStyle(element).color, ground(element), element.textContent]);
    }""")
    assert len(found) > 60
    for ink, ground, text in found:
        darker, lighter = sorted(map(luminance, (ink, ground)))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (ink, ground, text)
    assert (luminance(found[0][1]) < 0.1) is (scheme == "dark")


def hostile_source() -> str:
    """The report of a crawl in which everything that pages decide is hostile."""
    escaped = html.escape(HOSTILE).replace("\0", "")
    told = Told(title=escaped, body=f"<h2>{escaped}</h2>")
    recorder = Recorder(Clock())
    cleaned = told.cleaned("/x", title=escaped, body=f"<p>{escaped}</p>{HOSTILE}")
    for url in (f"https://site.test/'\"><img src=x onerror={PWN}>\ud800", f"javascript:{PWN}"):
        recorder.page_cleaned(replace(cleaned, url=url, template=url))
        recorder.page_unfit(url)
        told.key.url = url
        recorder.search_ends(told.search, told.result, told.template)
        recorder.search_ends(told.search, SearchResult(pages=()), None)
    return document(snapshot(recorder, crawl_of(spider=HOSTILE, reason=HOSTILE)))


def test_hostile_pages_stay_text(show):
    """Titles, texts, addresses, the spider's name: nothing runs, nothing is requested, all is shown as it stands."""
    source = hostile_source()
    opened = show(source)
    opened.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for label in opened.page.locator(".switch label").all():
        label.click()
    opened.page.wait_for_timeout(200)
    assert opened.page.evaluate("window.pwned") is None
    assert "<script>" in opened.page.title()
    assert "{{ 7*7 }}" in opened.text()
    assert opened.page.locator("script, iframe, img, link, object, base").count() == 0
    attributes = opened.page.evaluate(
        "[...document.querySelectorAll('*')].flatMap((e) => [...e.attributes].map((a) => [a.name, a.value]))"
    )
    assert not [name for name, _ in attributes if name.startswith("on")]
    targets = [value for name, value in attributes if name in {"href", "src", "xlink:href", "action"}]
    assert all(target.startswith(("#", "https://", "http://")) for target in targets)
    assert opened.page.evaluate("getComputedStyle(document.querySelector('h1')).position") == "static"
    assert "\u202e" not in source


@pytest.mark.parametrize("layer", ["escaping", "policy"])
def test_each_layer_alone_holds(show, layer):
    """Without the policy the escaping does it, and without the escaping the policy."""
    source = hostile_source()
    if layer == "escaping":
        source = source.replace("Content-Security-Policy", "x-no-policy")
    else:
        head, body = source.split("</head>", 1)
        source = f"{head}</head>{html.unescape(body).replace('http-equiv=refresh', 'x')}"
    opened = show(source)
    opened.page.wait_for_timeout(300)
    assert opened.page.evaluate("window.pwned") is None
    if layer == "policy":
        assert all("Content Security Policy" in offence for offence in opened.offences if "request" not in offence)
        opened.offences.clear()


def test_the_traps_work(show):
    """Without both layers the same pages do run: the other tests can fail."""
    source = hostile_source().replace("Content-Security-Policy", "x-no-policy")
    opened = show(html.unescape(source).replace("http-equiv=refresh", "x"))
    opened.page.wait_for_timeout(300)
    assert opened.offences
    opened.offences.clear()


def test_a_crawl_without_pages(show):
    """An empty crawl has a report that says so."""
    opened = show(document(snapshot(Recorder(), crawl_of(reason=None))))
    text = opened.text()
    assert "No page with items has come in." in text
    assert "still running" in text
    assert opened.page.locator("svg").count() == 0


def test_the_same_crawl_gives_the_same_report(source):
    """Nothing in the file depends on chance."""
    assert document(snapshot(recorded(Told(), Clock()), crawl_of())) == source


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0:00"), (7.4, "0:07"), (61, "1:01"), (3599, "59:59"), (3661, "1:01:01"), (90000, "1 day, 1:00:00")],
)
def test_durations(seconds, written):
    """As people read them."""
    assert duration(seconds) == written


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (" a \n b ", "a b"),
        ("a\u202eb", "ab"),
        ("a\x00b", "a\ufffdb"),
        ("\ud800", "\ufffd"),
        ("\u0646\u200c\u0645", "\u0646\u200c\u0645"),
    ],
)
def test_plain_text(text, left):
    """One line, nothing that turns or hides what stands around it."""
    assert plain(text) == left


def test_long_text_is_shortened():
    """With a sign that it is."""
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abcd", 4) == "abcd"


def test_what_may_be_a_link():
    """Addresses over http(s), in full."""
    assert is_web("https://site.test/")
    assert not is_web("javascript:alert(1)")
    assert not is_web("https://site.test/cut…")
