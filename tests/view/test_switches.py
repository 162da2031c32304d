"""The switches of the view in a browser: what is visible, and what is told."""

from __future__ import annotations

import pytest
from browsing import SWITCHES
from site_pages import learn, page, show, site

from templex_scrapy.view import view

OUTLINES = {"menu": "rgb(108, 77, 255)", "content": "rgb(0, 138, 94)"}


@pytest.fixture
def opened(open_view):
    return open_view(show(*site()))


def look(opened, selector: str, name: str) -> str:
    script = "(element, name) => getComputedStyle(element)[name]"
    return str(opened.frame.locator(selector).first.evaluate(script, name))


@pytest.mark.parametrize(
    ("switch", "template", "own"),
    [("marked", True, True), ("original", True, True), ("template", True, False), ("content", False, True)],
)
def test_what_each_switch_shows(opened, switch, template, own):
    """Template and content are visible by the switches that show them, and by these alone."""
    opened.press(switch)
    for selector in ("#top .claim", "#menu a", "#bottom p"):
        assert opened.sees(selector) is template
    for selector in ("h1", ".story", ".author"):
        assert opened.sees(selector) is own


@pytest.mark.parametrize("hidden", ["display: none", "visibility: hidden", "position: absolute; left: -9999px"])
def test_a_menu_that_is_not_visible_is_told(open_view, hidden):
    """Nothing is outlined where the page hides its menu: the legend says so, until the page's styles are off."""
    opened = open_view(show(*site(head=f"<style>#menu {{ {hidden} }}</style>")))
    told = opened.page.locator("#menu")
    assert told.is_visible()
    opened.page.keyboard.press("p")
    assert not told.is_visible()
    opened.page.keyboard.press("p")
    opened.press("original")
    assert not told.is_visible()


def test_nothing_is_told_of_a_menu_that_is_visible(opened):
    """The legend is silent about a menu that can be seen."""
    assert not opened.page.locator("#menu").is_visible()


def test_the_frame_round_the_main_content_leaves_out_what_goes(open_view):
    """A detector may take header and teasers together for the main content: the frame is round what stays of it."""
    key, voters = site()
    everything = range(len(key))
    opened = open_view(show(key, voters, content=everything))
    framed = opened.frame.locator('[data-templex-part="content"]')
    assert framed.evaluate_all("elements => elements.map((one) => one.localName)") == ["main"]


def test_main_content_of_which_nothing_goes_is_framed_as_a_whole(open_view):
    """The detector's word stands where the template takes little of the main content."""
    key, voters = site()
    story = next(node.position for node in key.nodes if node.tag == "main")
    opened = open_view(show(key, voters, content=range(story, story + key.arrays.sizes[story])))
    assert opened.frame.locator('[data-templex-part="content"]').evaluate_all(
        "elements => elements.map((one) => one.localName)"
    ) == ["main"]


def test_bare_text_goes_its_own_way(opened):
    """The words before the author's name are template; the name in the same paragraph is not."""
    opened.press("content")
    assert not opened.sees(".byline templex-text")
    assert opened.sees(".byline .author")
    opened.press("template")
    assert opened.sees(".byline templex-text")
    assert not opened.sees(".byline .author")


def test_side_by_side(opened):
    """Two frames: the template alone, and the page without it; one goes when another switch is pressed."""
    opened.press("split")
    assert len(opened.frames) == 2
    assert opened.sees("#menu a", 0)
    assert not opened.sees("h1", 0)
    assert not opened.sees("#menu a", 1)
    assert opened.sees("h1", 1)
    boxes = [element.bounding_box() for element in opened.page.query_selector_all("iframe")]
    assert boxes[0]["width"] == pytest.approx(boxes[1]["width"], abs=2)
    opened.press("original")
    assert [element.is_visible() for element in opened.page.query_selector_all("iframe")] == [True, False]


def test_side_by_side_scrolls_together(open_view):
    """Scrolling one frame scrolls the other to the same place."""
    key, voters = site(body='<p style="height: 5000px">long</p>')
    opened = open_view(show(key, voters))
    opened.press("split")
    for leader, place in ((0, 1200), (1, 700)):
        opened.frames[leader].evaluate(f"scrollTo(0, {place})")
        opened.settle()
        assert [frame.evaluate("scrollY") for frame in opened.frames] == [place, place]


