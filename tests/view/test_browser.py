"""The view in a browser: what the switches show, what the panel says, and that hostile pages do nothing."""

from __future__ import annotations

import pytest
from browsing import SWITCHES
from site_pages import page, show, site

from templex_scrapy import Page

pytestmark = pytest.mark.browser

PWN = "parent.document.title='pwned';parent.pwned=window.pwned=1;new Image().src='{sink}/script';alert(1)"
BODIES = {
    "script": "<script>{pwn}</script><script src='{sink}/s.js'></script><script type=module>{pwn}</script>",
    "handlers": '<img src=x onerror="{pwn}"><body onload="{pwn}"><svg onload="{pwn}"></svg><details open '
    'ontoggle="{pwn}">d</details><input autofocus onfocus="{pwn}"><p onpointerover="{pwn}" onclick="{pwn}">hover</p>',
    "links": '<a id=trap href="javascript:{pwn}">a</a><a href=" java\nscript:{pwn}">a</a><a id=trap2 href={sink}/link '
    "target=_top ping={sink}/ping>b</a><a href={sink}/d download>c</a><base target=_top href='{sink}/'><a href=r>r</a>",
    "forms": "<form action='{sink}/form' method=post target=_top><input name=a value=b><button id=trap>send</button>"
    "<input id=trap2 type=submit formaction='{sink}/other'><input type=image src='{sink}/image'></form>",
    "frames": "<iframe src='{sink}/frame'></iframe><iframe srcdoc='<script>{pwn}</script>'></iframe><object "
    "data='{sink}/object'></object><embed src='{sink}/embed'><frameset><frame src='{sink}/f'></frameset>",
    "end tags": "</iframe></srcdoc></body></html></template></textarea></style></title></noscript></script>-->"
    "\" '><script>{pwn}</script>&quot;&gt;&lt;script&gt;{pwn}&lt;/script&gt;<p class='\" onclick=\"{pwn}'>x</p>",
    "raw text": "<textarea><img title='</textarea><script>{pwn}</script>'></textarea><xmp><img title='</xmp><img src=x "
    "onerror={pwn}>'></xmp><noscript><p title='</noscript><script>{pwn}</script>'></noscript><svg></p><style><a id='"
    "</style><img src=1 onerror={pwn}>'></svg><math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img "
    "src=1 onerror={pwn}&gt;'></table></mtext></math>",
    "svg": '<svg><script>{pwn}</script><a xlink:href="javascript:{pwn}"><text>t</text></a><image href={sink}/i></image>'
    "<use href='{sink}/u#a'/><style>@import '{sink}/css';</style><foreignObject><iframe src='{sink}/f'></iframe>"
    "</foreignObject><rect width=9 height=9></rect></svg>",
    "sheets": "<style>@import '{sink}/a.css'; @im\\70ort url({sink}/b.css); body {{ background: url({sink}/bg) }}"
    "h1 {{ background: u\\72l('{sink}/h1'); cursor: url({sink}/c), auto; list-style: url({sink}/l) }}"
    "@font-face {{ font-family: f; src: url({sink}/font) }} h1 {{ font-family: f }} :root {{ --u: url({sink}/var) }}"
    "p {{ background: var(--u); border-image: image-set('{sink}/set' 1x); content: '</style><script>{pwn}</script>' }}"
    '</style><p style="background: url({sink}/inline); background-image: u\\rl({sink}/inline2)">x</p>',
    "media": "<img src='{sink}/i' srcset='{sink}/set 2x'><picture><source srcset='{sink}/source'></picture>"
    "<video src='{sink}/v' poster='{sink}/poster' autoplay controls><track src='{sink}/t'></video>"
    "<audio src='{sink}/a' autoplay></audio><table background='{sink}/table'><tr><td background='{sink}/td'>x</table>",
    "refresh": "<meta http-equiv=refresh content='0;url={sink}/refresh'><link rel=preconnect href='{sink}'>"
    "<link rel=stylesheet href='{sink}/l.css'><link rel=prefetch href='{sink}/p'>",
    "names": "<form id=contentDocument><input name=closest id=getAttribute><input id=parentElement></form>"
    "<img name=documentElement><a id=defaultView name=styleSheets>x</a><form name=addEventListener id=body></form>",
}
GROUPS = (
    ("script", "handlers", "links", "forms"),
    ("sheets", "media", "refresh", "names"),
    ("svg", "frames", "end tags", "raw text"),
)
HEAD = (
    "<base href='{sink}/' target=_top><meta http-equiv=refresh content='0;{sink}/'><script>{pwn}</script>"
    "<link rel=stylesheet href='{sink}/s'><link rel=icon href='{sink}/icon'><style>@import '{sink}/i';</style>"
)


