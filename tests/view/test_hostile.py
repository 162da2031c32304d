"""Pages that try to run something, load something, lead away or break out: in the view, none of it happens."""

from __future__ import annotations

import pytest
from browsing import SWITCHES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from site_pages import show, site

from templex_scrapy.view.files import as_picture

PWN = "parent.document.title='pwned';parent.pwned=window.pwned=1;new Image().src='{sink}/script';alert(1)"

BODIES = {
    "script": "<script>{pwn}</script><script src='{sink}/s.js'></script><script type=module>{pwn}</script>",
    "handlers": '<img src=x onerror="{pwn}"><body onload="{pwn}"><svg onload="{pwn}"></svg>'
    '<details open ontoggle="{pwn}">d</details><input autofocus onfocus="{pwn}">'
    '<p onpointerover="{pwn}" onclick="{pwn}" style=\'animation: a 1s\' onanimationstart="{pwn}">hover me</p>',
    "javascript links": '<a id=trap href="javascript:{pwn}">click</a><a href=" java\nscript:{pwn}">click</a>'
    '<form action="javascript:{pwn}"><button id=trap2>go</button></form><area href="javascript:{pwn}">',
    "links": "<a id=trap href='{sink}/link' target=_top ping='{sink}/ping'>click</a>"
    "<a id=trap2 href='{sink}/download' download>click</a><base target=_top href='{sink}/'><a href=relative>r</a>",
    "forms": "<form action='{sink}/form' method=post target=_top><input name=a value=b><button id=trap>send</button>"
    "<input id=trap2 type=submit formaction='{sink}/other'><input type=image src='{sink}/image'></form>",
    "frames": "<iframe src='{sink}/frame'></iframe><iframe srcdoc='<script>{pwn}</script>'></iframe>"
    "<object data='{sink}/object'></object><embed src='{sink}/embed'><frameset><frame src='{sink}/f'></frameset>"
    "<portal src='{sink}/portal'></portal><fencedframe></fencedframe>",
    "end tags": "</iframe></srcdoc></body></html></template></textarea></style></title></noscript></script>-->"
    "\" '><script>{pwn}</script>&quot;&gt;&lt;script&gt;{pwn}&lt;/script&gt;&#34;&#62;",
    "attributes": "<img alt='\"></iframe><script>{pwn}</script>' title=\"'><script>{pwn}</script>\">"
    "<p class='\" onclick=\"{pwn}' id='&quot;&gt;&lt;script&gt;'>x</p>"
    "<p data-x='</iframe><script>{pwn}</script>'>y</p>",
    "raw text": "<textarea></textarea><textarea><img title='</textarea><script>{pwn}</script>'></textarea>"
    "<xmp></xmp><img title='</xmp><img src=x onerror={pwn}>'><noscript><p title='</noscript><script>{pwn}</script>'>"
    "</noscript><noembed><img title='</noembed><script>{pwn}</script>'></noembed><select><style><img src='{sink}/m'>"
    "</style></select><plaintext><script>{pwn}</script>",
    "svg": '<svg><script>{pwn}</script><a xlink:href="javascript:{pwn}"><text>t</text></a>'
    "<image href='{sink}/i'/><use href='{sink}/u#a'/><style>@import '{sink}/css';</style>"
    "<foreignObject><iframe src='{sink}/f'></iframe></foreignObject><animate attributeName=href to='javascript:x'/>"
    "<rect fill='url({sink}/fill)' style='fill:url({sink}/fill2)' onclick=\"{pwn}\" width=9 height=9></rect></svg>",
    "foreign markup": "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 "
    "onerror={pwn}&gt;'></table></mtext></math><svg></p><style><a id='</style><img src=1 onerror={pwn}>'></svg>",
    "refresh": "<meta http-equiv=refresh content='0;url={sink}/refresh'><meta http-equiv=refresh content='0;url="
    "javascript:{pwn}'><link rel=preconnect href='{sink}'><link rel=stylesheet href='{sink}/l.css'>"
    "<link rel=prefetch href='{sink}/p'><meta http-equiv=Content-Security-Policy content=\"script-src *\">",
    "sheets": "<style>@import '{sink}/a.css'; @im\\70ort url({sink}/b.css); body {{ background: url({sink}/bg) }}"
    "h1 {{ background: u\\72l('{sink}/h1'); cursor: url({sink}/c), auto; list-style: url({sink}/l) }}"
    "@font-face {{ font-family: f; src: url({sink}/font) }} h1 {{ font-family: f }} :root {{ --u: url({sink}/var) }}"
    "p {{ background: var(--u); border-image: image-set('{sink}/set' 1x); content: '</style><script>{pwn}</script>' }}"
    '</style><p style="background: url({sink}/inline); background-image: u\\rl({sink}/inline2)">x</p>',
    "media": "<img src='{sink}/i' srcset='{sink}/set 2x'><picture><source srcset='{sink}/source'></picture>"
    "<video src='{sink}/v' poster='{sink}/poster' autoplay controls><track src='{sink}/t'></video>"
    "<audio src='{sink}/a' autoplay></audio><input type=image src='{sink}/input'><body background='{sink}/body'>"
    "<table background='{sink}/table'><tr><td background='{sink}/td'>x</td></tr></table><bgsound src='{sink}/b'>",
    "names": "<form id=contentDocument><input name=closest id=getAttribute><input id=parentElement><input id=dataset>"
    "</form><img name=documentElement><img name=querySelectorAll><a id=defaultView name=styleSheets>x</a>"
    "<form name=addEventListener id=body></form><p data-templex=0 data-templex-root data-templex-fate=goes>z</p>",
    "empty elements": "<embed src='{sink}/e'><script>{pwn}</script><img src=x onerror=\"{pwn}\"><a id=trap "
    "href='javascript:{pwn}'>a</a><source srcset='{sink}/s'><iframe src='{sink}/f'></iframe><track src='{sink}/t'>"
    "<svg onload=\"{pwn}\"></svg><bgsound src='{sink}/b'><object data='{sink}/o'><param name=movie value='{sink}/p'>"
    "<embed src='{sink}/e'><img src='{sink}/i' onerror=\"{pwn}\"></object><image src='{sink}/i' href='{sink}/h' "
    'onerror="{pwn}"><wbr onclick="{pwn}"><keygen autofocus onfocus="{pwn}"><applet code=\'{sink}/a\'>'
    "<base href='{sink}/'></applet><picture><source srcset='{sink}/s'><img srcset='{sink}/s2' onload=\"{pwn}\">"
    "</picture><isindex prompt=p action='{sink}/x'><table><embed><tr><object><td onclick=\"{pwn}\">x",
    "shadow": "<template shadowrootmode=open><script>{pwn}</script></template><div is=x-y><template shadowrootmode="
    'open><img src=x onerror={pwn}></template></div><x-y onclick={pwn}>c</x-y><x"y onclick={pwn}>d</x"y>',
}
HEADS = {
    "head": "<base href='{sink}/' target=_top><meta http-equiv=refresh content='0;{sink}/'><script>{pwn}</script>"
    "<link rel=stylesheet href='{sink}/s'><link rel=icon href='{sink}/icon'><style>@import '{sink}/i';</style>",
}
TITLE = "</title><script>document.pwned=1</script><img src=x onerror=alert(1)> \" ' &lt;/h1&gt;&lt;script&gt;"


