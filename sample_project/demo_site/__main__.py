"""Serve the demo site to a browser: `python -m sample_project.demo_site`."""

from __future__ import annotations

import threading
from contextlib import suppress

from sample_project.demo_site.server import DemoServer
from sample_project.demo_site.site import build_site

with DemoServer(build_site()) as server, suppress(KeyboardInterrupt):
    print(f"The demo site is on {server.url} (Ctrl-C stops it)", flush=True)  # noqa: T201 - a program
    threading.Event().wait()