def filled(markup: str, sink) -> str:
    return markup.replace("{pwn}", PWN).replace("{sink}", sink.url).replace("{{", "{").replace("}}", "}")


def hostile_site(sink, *cases: str):
    """The site with the bodies in the page's own part and in its template."""
    markup = filled("".join(BODIES[case] for case in cases), sink)
    key, voters = site(head=filled(HEAD, sink), body=markup)
    return key, [Page(one.text.replace("</main>", f"{markup}</main>"), one.url) for one in voters]


def provoke(opened) -> None:
    """Press every switch; hover, click and tab what there is."""
    for switch in SWITCHES:
        opened.press(switch)
    opened.press("marked")
    for selector in ("#trap", "#trap2", "main p", "main a", "form", "input", "h1"):
        for target in opened.frame.locator(selector).all()[:3]:
            if target.is_visible():
                target.hover(force=True)
                target.click(force=True)
                opened.page.keyboard.press("Enter")
    opened.wait_for_events()


def assert_nothing_happened(opened, sink) -> None:
    assert opened.offences == []
    assert sink.asked == []
    assert opened.page.evaluate("window.pwned") is None
    assert opened.page.title() != "pwned"
    assert opened.inspect() == []
    assert opened.page.locator("iframe").count() == len(opened.frames)


@pytest.mark.parametrize("cases", GROUPS, ids=" ".join)
def test_hostile_pages(open_view, sink, cases):
    """Nothing runs, navigates or is sent, even without sandbox and policies; the switches work."""
    written = show(*hostile_site(sink, *cases))
    assert written.count("Content-Security-Policy") == 2
    opened = open_view(written.replace('sandbox="allow-same-origin"', "").replace("Content-Security-Policy", "x"))
    provoke(opened)
    assert_nothing_happened(opened, sink)
    opened.press("content")
    assert opened.sees("h1")
    assert not opened.sees("#menu a")


def test_hostile_page_with_all_layers(open_view, sink):
    """Neither does the browser report anything."""
    opened = open_view(show(*hostile_site(sink, *BODIES)))
    provoke(opened)
    assert_nothing_happened(opened, sink)


@pytest.mark.parametrize("protected", [True, False])
def test_without_the_sanitiser(open_view, sink, monkeypatch, protected):
    """Sandbox and policies alone hold a page back; without them it does what it wants: the tests can fail."""
    monkeypatch.setattr("templex_scrapy.view.frame.sanitize", lambda markup, _: markup)
    monkeypatch.setattr("templex_scrapy.view.frame.DROPPED", ("none",))
    written = show(*site(body=filled("".join(BODIES[case] for case in ("script", "handlers", "media")), sink)))
    if not protected:
        written = written.replace('sandbox="allow-same-origin"', "").replace("Content-Security-Policy", "x")
    opened = open_view(written)
    if not protected:
        opened.wait_until(lambda: opened.page.evaluate("window.pwned") and sink.asked)
    opened.wait_for_events()
    assert (opened.page.evaluate("window.pwned") is None) is protected
    assert (sink.asked == []) is protected
    opened.offences.clear()
    sink.asked.clear()


HOSTILE_STYLES = """
body::before { content: ''; position: fixed; inset: 0; z-index: 2147483647; background: red }
html { display: none !important }
@layer templex { #menu, #menu * { visibility: visible !important } }
#menu, #menu * { transition: visibility 1000s !important; visibility: visible !important }
"""


