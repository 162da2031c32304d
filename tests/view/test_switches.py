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
    opened = open_view(show(key, voters, content=range(story, story + key.outline.sizes[story])))
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
    assert "does not fit" in opened.page.inner_text(".facts")
    opened.press("content")
    assert opened.sees("p")


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