def filled(markup: str, sink) -> str:
    return markup.replace("{pwn}", PWN).replace("{sink}", sink.url).replace("{{", "{").replace("}}", "}")


def provoke(opened) -> None:
    """Press, hover, click and tab everything that there is."""
    for switch in SWITCHES:
        opened.press(switch)
    opened.press("marked")
    for selector in ("#trap", "#trap2", "main p", "main a", "form", "input", "h1"):
        for target in opened.frame.locator(selector).all()[:4]:
            if target.is_visible():
                target.hover(force=True)
                target.click(force=True)
                target.click(force=True, button="middle")
                opened.page.keyboard.press("Enter")
    for _ in range(4):
        opened.page.keyboard.press("Tab")
        opened.page.keyboard.press("Enter")
    opened.settle()


def assert_nothing_happened(opened, sink) -> None:
    assert opened.offences == []
    assert sink.asked == []
    assert opened.page.evaluate("[window.pwned, document.pwned]") == [None, None]
    assert opened.page.title() != "pwned"
    for frame in opened.frames:
        assert frame.evaluate("window.pwned") is None
    assert opened.inspect() == []
    assert opened.page.locator("iframe").count() == len(opened.frames)
    assert opened.page.locator("script").count() == 2


@pytest.mark.parametrize("case", BODIES)
def test_hostile_bodies(open_view, sink, case):
    """Whatever stands in the body, nothing runs, nothing is asked for, and the view works."""
    key, voters = site(body=filled(BODIES[case], sink))
    opened = open_view(show(key, voters))
    provoke(opened)
    assert_nothing_happened(opened, sink)
    opened.press("content")
    assert opened.sees("h1")
    assert not opened.sees("#menu a")


