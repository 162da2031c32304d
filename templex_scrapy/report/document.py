"""The report as one HTML file. It has no script, and requests nothing; what pages say gets into it as text only."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import unquote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from templex_scrapy.crawl.summary import counted, in_bytes, percent, share
from templex_scrapy.report import charts
from templex_scrapy.report.excerpt import plain
from templex_scrapy.report.snapshot import SiteView, Snapshot
from templex_scrapy.report.subdigraph import SIZE, drawn


def document(snapshot: Snapshot) -> str:
    """The report's source, to be written as UTF-8.

    Complexity:
        A figure for each site that is shown with its templates, each some tenths of a second.
    """
    environment = Environment(
        loader=PackageLoader("templex_scrapy.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        percent=percent,
        bytes=in_bytes,
        duration=duration,
        number=lambda value: f"{value:,}",
        readable=readable,
    )
    environment.globals.update(counted=counted, share=share, drawn=drawn, is_web=is_web, size=SIZE)
    written = environment.get_template("report.html.j2").render(
        report=snapshot,
        savings=_svg(charts.savings(snapshot.savings, snapshot.pages, snapshot.seconds)) if snapshot.pages else "",
        coverage=[_coverage(snapshot, place, site) for place, site in enumerate(snapshot.detailed)],
    )
    # lone surrogates, which addresses may hold, have no form in UTF-8
    return written.encode("utf-8", "replace").decode("utf-8")


def _coverage(snapshot: Snapshot, place: int, site: SiteView) -> Markup:
    return _svg(charts.coverage(site.templates, snapshot.seconds, f"site-{place}", site.site))


def _svg(source: str) -> Markup:
    """An ``svg`` element as lxml has written it, from texts that it has escaped."""
    return Markup(source)  # noqa: S704 - see above


def duration(seconds: float) -> str:
    """A time as people read it: ``0:07`` for seven seconds."""
    whole = timedelta(seconds=round(seconds))
    text = str(whole)
    return text.removeprefix("0:").removeprefix("0") if whole < timedelta(hours=1) else text


def readable(url: str) -> str:
    """An address with the letters that its percent signs stand for, where they stand for letters."""
    decoded = unquote(url)
    return url if "\ufffd" in decoded else plain(decoded)


def is_web(url: str) -> bool:
    """Whether an address may become a link."""
    return url.startswith(("http://", "https://")) and not url.endswith("…")