@pytest.mark.parametrize("where", ["outside", "inside"])
def test_keys(opened, where):
    """One key switches, wherever the focus is."""
    if where == "inside":
        opened.frame.locator("h1").click()
    for key, switch in zip("otcsm23451", (*SWITCHES[1:], "marked") * 2, strict=True):
        opened.page.keyboard.press(key)
        pressed = opened.page.locator("[data-mode][aria-pressed=true]")
        assert pressed.get_attribute("data-mode") == switch


def test_keys_of_the_browser_stay_its_own(opened):
    """A key with Ctrl or Alt is none of the view's."""
    opened.page.keyboard.press("Control+c")
    opened.page.keyboard.press("Alt+t")
    assert opened.page.locator("[data-mode=marked]").get_attribute("aria-pressed") == "true"


def test_template_is_tinted_and_content_clear(opened):
    """Marked, template has a tint that original has not; content has none."""
    assert "inset" in look(opened, "#top", "boxShadow")
    assert look(opened, "h1", "boxShadow") == "none"
    opened.press("original")
    assert look(opened, "#top", "boxShadow") == "none"


def test_tint_on_grounds_of_its_own(open_view):
    """An element with a ground of its own is tinted too, a dark one more than a light one."""
    key, voters = site(head="<style>.claim { background: #012; color: #fff } .entry { background: #fed }</style>")
    opened = open_view(show(key, voters))
    strong, weak = (look(opened, selector, "boxShadow") for selector in (".claim", ".entry"))
    assert "inset" in strong
    assert "inset" in weak
    assert strong != weak


def test_menu_and_content_are_outlined(opened):
    """The roots of main menu and main content have outlines, but not in the original."""
    for part, colour in OUTLINES.items():
        selector = f"[data-templex-part={part}]"
        assert look(opened, selector, "outlineColor") == colour
        assert look(opened, selector, "outlineStyle") == "solid"
    opened.press("original")
    assert look(opened, "[data-templex-part=menu]", "outlineStyle") == "none"


@pytest.mark.parametrize("by", ["hover", "focus", "tap"])
def test_why(open_view, by):
    """Pointing at a node, tapping it or reaching it by the tab key says why it goes."""
    opened = open_view(show(*site()), has_touch=by == "tap")
    if by == "focus":
        opened.frame.locator("#top").focus()
    else:
        getattr(opened.frame.locator("#menu a").first, by)()
    told = opened.what_is_told()
    assert "taken out" in told
    assert "3 of 3 pages" in told
    assert "https://site.test/section1/" in told
    assert opened.page.locator("#votes li[data-vote='2']").count() == 3


def test_why_not(opened):
    """A headline is at the same place on all pages and says something else there."""
    opened.frame.locator("h1").hover()
    told = opened.what_is_told()
    assert "stays" in told
    assert "where it says something else" in told
    assert "main > h1" in told
    assert opened.page.locator("#votes li[data-vote='1']").count() == 3


def test_the_tab_key_goes_from_part_to_part(opened):
    """Parts of the template can be reached without a mouse, and links are no stops."""
    opened.page.locator("#styles").focus()
    stops = []
    for _ in range(6):
        opened.page.keyboard.press("Tab")
        stops.append(opened.page.inner_text("#path"))
    assert any("header#top" in stop for stop in stops)
    assert any("footer#bottom" in stop for stop in stops)
    assert not any(stop.endswith("> a") for stop in stops)


def test_a_tap_pins_what_is_told(opened):
    """After a click the panel stays while the mouse goes elsewhere, until Escape."""
    opened.frame.locator("h1").click()
    opened.frame.locator("#menu a").first.hover()
    assert "h1" in opened.page.inner_text("#path")
    opened.page.keyboard.press("Escape")
    opened.frame.locator(".claim").hover()
    assert "p.claim" in opened.page.inner_text("#path")