LAYERS = ("script", "handlers", "javascript links", "links", "svg", "refresh", "sheets", "media", "empty elements")


@pytest.mark.parametrize("case", LAYERS)
def test_cleaned_tree_alone(open_view, sink, case):
    """Without sandbox and policies the tree that is written does no harm either."""
    written = show(*site(body=filled(BODIES[case], sink), head=filled(HEADS["head"], sink)))
    bare = written.replace('sandbox="allow-same-origin"', "").replace("Content-Security-Policy", "x-no-policy")
    assert written.count("Content-Security-Policy") == 2
    opened = open_view(bare)
    provoke(opened)
    assert_nothing_happened(opened, sink)


def unprotected(monkeypatch, body: str) -> str:
    """A view of a page that is written as it is."""
    monkeypatch.setattr("templex_scrapy.view.frame.make_harmless", lambda _: None)
    monkeypatch.setattr("templex_scrapy.view.frame.make_element_harmless", lambda _: None)
    monkeypatch.setattr("templex_scrapy.view.frame.harmless_sheet", lambda css: css)
    return show(*site(body=body))


@pytest.mark.parametrize("case", ["script", "handlers", "svg", "sheets", "media"])
def test_the_traps_work(open_view, sink, monkeypatch, case):
    """With no protection at all the same pages do run, or ask for, what they want: the other tests can fail."""
    bare = unprotected(monkeypatch, filled(BODIES[case], sink))
    for protection in ('sandbox="allow-same-origin"', "Content-Security-Policy"):
        bare = bare.replace(protection, "x")
    opened = open_view(bare, locale="en")
    opened.settle()
    assert opened.offences
    assert sink.asked
    opened.offences.clear()
    sink.asked.clear()


@pytest.mark.parametrize("case", LAYERS)
@pytest.mark.parametrize(
    "sandboxed",
    [pytest.param(True, id="sandbox and policy"), pytest.param(False, id="policy", marks=pytest.mark.slow)],
)
def test_frame_alone(open_view, sink, monkeypatch, case, sandboxed):
    """If the page is written as it is, the frame still keeps everything in; browsers only complain."""
    written = unprotected(monkeypatch, filled(BODIES[case], sink))
    assert sink.url in written
    opened = open_view(written if sandboxed else written.replace('sandbox="allow-same-origin"', ""))
    opened.page.click("[data-mode=original]")
    for trap in opened.frame.locator("#trap").all():
        trap.click(force=True)
    opened.settle()
    assert opened.page.evaluate("window.pwned") is None
    assert sink.asked == []
    assert opened.page.url.startswith("file:")
    opened.offences.clear()


