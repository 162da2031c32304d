"""Serve the demo site to a browser: `python -m sample_project.demo_site [--port N]`."""

from __future__ import annotations

import argparse
import sys
import threading

from sample_project.demo_site.server import DemoServer
from sample_project.demo_site.site import build_site


def main() -> int:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m sample_project.demo_site", description="Serves the demo site.")
    parser.add_argument("--port", type=int, help="the port to listen on; default: 8808, or a free one")
    options = parser.parse_args()
    try:
        with DemoServer(build_site(), options.port) as server:
            sys.stdout.write(f"The demo site is on {server.url} (Ctrl-C stops it)\n")
            sys.stdout.flush()
            threading.Event().wait()
    except (OSError, OverflowError) as error:
        sys.stderr.write(f"Cannot listen on port {options.port}: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