def test_style_sheets_do_not_override_the_view(open_view):
    """They cannot cover the switches, nor show what the view hides."""
    marked = '<li style="visibility: visible !important" class="entry">'
    pages = [Page(one.text.replace('<li class="entry">', marked), one.url) for one in (page(0), page(1), page(2))]
    key = Page(pages[0].text.replace("</head>", f"<style>{HOSTILE_STYLES}</style></head>"), pages[0].url)
    opened = open_view(show(key, pages[1:]))
    for switch in SWITCHES:
        opened.press(switch)
    opened.press("content")
    assert not opened.sees("#menu a")
    opened.page.click("#styles")
    assert opened.frame.locator("h1").is_visible()


def look(opened, selector: str, name: str) -> str:
    script = "(element, name) => getComputedStyle(element)[name]"
    return str(opened.frame.locator(selector).first.evaluate(script, name))


def test_what_each_switch_shows(open_view):
    """Template and content are visible with the switches that show them."""
    opened = open_view(show(*site()))
    for switch, template, own in (("template", 1, 0), ("content", 0, 1), ("original", 1, 1), ("marked", 1, 1)):
        opened.press(switch)
        for selector in ("#top .claim", "#menu a", "#bottom p"):
            assert opened.sees(selector) is bool(template), (switch, selector)
        for selector in ("h1", ".story", ".author"):
            assert opened.sees(selector) is bool(own), (switch, selector)


def test_side_by_side(open_view):
    """Two frames, the template and the rest, that scroll together; another switch removes the second."""
    opened = open_view(show(*site(body='<p style="height: 5000px">long</p>')))
    opened.press("split")
    assert [opened.sees("#menu a", frame) for frame in (0, 1)] == [True, False]
    assert [opened.sees("h1", frame) for frame in (0, 1)] == [False, True]
    for leader, place in ((0, 1200), (1, 700)):
        opened.frames[leader].evaluate(f"scrollTo(0, {place})")
        opened.wait_until(lambda: [frame.evaluate("scrollY") for frame in opened.frames] == [place] * 2)  # noqa: B023
    opened.press("original")
    assert [element.is_visible() for element in opened.page.query_selector_all("iframe")] == [True, False]


def test_why(open_view):
    """Pointing at a node, tapping it or reaching it with the tab key gives the reason; a tap pins it until Escape."""
    opened = open_view(show(*site()), has_touch=True)
    opened.frame.locator("#menu a").first.hover()
    reason = opened.what_is_told()
    assert "removed" in reason
    assert "3 of 3 pages" in reason
    assert "https://site.test/section1/" in reason
    assert opened.page.locator("#votes li[data-vote='2']").count() == 3
    opened.frame.locator("h1").tap()
    assert "with another text" in opened.what_is_told()
    assert "main > h1" in opened.what_is_told()
    opened.frame.locator("#menu a").first.hover()
    assert "h1" in opened.page.inner_text("#path")
    opened.page.keyboard.press("Escape")
    opened.frame.locator(".claim").hover()
    assert "p.claim" in opened.page.inner_text("#path")
    opened.page.locator("#styles").focus()
    stops = []
    for _ in range(6):
        opened.page.keyboard.press("Tab")
        stops.append(opened.page.inner_text("#path"))
    assert any("header#top" in stop for stop in stops)
    assert any("footer#bottom" in stop for stop in stops)
    assert not any(stop.endswith("> a") for stop in stops)


