"""The web site that the demo crawls: written, drawn and served by this project.

`build_site` makes every page in memory, the same bytes on each run; `DemoServer` serves them from this
machine. `python -m sample_project.demo_site` shows the site in a browser.
"""

from sample_project.demo_site.server import DemoServer
from sample_project.demo_site.site import DemoPage, DemoSite, build_site

__all__ = ["DemoPage", "DemoServer", "DemoSite", "build_site"]