def test_page_without_its_styles(open_view):
    """The page's own style sheets can be switched off, and on again; those of the view stay."""
    key, voters = site(head="<style>h1 { color: rgb(1, 2, 3) } .story { visibility: hidden }</style>")
    opened = open_view(show(key, voters))
    assert look(opened, "h1", "color") == "rgb(1, 2, 3)"
    opened.page.click("#styles")
    assert look(opened, "h1", "color") == "rgb(0, 0, 0)"
    assert opened.sees(".story")
    assert "inset" in look(opened, "#top", "boxShadow")
    opened.page.keyboard.press("p")
    assert look(opened, "h1", "color") == "rgb(1, 2, 3)"


@pytest.mark.parametrize(
    "attributes",
    ['style="opacity: 0"', "hidden", 'style="display: none"'],
)
def test_inline_styles_go_with_the_page_s_styles(open_view, attributes):
    """What hides the page by an attribute is undone with its style sheets, in both frames, and comes back."""
    opened = open_view(show(*site(attributes=attributes, body='<p id="red" style="color: rgb(1, 2, 3)">r</p>')))
    look_of_page = [look(opened, "body", name) for name in ("opacity", "display")]
    assert look_of_page in (["0", "block"], ["1", "none"])
    assert opened.page.locator("#hides").is_visible()
    opened.page.keyboard.press("p")
    assert [look(opened, "body", name) for name in ("opacity", "display")] == ["1", "block"]
    assert look(opened, "#red", "color") == "rgb(0, 0, 0)"
    assert not opened.page.locator("#hides").is_visible()
    opened.press("split")
    for frame in opened.frames:
        assert frame.locator("#red").evaluate("(one) => getComputedStyle(one).color") == "rgb(0, 0, 0)"
    opened.page.click("#styles")
    for frame in opened.frames:
        assert frame.locator("#red").get_attribute("style") == "color: rgb(1, 2, 3)"
    assert [look(opened, "body", name) for name in ("opacity", "display")] == look_of_page
    assert opened.page.locator("#hides").is_visible()


COVER = "position: fixed; top: 0; left: 0; width: 100%; height: 100%"


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("", f'<div style="{COVER}; background: #fff; z-index: 99"><i>Loading</i></div>'),
        ("", f'<div style="{COVER}; background: #fff; pointer-events: none"></div>'),
        ("<style>#load { position: absolute; inset: 0; background: #fff }</style>", '<div id="load"></div>'),
        ("<style>html { visibility: hidden }</style>", ""),
        ("<style>body > * { opacity: 0 }</style>", ""),
    ],
    ids=["cover", "cover that is not pointed at", "absolute cover", "invisible", "parts invisible"],
)
@pytest.mark.parametrize("switch", ["marked", "template", "content"])
def test_a_page_that_hides_itself_is_told(open_view, head, body, switch):
    """The bar says that the page waits for scripts, until its styles are off, whatever is shown of it."""
    opened = open_view(show(*site(head=head, body=body)))
    hint = opened.page.locator("#hides")
    opened.press(switch)
    assert "press P" in hint.inner_text()
    opened.page.keyboard.press("p")
    assert not hint.is_visible()
    opened.page.keyboard.press("p")
    assert hint.is_visible()
    assert opened.frame.locator("html").get_attribute("data-templex-mode") == switch


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("", ""),
        ("", f'<div style="{COVER}; background: #abc; z-index: -1"></div>'),
        ("", f'<div style="{COVER}; background: rgb(0 0 0 / .5)"></div>'),
        ("", f'<div style="{COVER}; background: #fff; opacity: 0"></div>'),
        ("", f'<div style="{COVER}; background: #fff; visibility: hidden"></div>'),
        ("", f'<div style="{COVER}; background: #fff; height: 40%"></div>'),
        ("<style>main { position: absolute; inset: 0; background: #fff }</style>", "<p>More to read.</p>" * 30),
        ("<style>header { visibility: hidden } .story { opacity: 0 }</style>", ""),
        ("<style>body { position: absolute; inset: 0; background: #fff }</style>", ""),
    ],
    ids=[
        "nothing",
        "behind",
        "half through",
        "not opaque",
        "not visible",
        "a part of the page",
        "the main content",
        "only some of the text",
        "the page itself",
    ],
)
def test_a_page_that_can_be_seen_is_not_said_to_hide(open_view, head, body):
    """No hint where what covers the page lets it through, or is the page."""
    opened = open_view(show(*site(head=head, body=body)))
    assert not opened.page.locator("#hides").is_visible()