def test_hostile_head(open_view, sink):
    """Base, refresh, scripts and links in the head do nothing either."""
    key, voters = site(head=filled(HEADS["head"], sink))
    opened = open_view(show(key, voters))
    provoke(opened)
    assert_nothing_happened(opened, sink)


def test_hostile_template(open_view, sink):
    """The same in the part of the page that all pages have."""
    hostile = filled("".join(BODIES[case] for case in ("script", "handlers", "links", "sheets", "svg")), sink)
    key, voters = site(body=hostile)
    voters = [type(key)(voter.text.replace("</main>", f"{hostile}</main>"), voter.url) for voter in voters]
    opened = open_view(show(key, voters))
    provoke(opened)
    assert_nothing_happened(opened, sink)


DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="{pwn}"><script>{pwn}</script>'
    '<image href="{sink}/image" width="9" height="9"/><style>@import "{sink}/css"; rect {{ fill: url({sink}/fill) }}'
    '</style><rect width="9" height="9" onclick="{pwn}"/><foreignObject width="9" height="9">'
    '<img xmlns="http://www.w3.org/1999/xhtml" src="{sink}/img" onerror="{pwn}"/></foreignObject></svg>'
)


def test_hostile_picture(open_view, sink):
    """A drawing that comes as a picture is shown, and runs and loads nothing."""
    picture = str(as_picture(filled(DRAWING, sink).encode(), "image/svg+xml"))
    key, voters = site(body='<p><img id="trap" src="d.svg"></p>')
    opened = open_view(show(key, voters, files={f"{key.url}d.svg": picture}))
    provoke(opened)
    assert_nothing_happened(opened, sink)
    assert opened.frame.locator("#trap").get_attribute("src") == picture
    assert opened.frame.locator("#trap").evaluate("(image) => image.naturalWidth") == 9


def test_title_and_address_are_text(open_view, sink):
    """Markup in the title or the address of a page is shown as it stands."""
    key, voters = site(
        title="&lt;/title&gt;&lt;script&gt;window.pwned=1&lt;/script&gt;&lt;img src=x onerror=alert()&gt;"
    )
    key = type(key)(key.text, 'https://site.test/"><script>window.pwned=1</script>')
    opened = open_view(show(key, voters))
    assert opened.page.inner_text("h1").startswith("</title><script>")
    assert "</title><script>" in opened.page.title()
    assert opened.page.inner_text(".address") == key.url
    opened.frame.locator("h1").hover()
    assert_nothing_happened(opened, sink)


def test_title_that_ends_the_title(open_view, sink):
    """A title element that is closed by its own content."""
    key, voters = site(title=TITLE)
    opened = open_view(show(key, voters))
    provoke(opened)
    assert_nothing_happened(opened, sink)


def test_addresses_of_voters_are_text(open_view, sink):
    """Addresses of other pages in the panel are text as well."""
    key, voters = site()
    voters[0] = type(key)(voters[0].text, 'https://site.test/<img src=x onerror="window.pwned=1">')
    opened = open_view(show(key, voters))
    opened.frame.locator("#menu a").first.hover()
    assert "<img src=x" in opened.page.inner_text("#votes")
    assert_nothing_happened(opened, sink)


@pytest.mark.parametrize(
    "style",
    [
        "body::before { content: ''; position: fixed; inset: 0; z-index: 2147483647; background: red }",
        "* { position: fixed !important; z-index: 2147483647 !important; inset: 0 !important }",
        "html { display: none !important }",
        "* { pointer-events: none !important; cursor: none !important }",
    ],
    ids=["cover", "everything fixed", "nothing displayed", "no pointer"],
)
def test_sheets_stay_in_the_frame(open_view, sink, style):
    """Styles that cover the screen cover the frame: every switch can be seen and pressed."""
    opened = open_view(show(*site(head=f"<style>{style}</style>")))
    for switch in SWITCHES:
        button = opened.page.locator(f"[data-mode={switch}]")
        assert button.evaluate("""(button) => {
            const box = button.getBoundingClientRect();
            return button.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
        }""")
        opened.press(switch)
    opened.press("marked")
    opened.page.click("#styles")
    assert opened.frame.locator("h1").is_visible(), "without the page's styles the page is there again"
    assert_nothing_happened(opened, sink)


