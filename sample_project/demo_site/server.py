"""A server of the demo site on this machine, in a thread of its own."""

from __future__ import annotations

import os
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

from sample_project.demo_site.site import DemoSite

HOST = "127.0.0.1"
USUAL_PORT = 8808


class DemoServer:
    """Serves a `DemoSite` from `start` to `stop`, or in a `with` block.

    Args:
        site: the site.

    Attributes:
        url: the URL of the home page.
    """

    def __init__(self, site: DemoSite) -> None:
        try:
            # the usual port keeps the URLs, and so the rows of a database, the same from run to run
            self._server = _Server((HOST, USUAL_PORT), _Handler)
        except OSError:  # it is in use
            self._server = _Server((HOST, 0), _Handler)
        self._server.site = site
        self.url = f"http://{HOST}:{self._server.server_port}/"

    def start(self) -> str:
        """Answer requests, and return the URL of the home page."""
        # a short interval makes stop() quick
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="demo-site", daemon=True).start()
        return self.url

    def stop(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # on Windows the option would let two servers share the port
    allow_reuse_address = os.name != "nt"
    site: DemoSite


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = 10
    # headers and body are sent together, so that no packet waits for the acknowledgement of another
    wbufsize = -1

    def do_GET(self) -> None:
        """Answer with a page, a file, a redirect or 404."""
        path = urlsplit(self.path).path
        site = self.server.site
        if path in site.redirects:
            self._answer(HTTPStatus.FOUND, "text/plain", b"", location=site.redirects[path])
        elif path in site.pages:
            self._answer(HTTPStatus.OK, "text/html; charset=utf-8", site.pages[path].html.encode())
        elif path in site.files:
            self._answer(HTTPStatus.OK, *site.files[path])
        else:
            self._answer(HTTPStatus.NOT_FOUND, "text/html; charset=utf-8", _NOT_FOUND)

    def log_message(self, *_: object) -> None:
        """Log nothing: the terminal is for the crawl."""

    def _answer(self, status: HTTPStatus, content_type: str, body: bytes, location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)


_NOT_FOUND = (
    b'<!DOCTYPE html><html lang="en"><title>Not found | The Weir House</title>'
    b"<h1>This page has gone down the river</h1><p><a href='/'>Back to the weir</a></p></html>"
)