def test_the_hint_goes_when_the_page_fades_in(open_view):
    """A page whose styles alone show it after a while is looked at again."""
    head = "<style>@keyframes in { from { opacity: 0 } } body { animation: in 2s steps(1, end) both }</style>"
    opened = open_view(show(*site(head=head)))
    assert opened.page.locator("#hides").is_visible()
    opened.page.locator("#hides").wait_for(state="hidden", timeout=5_000)


def test_stylesheets_at_hand_are_used(open_view):
    """A linked style sheet that is given shows; one that is not is not asked for."""
    links = '<link rel="stylesheet" href="/s.css"><link rel="stylesheet" href="https://elsewhere.test/t.css">'
    key, voters = site(head=links)
    opened = open_view(show(key, voters, files={"https://site.test/s.css": "h1 { color: rgb(9, 8, 7) }"}))
    assert look(opened, "h1", "color") == "rgb(9, 8, 7)"


def test_pictures_keep_their_place(open_view):
    """A picture that is not at hand is a grey box of its size with its alternative text; one in a data URL shows."""
    dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    body = f'<img id="far" src="/p.png" width="320" height="90" alt="A &lt;b&gt; heron"><img id="near" src="{dot}">'
    opened = open_view(show(*site(body=body)))
    box = opened.frame.locator("#far").bounding_box()
    assert (box["width"], box["height"]) == (320, 90)
    assert "heron" in opened.frame.locator("#far").get_attribute("src")
    assert opened.frame.locator("#near").get_attribute("src") == dot
    assert opened.frame.locator("#near").evaluate("(image) => image.naturalWidth") == 1


def test_pictures_at_hand_are_shown(open_view):
    """A picture that is given shows, and nothing else may stand in for one."""
    dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    body = '<img id="given" src="/p.png"><img id="lazy" data-src="l.png"><img id="odd" src="/odd.png">'
    files = {
        "https://site.test/p.png": dot,
        "https://site.test/section0/l.png": dot,
        "https://site.test/odd.png": "https://elsewhere.test/odd.png",
    }
    opened = open_view(show(*site(body=body), files=files))
    widths = [
        opened.frame.locator(selector).evaluate("(image) => image.naturalWidth")
        for selector in ("#given", "#lazy", "#odd")
    ]
    assert widths == [1, 1, 48]


EMBED = '<embed src="/x.swf">'


def test_what_follows_an_element_that_is_empty_to_browsers(open_view):
    """libxml2 nests it in the element; the view shows it where browsers have it, and the switches work on it."""
    body = (
        '<picture><source srcset="a.webp"><source srcset="b.webp"><img id="pic" src="/p.png" alt="heron"></picture>'
        f'<div>{EMBED}<p class="again">Said on all pages alike</p><p id="own">Said on this page alone</p></div>'
        '<object data="x.swf"><param name="a"><b id="instead">Instead of a film</b></object>'
    )
    key, voters = site(body=body)
    others = [
        type(key)(one.text.replace("</main>", f"{body}</main>").replace("this page alone", one.url), one.url)
        for one in voters
    ]
    opened = open_view(show(key, others))
    for switch in ("marked", "original"):
        opened.press(switch)
        for selector in ("#pic", ".again", "#own", "#instead"):
            assert opened.sees(selector), (switch, selector)
            assert opened.frame.locator(selector).is_visible()
    opened.press("content")
    assert opened.sees("#own")
    opened.press("template")
    assert [opened.sees(selector) for selector in (".again", "#own")] == [True, False]


def test_words_behind_what_is_empty_to_browsers(open_view):
    """Words that stand bare behind such an element go with it, though no element is left to go."""
    mark = f'<span id="credit">{EMBED}Made by a workshop that signs all pages</span>'
    key, voters = site()
    pages = [
        type(key)(one.text.replace('<p class="byline">', f'<p class="byline">{mark}'), one.url)
        for one in (key, *voters)
    ]
    opened = open_view(show(pages[0], pages[1:]))
    assert opened.frame.locator("#credit").inner_text() == "Made by a workshop that signs all pages"
    opened.press("content")
    assert not opened.sees("#credit")
    assert opened.sees(".author")


