"""A report or a view that is open in a browser, and what it does there that it must not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PWN = "document.title='pwned';top.pwned=window.pwned=1;new Image().src='http://127.0.0.1:9/x';alert(1)"
HOSTILE = (
    "<img src=x onerror=window.pwned=1>"
    f'</p></title></style></script></iframe></textarea>--><script>{PWN}</script><img src=x onerror="{PWN}">'
    f'<a href="javascript:{PWN}" onclick="{PWN}">go</a><svg onload="{PWN}"></svg><base target=_top href=http://127.0.0.1:9/>'
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><link rel=stylesheet href='http://127.0.0.1:9/c'>"
    "<style>*{position:fixed;inset:0;background:red!important}@import 'http://127.0.0.1:9/i'</style>"
    f"<iframe srcdoc='<script>{PWN}</script>' src='http://127.0.0.1:9/f'></iframe><object data=http://127.0.0.1:9/o>"
    f'</object><video src=http://127.0.0.1:9/v autoplay></video><input autofocus onfocus="{PWN}">'
    f"<noscript><p title='</noscript><script>{PWN}</script>'></noscript><math><mtext><style><!--</style><img title='"
    f"--&gt;&lt;img src=1 onerror={PWN}&gt;'></math><div style='background:url(http://127.0.0.1:9/s)'>x</div>"
    "<form action=http://127.0.0.1:9/form><button>send</button></form>{{ 7*7 }} ' \" ` \u202e reversed \ud800 \x00"
)
"""Markup that does what it wants where it is not escaped."""

_INSPECT = """() => [...document.querySelectorAll("*")].flatMap((element) => [
  element.matches("script, img, object, embed, link, base, svg, form, video, math") ? [element.localName] : [],
  ...[...element.attributes].map(({name, value}) =>
    name.startsWith("on") || ["src", "srcset", "style", "action", "id", "name"].includes(name)
      || (name === "href" && !/^(#|https?:)/.test(value)) ? [`${name}=${value}`] : []),
].flat())"""


class Opened:
    """A file in a browser window; offences are messages, errors, requests, dialogs, windows and navigations."""

    def __init__(self, window: Any, file: Path) -> None:
        self.offences: list[str] = []
        self.may_offend = False
        self.page = window
        self._uri = file.as_uri()
        for event in ("console", "pageerror", "popup", "download"):
            window.on(event, lambda what, event=event: self.offences.append(f"{event}: {what}"))
        window.on("dialog", self._asked)
        window.on("request", lambda request: self._left(request.url, "request"))
        window.on("framenavigated", lambda frame: self._left(frame.url, "navigation"))
        window.goto(self._uri)

    def _asked(self, dialog: Any) -> None:
        self.offences.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _left(self, url: str, how: str) -> None:
        if url.partition("#")[0] not in {self._uri, "about:srcdoc", "about:blank", ""}:
            self.offences.append(f"{how} to {url}")

    def inspect(self, frame: Any = None) -> list[str]:
        """What a document holds that could run, load or lead anywhere."""
        found: list[str] = (frame or self.page).evaluate(_INSPECT)
        return found

    def wait_for_events(self) -> None:
        """Give whatever might still happen, and must not, the time to do so."""
        self.page.wait_for_timeout(150)
