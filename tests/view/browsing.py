"""A view or a report that is open in a browser, and what it does there that it must not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from waiting import wait_for

_LOADED = ("style", "font", "image")
_RESOURCES = ("stylesheet", "font", "image")
SWITCHES = ("marked", "original", "template", "content", "split")

_INSPECT = """
(document) => [...document.querySelectorAll("*")].flatMap((element) => [
  ["script", "iframe", "object", "embed", "noscript", "frame"].includes(element.localName)
    ? [element.localName] : [],
  element.localName === "meta" && element.httpEquiv.toLowerCase() === "refresh" ? ["refresh"] : [],
  ...[...element.attributes].map((attribute) => {
    const {name, value} = attribute;
    if (["img", "base", "link"].includes(element.localName) && ["src", "href"].includes(name)) return [];
    const leads = ["href", "xlink:href", "src", "srcset", "action", "formaction", "poster", "data"].includes(name);
    const harmless = /^(?:about:srcdoc#|#|data:image\\/)/.test(value);
    return name.startsWith("on") || (leads && !harmless) || name === "target" ? [`${name}=${value}`] : [];
  }),
].flat())
"""


class Sink:
    """A local server that notes every request but for style sheets, fonts and pictures."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        sink = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.headers["Sec-Fetch-Dest"] not in _LOADED:
                    sink.asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            do_POST = do_GET  # noqa: N815 - the name is the base class's

            def log_message(self, *_: object) -> None:
                """Keep the test output clean."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Opened:
    """A view or a report in a browser window.

    Args:
        window: the window.
        file: the file.
        ready: a selector of what is there when the file is shown.
        may_load: types of resources that it may request.

    Attributes:
        page: the window, as Playwright has it; views that are opened one after the other may share it.
        offences: console messages, errors, requests to outside, dialogs, windows and navigations that there were.
    """

    def __init__(
        self, window: Any, file: Path, *, ready: str = "#page[data-ready]", may_load: tuple[str, ...] = _RESOURCES
    ) -> None:
        self.offences: list[str] = []
        self._may_load = may_load
        self.page = window
        self._uri = file.as_uri()
        self._heard = {
            "request": self._requested,
            "console": self._told,
            "pageerror": lambda error: self.offences.append(f"error: {error}"),
            "dialog": self._asked,
            "framenavigated": self._navigated,
            "popup": lambda page: self.offences.append(f"window {page.url}"),
            "download": lambda download: self.offences.append(f"download {download.url}"),
        }
        for event, listener in self._heard.items():
            window.on(event, listener)
        window.goto(self._uri)
        window.wait_for_selector(ready)

    def _requested(self, request: Any) -> None:
        is_allowed = request.url == self._uri or request.url.startswith("data:")
        if not is_allowed and request.resource_type not in self._may_load:
            self.offences.append(f"request {request.url}")

    def _told(self, message: Any) -> None:
        # there is no site.test, and fonts need the leave of their server
        if not message.text.startswith(("Failed to load resource", "Access to font")):
            self.offences.append(f"console {message.type}: {message.text}")

    def _asked(self, dialog: Any) -> None:
        self.offences.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _navigated(self, frame: Any) -> None:
        if frame.url.partition("#")[0] not in {self._uri, "about:srcdoc", "about:blank", ""}:
            self.offences.append(f"navigation to {frame.url}")

    @property
    def frames(self) -> list[Any]:
        """The frames with the page, one or two."""
        return [frame for frame in self.page.frames if frame.parent_frame is not None]

    @property
    def frame(self) -> Any:
        """The first of them."""
        return self.page.frame_locator("#page")

    def press(self, switch: str) -> None:
        """Press a switch with the mouse; of the second frame, wait until it is there."""
        self.page.click(f"[data-mode={switch}]")
        if switch == "split":
            self.page.wait_for_selector("iframe:nth-of-type(2)[data-ready]")

    def sees(self, selector: str, frame: int = 0) -> bool:
        """Whether what a selector finds in a frame is visible by its computed style."""
        look = "(element) => getComputedStyle(element).visibility"
        return bool(self.frames[frame].locator(selector).first.evaluate(look) == "visible")

    def what_is_told(self) -> str:
        """The panel's words."""
        return str(self.page.inner_text("#why"))

    def wait_for_events(self) -> None:
        """Give whatever might still happen, and must not, the time to do so."""
        self.page.wait_for_timeout(150)

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait until something is so, while events are handled; the test fails if it takes too long."""
        wait_for(lambda: bool(condition()), pause=lambda: self.page.wait_for_timeout(20))

    def inspect(self) -> list[str]:
        """What the documents in the frames hold that could run or lead anywhere; to be asked at the end."""
        return [found for frame in self.frames for found in frame.evaluate_handle("document").evaluate(_INSPECT)]

    def close(self) -> None:
        """Leave the view and stop listening; the window stays open."""
        for event, listener in self._heard.items():
            self.page.remove_listener(event, listener)
        self._heard.clear()
        self.page.goto("about:blank")
