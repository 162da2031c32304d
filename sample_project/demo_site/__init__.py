"""The web site that the demo crawls.

`build_site` makes its pages in memory, the same bytes on each run, and `DemoServer` serves them from this machine.
`python -m sample_project.demo_site` serves them to a browser.
"""

from sample_project.demo_site.server import DemoServer
from sample_project.demo_site.site import DemoPage, DemoSite, build_site

__all__ = ["DemoPage", "DemoServer", "DemoSite", "build_site"]
