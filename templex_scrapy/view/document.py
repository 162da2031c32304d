"""The view as one file: the bar with the switches, the frame with the page, and the panel that says why.

How the page is kept from doing anything, in layers; the first does it alone, and so do the other two together:

- its tree is made harmless before it is written (:mod:`templex_scrapy.view.harmless`, ``styles``), and written into
  ``srcdoc`` as an attribute value, so that no end tag in it ends anything;
- the frame is sandboxed without ``allow-scripts``, ``allow-forms``, ``allow-popups`` and ``allow-top-navigation``: no
  script, handler or ``javascript:`` link of the page can run, whatever the first layer might have overlooked;
- the content security policies of the file and of the frame allow the one script whose hash they name, and no address
  but ``data:`` images and fonts.

The frame has ``allow-same-origin``, because the file's own script has to reach into it: it switches what is shown and
hears what is pointed at. The other way to have that is ``allow-scripts`` without ``allow-same-origin``, and a script of
ours in the frame that talks by messages. It would let scripts run beside the page's markup; this way none can run there
at all. The script in the file makes no markup of what it reads from the frame.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import resources
from string import Template as Skeleton
from types import MappingProxyType

from templex_scrapy.crawl.summary import percent
from templex_scrapy.page import Page
from templex_scrapy.render import count_words_without
from templex_scrapy.template import Explanation, Match, Template
from templex_scrapy.view import reasons
from templex_scrapy.view.frame import Marks, frame

NO_FILES: Mapping[str, str] = MappingProxyType({})


def view(
    match: Match,
    *,
    template: Template | None = None,
    pages: Iterable[Page] = (),
    menu: int | None = None,
    content: Collection[int] = (),
    files: Mapping[str, str] = NO_FILES,
    called: Callable[[str], str] = str,
) -> str:
    """One self-contained HTML file that shows a page, what of it is template, and why.

    Args:
        match: the page laid over its template.
        template: that template; the view names the pages it was made of.
        pages: pages of the template. Where they are given, the view says of each node which of them have it.
        menu: position of the root of the page's main menu (``detect_menu``); it is outlined. The legend says if there
            is none, and if none of its links is template.
        content: positions of its main content nodes (``detect_content``); they are outlined.
        files: what the page asks for and is at hand, by its absolute URL: the source of a style sheet, a picture as a
            ``data:`` URL (:mod:`templex_scrapy.view.files`). The view requests nothing: what is not given is missing in
            it, and grey boxes stand for pictures.
        called: address → what people call the page there, if that is not its address.

    Returns:
        The file's content, to be written as UTF-8. Nothing is requested from elsewhere, and no script of the page runs.

    Raises:
        ModuleNotFoundError: if ``tinycss2`` is missing, which comes with the extra ``view``.
    """
    page = match.page
    explanation = Explanation(match, pages)
    fates = [explanation.reason(position).fate for position in range(len(page))]
    marks = Marks(fates=fates, menu=menu, content=content)
    script = _asset("view.js")
    written = Skeleton(_asset("view.html")).substitute(
        policy=_policy(script),
        title=html.escape(title_of(page) or called(page.url)),
        url=html.escape(called(page.url)),
        style=_asset("view.css"),
        node_values=_node_values(match, template),
        menu=_about_menu(match, menu),
        frame=html.escape(frame(page, marks, files=files, rules=_asset("frame.css"))),
        told=_as_data(reasons.told(page, explanation, called)),
        script=script,
    )
    # lone surrogates, which addresses and broken pages may hold, have no form in UTF-8
    return written.encode("utf-8", "replace").decode("utf-8")


def title_of(page: Page) -> str:
    """The page's title on one line; empty if it has none."""
    titles = (title for title in page.root.iter("title") if next(title.iterancestors("svg"), None) is None)
    return next((" ".join("".join(title.itertext()).split()) for title in titles), "")


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _node_values(match: Match, template: Template | None) -> str:
    before, after = count_words_without(match.page, match.roots)
    node_values = [f"<b>{before:,}</b> words, <b>{after:,}</b> stay"]
    if match.fits:
        node_values.append(f"<b>{html.escape(percent(len(match.nodes) / len(match.page)))}</b> template nodes")
    # a page covers the template that was made of it in any case
    if match.coverage < 1:
        node_values.append(f"coverage <b>{match.coverage:.0%}</b>")
    if template is not None:
        number = len(template.page_urls) + (match.page.url != template.key_url)
        node_values.append(f"<b>{number}</b> {'pages' if number != 1 else 'page'} compared")
    if not match.fits:
        node_values.append("<b>the template does not fit</b>: nothing is taken out")
    elif before and not after:
        node_values.append("nothing would be left: a crawl keeps the page whole")
    return "".join(f"<li>{fact}</li>" for fact in node_values)


def _about_menu(match: Match, menu: int | None) -> str:
    """What the legend says of the main menu beside its name."""
    if menu is None:
        return ": none"
    subtree = match.page.nodes[menu : menu + match.page.arrays.sizes[menu]]
    links = [node.position for node in subtree if node.tag == "a"]
    return "" if match.nodes.intersection(links) or not match.fits else ", none of whose links is template"


def _as_data(data: object) -> str:
    """JSON that no HTML parser takes for markup."""
    return json.dumps(data, separators=(",", ":")).replace("<", r"\u003c")


def _asset(name: str) -> str:
    return resources.files("templex_scrapy.view").joinpath(name).read_text(encoding="utf-8")