def test_keys(open_view):
    """One key switches, wherever the focus is; fields of the page take no input. Ctrl is the browser's."""
    body = (
        '<form><input id="search" value="find"><textarea id="area">a</textarea><input id="tick" type="checkbox"></form>'
    )
    opened = open_view(show(*site(body=body)))
    pressed = opened.page.locator("[data-mode][aria-pressed=true]")
    opened.page.keyboard.press("Control+c")
    assert pressed.get_attribute("data-mode") == "marked"
    for target in ("h1", "#search", "#area", "#tick"):
        opened.frame.locator(target).click(force=True)
        for key, switch in zip("octsm", ("original", "content", "template", "split", "marked"), strict=True):
            opened.page.keyboard.press(key)
            assert pressed.get_attribute("data-mode") == switch
    assert opened.frame.locator("#search, #area").evaluate_all("(all) => all.map((one) => one.value)") == ["find", "a"]
    assert not opened.frame.locator("#tick").is_checked()


COVER = "position: fixed; top: 0; left: 0; width: 100%; height: 100%; background: #fff"
HIDING = {
    "cover": f'<div style="{COVER}; z-index: 99"><i>Loading</i></div>',
    "cover without pointer": f'<div style="{COVER}; pointer-events: none"></div>',
    "invisible": "<style>html { visibility: hidden }</style>",
    "parts invisible": "<style>body > * { opacity: 0 }</style>",
}
SHOWING = {
    "nothing": "",
    "behind": f'<div style="{COVER}; z-index: -1"></div>',
    "half through": f'<div style="{COVER}; background: rgb(0 0 0 / .5)"></div>',
    "not opaque": f'<div style="{COVER}; opacity: 0"></div>',
    "a part": f'<div style="{COVER}; height: 40%"></div>',
    "some of the text": "<style>header { visibility: hidden } .story { opacity: 0 }</style>",
    "the page itself": "<style>body { position: absolute; inset: 0; background: #fff }</style>",
}


@pytest.mark.parametrize("case", [*HIDING, *SHOWING])
def test_pages_that_wait_for_their_scripts(open_view, case):
    """The bar says that a page is hidden until its styles are switched off, and says so of no other page."""
    markup = {**HIDING, **SHOWING}[case]
    place = "head" if markup.startswith("<style") else "body"
    opened = open_view(show(*site(**{place: markup})))
    hint = opened.page.locator("#hides")
    assert hint.is_visible() is (case in HIDING)
    opened.page.keyboard.press("p")
    assert not hint.is_visible()


def test_styles_of_the_page_can_be_switched_off(open_view):
    """Style sheets and attributes that hide, in both frames, and on again."""
    head = "<style>h1 { color: rgb(1, 2, 3) }</style>"
    opened = open_view(show(*site(head=head, attributes='style="opacity: 0"')))
    opened.press("split")
    for opacity, colour in (("0", "rgb(1, 2, 3)"), ("1", "rgb(0, 0, 0)"), ("0", "rgb(1, 2, 3)")):
        for frame in opened.frames:
            styles = frame.evaluate(
                "['body', 'h1'].map((tag) => getComputedStyle(document.querySelector(tag)))"
                ".map((one) => [one.opacity, one.color])"
            )
            assert (styles[0][0], styles[1][1]) == (opacity, colour)
        opened.page.keyboard.press("p")


def test_style_sheets_and_pictures_are_loaded(open_view, tmp_path):
    """Those of a saved page from its folder, also those that a script of the page would load."""
    (tmp_path / "site.css").write_text("h1 { color: rgb(1, 2, 3) }")
    (tmp_path / "dot.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="7"/>')
    key, voters = site(
        head='<link rel="stylesheet" href="site.css">', body='<img src="dot.svg"><img data-src="dot.svg">'
    )
    opened = open_view(show(key, voters, base=(tmp_path / "page.html").as_uri()))
    assert look(opened, "h1", "color") == "rgb(1, 2, 3)"
    assert opened.frame.locator("img").evaluate_all("(all) => all.map((one) => one.naturalWidth)") == [9, 9]


def test_where_frames_receive_no_events(open_view):
    """WebKit calls no listener in a frame without scripts: there, tooltips give the reasons."""
    opened = open_view(show(*site()), init_script="Document.prototype.dispatchEvent = () => true")
    title = opened.frame.locator("#menu a").first.get_attribute("title")
    assert title == "removed: At this position on 3 of 3 pages, with a link to the same page. Removed."