def test_a_page_that_is_not_the_key_page(open_view):
    """The view works for any page of the site, and its template's key page is named among the others."""
    key, voters = site()
    template, _ = learn(key, voters)
    other = page(7)
    opened = open_view(view(template.match(other), template=template, pages=[key, *voters]))
    opened.frame.locator("#menu a").first.hover()
    assert "4 of 4 pages" in opened.what_is_told()
    assert "https://site.test/section0/" in opened.what_is_told()
    opened.press("content")
    assert not opened.sees("#menu a")


def test_a_page_that_fits_no_template(open_view):
    """Where the template does not fit, nothing is tinted and the view says so."""
    template, _ = learn(*site())
    stranger = type(page(0))("<html><body><p>nothing alike</p></body></html>", "https://site.test/x")
    opened = open_view(view(template.match(stranger), template=template))
    assert "does not fit" in opened.page.inner_text(".node_values")
    opened.press("content")
    assert opened.sees("p")


BAR = """() => {
    const parts = ["h1", ".address", ".node_values li", "header button", "#hides"]
        .flatMap((selector) => [...document.querySelectorAll(selector)])
        .filter((part) => part.getClientRects().length);
    const places = parts.map((part) => {
        const range = document.createRange();
        range.selectNodeContents(part);
        const box = part.getBoundingClientRect();
        return { name: part.textContent, box, text: range.getBoundingClientRect(), shortened:
            getComputedStyle(part).textOverflow === "ellipsis" };
    });
    const bar = document.querySelector("header").getBoundingClientRect();
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const of = ({ box, text, shortened }) => shortened ? box : text;
    return {
        overlaps: places.flatMap((one, at) => places.slice(at + 1).filter((other) => meet(of(one), of(other)))
            .map((other) => [one.name, other.name])),
        cut: places.filter(({ box, text, shortened }) => !shortened && (text.right > box.right + 1
            || text.left < box.left - 1 || text.right > innerWidth || text.left < 0 || text.bottom > bar.bottom))
            .map((one) => one.name),
        narrow: places.filter((one) => one.shortened && one.box.width < 60).map((one) => one.name),
        scrolls: [...document.querySelectorAll(".modes")].filter((one) => one.scrollWidth > one.clientWidth).length,
    };
}"""
LONG = "https://www.a-rather-long-host.example.org/some/folder/of/many/and-a-page-with-a-name.html"
BARS = {
    "plain": {},
    "hidden": {"attributes": "hidden"},
    "long title": {"title": "A long title of a page about bicycles, lanterns and other things " * 4},
}


@pytest.mark.parametrize("case", [*BARS, "whole", "unfit"])
def test_nothing_in_the_bar_is_cut(open_view, case):
    """At all widths what the bar says stands beside one another, whole but for title and address."""
    key, voters = site(**BARS.get(case, {}))
    key = type(key)(key.text, LONG if case != "plain" else key.url)
    if case == "whole":
        voters = [type(key)(f"{key.text}{' ' * number}", f"{key.url}{number}") for number in (1, 2)]
    template, match = learn(key, voters)
    if case == "unfit":
        match = template.match(type(key)("<html><body><p>nothing alike</p></body></html>", LONG))
    opened = open_view(view(match, template=template))
    assert ("keeps the page whole" in opened.page.inner_text(".node_values")) is (case == "whole")
    for width in (320, 390, 640, 900, 901, 960, 1024, 1100, 1101, 1280, 1366, 1920):
        opened.page.set_viewport_size({"width": width, "height": 800})
        assert opened.page.evaluate(BAR) == {"overlaps": [], "cut": [], "narrow": [], "scrolls": 0}, width
        assert opened.page.evaluate("document.documentElement.scrollWidth") == width
    opened.page.set_viewport_size({"width": 1200, "height": 800})


def test_what_is_told_of_the_template(open_view):
    """The share of the page that is template; coverage only of a page that is not the template's own."""
    key, voters = site()
    template, match = learn(key, voters)
    share = len(match.nodes) / len(key)
    told = read_in(open_view(view(match, template=template)), ".node_values")
    assert f"{share:.0%} template nodes" in told
    assert "coverage" not in told
    other = template.match(type(key)(key.text.replace("<footer", "<div").replace("Repeated footer", "x"), key.url))
    assert 0.7 < other.coverage < 1
    assert "coverage" in read_in(open_view(view(other, template=template)), ".node_values")