@pytest.mark.parametrize(
    "style",
    [
        "<style>#menu, #menu * { visibility: visible !important }</style>",
        "<style>#menu a#x#x#x, :is(#a#a#a#a, #menu) { visibility: visible !important }</style>",
        "<style>@layer a { #menu * { visibility: visible !important } }</style>",
        "<style>@layer templex { #menu, #menu * { visibility: visible !important } }</style>",
        "<style>#menu, #menu * { transition: visibility 1000s !important }</style>",
    ],
    ids=["id", "more ids", "layer", "layer of the view", "transition"],
)
def test_sheets_cannot_show_what_the_view_hides(open_view, style):
    """The page's important rules do not overrule those of the view."""
    opened = open_view(show(*site(head=style)))
    opened.press("content")
    assert not opened.sees("#menu")
    assert not opened.sees("#menu a")


def test_declarations_cannot_show_what_the_view_hides(open_view):
    """Neither do important declarations in style attributes."""
    key, voters = site(attributes='style="color: rgb(1, 2, 3) ! important"')
    marked = '<li style="visibility: visible !important" class="entry">'
    pages = [type(key)(one.text.replace('<li class="entry">', marked), one.url) for one in (key, *voters)]
    opened = open_view(show(pages[0], pages[1:]))
    opened.press("content")
    assert not opened.sees("#menu li")
    assert opened.frame.locator("body").evaluate("(body) => getComputedStyle(body).color") == "rgb(1, 2, 3)"


@pytest.mark.parametrize("source", ["", "<frameset><frame src='x'></frameset>", "\0\x01<p>\ud800</p>", "plain text"])
def test_odd_pages(open_view, source):
    """What is hardly a page makes a view all the same."""
    key, voters = site()
    opened = open_view(show(type(key)(source, "https://site.test/odd"), voters))
    for switch in SWITCHES:
        opened.press(switch)


def test_deep_pages(open_view):
    """A page that nests as deep as the parser goes."""
    key, voters = site(body="<div>" * 1500 + "deep" + "</div>" * 1500)
    opened = open_view(show(key, voters))
    opened.press("content")
    assert opened.sees("h1")


TOKENS = st.sampled_from(
    [
        *"<table> <tr> <td> </table> <select> <option> </select> <svg> </svg> <math> <mtext> <style> </style>".split(),
        *"<title> </title> <textarea> </textarea> <noscript> </noscript> <template> </template> <form> </form>".split(),
        *"<embed> <source> <object> </object> <picture> </picture> <image> <wbr> <track> <keygen> <isindex>".split(),
        *"<desc> <foreignObject> <annotation-xml> <mglyph> <!-- --> <![CDATA[ ]]> <? <p> <a> <b> </a> </b>".split(),
        "<img src=http://127.0.0.1:9/i onerror=parent.pwned=1>",
        "<a title='</style></textarea></title></noscript><img src=http://127.0.0.1:9/t onerror=parent.pwned=1>'>",
        "<annotation-xml encoding='text/html'>",
        "<script>parent.pwned=1</script>",
        "text ",
        "&lt;img src=http://127.0.0.1:9/e onerror=parent.pwned=1&gt;",
        "<style>p::before{content:'<img src=http://127.0.0.1:9/c onerror=parent.pwned=1>'}</style>",
    ]
)


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(markup=st.lists(TOKENS, max_size=14).map("".join))
def test_tag_soup(open_view, markup):
    """Whatever two parsers make of it, no soup of such tokens becomes something that runs or asks."""
    opened = open_view(show(*site(body=markup)))
    opened.settle()
    assert opened.inspect() == []
    assert opened.page.evaluate("window.pwned") is None
    assert opened.offences == []
    opened.close()
