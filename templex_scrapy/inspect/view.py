"""The view of a page: marked, and without the template, in a file without scripts.

A hostile page cannot do anything in the file, for three reasons that hold independently: only elements and attributes
that are listed here are used, and all texts are escaped; the page is in sandboxed frames; the content security
policy of file and frames allows no script and no request.
"""

from __future__ import annotations

from collections.abc import Iterator

from templex_scrapy.figures import counted, one_line
from templex_scrapy.inspect.markup import Markup, document, element, start_tag
from templex_scrapy.inspect.reasons import reasons_of
from templex_scrapy.page import nodes_of
from templex_scrapy.papers import detect_menu
from templex_scrapy.template import Fate, Match

_MODES = {"marked": "Marked", "cleaned": "Cleaned", "both": "Side by side"}
# all other elements become <span>, in which browsers show texts as they are
_TAGS = frozenset(
    """
    abbr address article aside b bdi bdo blockquote br caption cite code dd del dfn div dl dt em fieldset figcaption
    figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd legend li main mark nav ol p pre q rp rt ruby s samp
    search section small span strong sub sup table tbody td tfoot th thead time tr u ul var
    """.split()
)
# not svg and title: <div> would end the <p> of a picture
_BLOCKS = frozenset("center details dialog dir form menu optgroup select summary".split())
_PICTURES = frozenset("audio canvas embed img object picture svg video".split())
_ATTRIBUTES = ("colspan", "dir", "lang", "rowspan")


def view(match: Match) -> str:
    """Return an HTML document, to be encoded as UTF-8, that shows the nodes of a page with their reasons."""
    title = one_line(match.page.title or match.page.url, 120)
    reasons = reasons_of(match)
    switches, frames = [], []
    for mode, name in _MODES.items():
        checked = {"checked": ""} if mode == "marked" else {}
        switches.append(element("label", element("input", type="radio", name="mode", id=mode, **checked), name))
        if mode != "both":
            body = element("div", *_body(match, reasons, is_cleaned=mode == "cleaned"), class_=mode)
            source = document(mode, ("base.css", "frame.css"), body)
            frames.append(element("iframe", class_=mode, title=name, sandbox="", srcdoc=source))
    legend = {"removed": "removed", "kept": "template, but kept", "menu": "main menu", "content": "main content"}
    return document(
        f"{title} · templex",
        ("base.css", "view.css"),
        element(
            "header",
            element("h1", element("bdi", title)),
            element("p", element("bdi", one_line(match.page.url)), class_="quiet"),
            element("p", *_figures(match), class_="figures"),
            element("fieldset", *switches, aria_label="What is shown"),
            element("p", *(element("span", name, class_=kind) for kind, name in legend.items()), class_="legend"),
        ),
        element("main", *frames),
    )


def _figures(match: Match) -> Iterator[Markup]:
    (before, after), template = match.clean.words, match.template
    yield element("span", f"{before:,} words, {after:,} kept")
    if match.clean.kept_whole:
        yield element("span", "nothing would be left, so that a crawl keeps the page whole")
    share = f"{len(match.nodes) / len(match.page):.0%} template nodes"
    yield element("span", share if match.fits else "no template fits the page")
    if template is not None:
        # a page covers its own template in any case
        if match.coverage < 1:
            yield element("span", f"coverage {match.coverage:.0%}")
        urls = [url for url in (template.key_url, *template.page_urls) if url != match.page.url]
        yield element("span", f"compared with {counted(len(urls), 'page')}", title="\n".join(map(one_line, urls)))


def _body(match: Match, reasons: list[tuple[Fate, str]], *, is_cleaned: bool) -> Iterator[str]:
    """Yield the markup of a page, piece by piece, since elements may be nested more deeply than Python may call."""
    nodes, classes = nodes_of(match.page), {} if is_cleaned else _classes(match, reasons)
    removed = match.removable if is_cleaned and not match.clean.kept_whole else frozenset()
    ends: list[tuple[int, str]] = []
    for position, node in enumerate(match.page.nodes):
        while ends and position >= ends[-1][0]:
            yield ends.pop()[1]
        if position in removed:
            continue
        parent = nodes.parents[position]
        is_new = parent < 0 or reasons[position] != reasons[parent]
        marks = {"title": reasons[position][1] if is_new and not is_cleaned else None, "class_": classes.get(position)}
        if node.text is not None:
            yield element("span", node.text, **marks) if any(marks.values()) else node.text
            continue
        source = node.element
        tag = "div" if node.tag in _BLOCKS or not position else node.tag if node.tag in _TAGS else "span"
        if node.tag in _PICTURES:
            marks["class_"] = f"{marks['class_'] or ''} picture".strip()
        yield start_tag(tag, **marks, **{name: source.get(name) for name in _ATTRIBUTES})
        if node.tag in _PICTURES:
            yield one_line(source.get("alt") or node.tag, 200)
        # the space between two elements is no node
        yield "\n" * (source.text or "").isspace()
        # br and hr may contain nodes in the tree, and have no end tag in browsers
        end = "" if tag in {"br", "hr"} else f"</{tag}> · " if node.tag == "option" else f"</{tag}>"
        ends.append((position + nodes.sizes[position], Markup(end + "\n" * (source.tail or "").isspace())))
    yield from (end for _, end in reversed(ends))


def _classes(match: Match, reasons: list[tuple[Fate, str]]) -> dict[int, str]:
    """Return the marks: of the largest removed and content subtrees, of texts that are kept, and of the main menu."""
    nodes, menu, marks = nodes_of(match.page), detect_menu(match.page), {}
    end = content_end = 0
    for position, (fate, _) in enumerate(reasons):
        kinds = []
        if fate is Fate.REMOVED and position >= end:
            kinds.append("removed")
            end = position + nodes.sizes[position]
        elif fate is Fate.KEPT and nodes.texts[position] is not None:
            kinds.append("kept")
        if position in match.content and position >= content_end:
            kinds.append("content")
            content_end = position + nodes.sizes[position]
        if position == menu:
            kinds.append("menu")
        if kinds:
            marks[position] = " ".join(kinds)
    return marks