def read_in(opened, selector: str) -> str:
    """What is seen in a view, which is then closed."""
    text = str(opened.page.inner_text(selector))
    opened.close()
    return text


def test_what_is_told_of_the_menu(open_view):
    """The legend says of a menu that none of its links is template, and that there is none."""
    legend = ".legend li:has(.menu)"
    key, voters = site(body="".join(f'<nav><a href="/own/{number}">Own {number}</a></nav>' for number in range(3)))
    own = next(node.position for node in key.nodes if node.tag == "nav")
    assert read_in(open_view(show(key, voters)), legend) == "main menu"
    told = read_in(open_view(show(key, voters, menu=own)), legend)
    assert told == "main menu, none of whose links is template"
    assert read_in(open_view(show(key, voters, menu=None)), legend) == "main menu: none"


HERO = ".hero { color: #fff; background: url(hero.jpg) center / cover }"
GROUNDS = {
    "sheet": (HERO, ""),
    "style": (".hero { color: #eee }", 'style="background-image: url(/hero.jpg)"'),
}


@pytest.mark.parametrize("case", GROUNDS)
def test_words_on_a_background_that_is_missing(open_view, case):
    """White words on a picture that the view does not have are on grey: in both frames, with the page's styles."""
    style, attributes = GROUNDS[case]
    body = f'<div class="hero" {attributes}><h2>Words on a picture</h2></div><div id="under">Black words</div>'
    opened = open_view(show(*site(head=f"<style>{style}</style>", body=body)))
    opened.press("split")
    for frame in opened.frames:
        colour = frame.locator(".hero").evaluate("(one) => getComputedStyle(one).backgroundColor")
        assert contrast("rgb(255, 255, 255)", colour) > 4.5
        assert contrast("rgb(0, 0, 0)", colour) > 4.5
    assert look(opened, "#under", "backgroundColor") == look(opened, "main", "backgroundColor") == "rgba(0, 0, 0, 0)"
    opened.page.keyboard.press("p")
    assert look(opened, ".hero", "backgroundColor") == "rgba(0, 0, 0, 0)"
    opened.page.keyboard.press("p")
    assert look(opened, ".hero", "backgroundColor") == "rgb(118, 118, 118)"


@pytest.mark.parametrize(
    "style",
    [
        ".hero { background: url(paper.png) }",
        ".hero { color: #fff; background: #024 url(hero.jpg) }",
        ".hero { color: #fff; background: url(hero.jpg) } h2 { background: #024 }",
        ".hero { color: #fff; background: linear-gradient(#024, #135), url(hero.jpg) }",
        "h2 { list-style: url(dot.png) } .hero { color: #fff }",
    ],
    ids=["black words", "colour of its own", "ground of the words", "gradient", "no background"],
)
def test_backgrounds_that_nobody_misses(open_view, style):
    """Where words can be read, or could not be read on the page either, the ground stays what it is."""
    body = '<div class="hero"><h2>Words on a picture</h2></div>'
    opened = open_view(show(*site(head=f"<style>{style}</style>", body=body)))
    assert look(opened, ".hero", "backgroundColor") != "rgb(118, 118, 118)"
    assert opened.frame.locator("[data-templex-lost]").count() == 0


def test_a_missing_background_keeps_its_place(open_view):
    """A box that showed nothing but its background is grey, as a missing picture is; an icon leaves no box."""
    head = "<style>i { display: block; width: 9px; height: 9px; background: url(i.png) }</style>"
    body = '<div id="box" style="height: 90px; background: url(a.jpg)"></div><i></i>'
    cells = '<table background="t.png" bgcolor="#ffffff"><tr><td><font color="#ffffff">White</font></td></tr></table>'
    opened = open_view(show(*site(head=head, body=body + cells)))
    assert look(opened, "#box", "backgroundColor").startswith("rgba(136, 136, 136")
    assert look(opened, "i", "backgroundColor") == "rgba(0, 0, 0, 0)"
    assert look(opened, "table", "backgroundColor") == "rgb(118, 118, 118)"


