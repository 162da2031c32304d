"""The view as one HTML file: a bar with switches, a frame with the page, and a panel with the reasons.

The page cannot do anything, for two reasons that hold independently:

- nh3 removes what could run, submit or navigate, and the result is written into ``srcdoc`` as an attribute value, so
  that no end tag in it has an effect;
- the frame is sandboxed without scripts, forms, pop-ups and navigation of the top window, and the content security
  policies of file and frame allow the one script whose hash they name, and style sheets, fonts and pictures.

The frame has ``allow-same-origin``, because the script of the file switches what is shown in it and reads where the
pointer is. The alternative, ``allow-scripts`` and messages, would let scripts run beside the markup of the page.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Callable, Iterable
from importlib import resources
from string import Template as Skeleton

from templex_scrapy.page import Page
from templex_scrapy.template import Explanation, Match
from templex_scrapy.view.frame import frame, policy
from templex_scrapy.view.reasons import reasons_as_data
from templex_scrapy.view.sentences import figures, menu_note


def view(
    match: Match,
    *,
    pages: Iterable[Page] = (),
    base: str | None = None,
    called: Callable[[str], str] = str,
) -> str:
    """Return one HTML file, to be written as UTF-8, that shows the nodes of a page with their reasons.

    Args:
        match: the page matched with its template; its main menu and its main content are outlined.
        pages: pages of the template whose votes are listed for each node.
        base: the URL from which the browser loads style sheets and pictures; None: that of the page.
        called: URL → the name under which a page is listed.
    """
    page = match.page
    # of a saved page the folder, so that its style sheets are found without a network
    base = base or page.base_url
    explanation = Explanation(match, pages)
    reasons = [explanation.reason(position) for position in range(len(page))]
    fates = [reason.fate for reason in reasons]
    script = _asset("view.js")
    written = Skeleton(_asset("view.html")).substitute(
        policy=_policy(script, base),
        title=html.escape(page.title or called(page.url)),
        url=html.escape(called(page.url)),
        style=_asset("view.css"),
        figures="".join(f"<li>{figure}</li>" for figure in figures(match)),
        menu=menu_note(match),
        frame=html.escape(frame(match, fates, base=base, rules=_asset("frame.css"))),
        reasons=_json(reasons_as_data(page, reasons, [called(url) for url in explanation.pages])),
        script=script,
    )
    # lone surrogates, which URLs and broken pages may contain, have no form in UTF-8
    return written.encode("utf-8", "replace").decode("utf-8")


def _policy(script: str, base: str) -> str:
    """Return the policy of the file, which holds for the frame as well."""
    # a hash, and not a nonce: the same page gives the same file
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{policy(base)}; script-src 'sha256-{digest}'"


def _json(data: object) -> str:
    """Return JSON that no HTML parser reads as markup."""
    # a page may be called "</script><script>…"
    return json.dumps(data, separators=(",", ":")).replace("<", r"\u003c")


def _asset(name: str) -> str:
    return resources.files("templex_scrapy.view").joinpath(name).read_text(encoding="utf-8")
