"""A server of the demo site on this machine, in a thread of its own."""

from __future__ import annotations

import errno
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
    """Serves a `DemoSite` between `start` and `stop`, or in a `with` block.

    Args:
        site: the site.
        port: the port; None: the usual one, or a free one if that is in use.
    """

    def __init__(self, site: DemoSite, port: int | None = None) -> None:
        self._site = site
        self._port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """URL of the home page while the server runs."""
        if self._server is None:
            raise RuntimeError("The server is not running: call start() first")
        return f"http://{HOST}:{self._server.server_port}/"

    def start(self) -> str:
        """Start the server and return the URL of the home page."""
        self._server = _listen(self._site, self._port)
        # a short interval makes stop() quick
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="demo-site", daemon=True
        )
        self._thread.start()
        return self.url

    def stop(self) -> None:
        """Stop the server; does nothing if it is not running."""
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server = self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # on Windows the option would let two servers share the port
    allow_reuse_address = os.name != "nt"

    def __init__(self, site: DemoSite, port: int) -> None:
        self.site = site
        super().__init__((HOST, port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = 10
    # headers and body are sent together, so that no packet waits for the acknowledgement of another
    wbufsize = -1
    server_version = "DemoSite"
    sys_version = ""

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

    def do_HEAD(self) -> None:
        """Answer as to GET, without the body."""
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Log nothing: the terminal is for the crawl."""

    def _answer(self, status: HTTPStatus, content_type: str, body: bytes, location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


_NOT_FOUND = (
    b'<!DOCTYPE html><html lang="en"><title>Not found | The Weir House</title>'
    b"<h1>This page has gone down the river</h1><p><a href='/'>Back to the weir</a></p></html>"
)


def _listen(site: DemoSite, port: int | None) -> _Server:
    if port is not None:
        return _Server(site, port)
    # the usual port keeps the URLs, and so the rows of a database, the same from run to run
    try:
        return _Server(site, USUAL_PORT)
    except OSError as error:
        if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
            raise
    return _Server(site, 0)