FIELDS = (
    '<form><input id="search" type="search" value="find"><textarea id="area">a</textarea>'
    '<select id="list"><option>one</option><option>two</option></select><input id="tick" type="checkbox"></form>'
)


@pytest.mark.parametrize("field", ["search", "area", "list", "tick"])
def test_keys_after_a_click_on_a_field(open_view, field):
    """Fields of the page take no keys: what is typed after a click on one, or in one, means the view."""
    opened = open_view(show(*site(body=FIELDS)))
    target = opened.frame.locator(f"#{field}")
    for reach in (lambda: target.click(force=True), target.focus):
        reach()
        for key, switch in zip("octms", ("original", "content", "template", "marked", "split"), strict=True):
            opened.page.keyboard.press(key)
            pressed = opened.page.locator("[data-mode][aria-pressed=true]")
            assert pressed.get_attribute("data-mode") == switch
        opened.page.keyboard.press("ArrowDown")
        opened.page.keyboard.type("xyz")
        opened.page.keyboard.press("m")
    values = opened.frame.locator("#search, #area, #list").evaluate_all("(all) => all.map((one) => one.value)")
    assert values == ["find", "a", "one"]
    assert not opened.frame.locator("#tick").is_checked()


def test_escape_in_a_field(open_view):
    """Escape lets go of what is pinned, wherever the focus is."""
    opened = open_view(show(*site(body=FIELDS)))
    opened.frame.locator("#search").click()
    opened.frame.locator("#search").focus()
    assert "input#search" in opened.page.inner_text("#path")
    opened.page.keyboard.press("Escape")
    opened.frame.locator(".claim").hover()
    assert "p.claim" in opened.page.inner_text("#path")


def test_the_second_frame_is_announced(open_view):
    """Until the second frame is ready its heading says that it is being drawn, and it shows nothing that goes."""
    opened = open_view(show(*site()))
    heading = "getComputedStyle(document.querySelector('main'), '::after').content"
    at_once = opened.page.evaluate(f"(document.querySelector('[data-mode=split]').click(), {heading})")
    assert "still being drawn" in at_once
    assert 'data-templex-mode="content"' in opened.page.evaluate("document.querySelectorAll('iframe')[1].srcdoc")
    opened.page.wait_for_selector("iframe:nth-of-type(2)[data-ready]")
    assert opened.page.evaluate(heading) == '"Content"'


@pytest.mark.parametrize("size", [(390, 780), (320, 600), (1280, 800)], ids=["phone", "small phone", "desktop"])
@pytest.mark.parametrize(("scheme", "attributes"), [("light", ""), ("dark", ""), ("light", "hidden")])
def test_everything_is_in_the_window(open_view, size, scheme, attributes):
    """Nothing sticks out of the window, the switches can all be pressed, and words stand out from their ground."""
    opened = open_view(show(*site(attributes=attributes)), width=size[0], height=size[1], color_scheme=scheme)
    assert opened.page.evaluate("document.documentElement.scrollWidth") == size[0]
    assert opened.page.evaluate("document.documentElement.scrollHeight") == size[1]
    for switch in SWITCHES:
        box = opened.page.locator(f"[data-mode={switch}]").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        opened.press(switch)
    assert opened.page.locator("#page").bounding_box()["height"] > 100
    ink, paper = opened.page.evaluate(
        "[getComputedStyle(document.querySelector('h1')).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert contrast(ink, paper) > 7


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG defines it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_where_frames_hear_nothing(open_view, browser):
    """A browser that runs no listener in a frame without scripts (WebKit) gets tooltips instead."""
    source = show(*site())
    opened = open_view(source)
    file = opened.page.url
    context = browser.new_context()
    context.add_init_script("Document.prototype.dispatchEvent = () => true")
    page_ = context.new_page()
    page_.goto(file)
    page_.wait_for_selector("#page[data-ready]")
    title = page_.frame_locator("#page").locator("#menu a").first.get_attribute("title")
    context.close()
    assert title == "taken out: At this place on 3 of 3 pages, with a link to the same target. It goes."


def test_the_same_page_gives_the_same_view():
    """The view is a pure function of its arguments."""
    assert show(*site()) == show(*site())
