"""The extension: when the report is written, where, and that its failures fail no crawl."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.crawling import SiteSpider
from helpers.recorded import Search, record_crawl
from helpers.web import MENU
from scrapy.signalmanager import SignalManager

from templex_scrapy.crawl.settings import TemplexSettingsError
from templex_scrapy.inspect import TemplexReport, extension


def extension_with(path: Path | str, *, is_used: bool = True) -> TemplexReport:
    """The extension, with some pages recorded or none."""
    context = SimpleNamespace(settings=SimpleNamespace(report=str(path), dry_run=False))
    crawler: Any = SimpleNamespace(
        signals=SignalManager(),
        stats=SimpleNamespace(get_stats=lambda: {"templex/items": 4}),
        spider=SimpleNamespace(name="reported"),
        get_addon=lambda _: SimpleNamespace(context=context),
    )
    report = TemplexReport.from_crawler(crawler)
    if is_used:
        record_crawl(report.recorder)
    return report


def close(report: TemplexReport) -> None:
    asyncio.run(report.spider_closed("finished"))


@pytest.mark.parametrize("is_broken", [False, True])
def test_texts_are_read_in_a_thread(tmp_path, event_loop_of_reactor, monkeypatch, caplog, is_broken):
    """Not while the signal is sent; the last report waits for them, and an error costs only the texts of the page.

    Of pages that come faster than they are read, the others are only counted.
    """
    path, search = tmp_path / "report.html", Search()
    report = extension_with(path, is_used=False)
    threads, read = [], extension.read_texts

    def read_texts(*args, **options):
        threads.append(threading.current_thread())
        return 1 / 0 if is_broken else read(*args, **options)

    monkeypatch.setattr(extension, "read_texts", read_texts)
    monkeypatch.setattr(extension, "MAX_WAITING", 2)

    async def crawl() -> None:
        for body in ("", "<br>" * 10_000, "<br>"):
            report.page_cleaned(search.clean("/a", body=body))
        (site,) = report.recorder.sites.values()
        (template,) = site.templates.values()
        assert (template.pages, template.texts.pages) == (3, 0)
        await report.spider_closed("finished")
        assert template.texts.pages == (0 if is_broken else 2)

    event_loop_of_reactor.run_until_complete(crawl())
    assert len(threads) == 2
    assert threading.main_thread() not in threads
    assert caplog.text.count("The report lacks the texts of https://site.test/a") == (2 if is_broken else 0)
    assert ("Section /news/" in path.read_text()) is not is_broken


def test_it_is_written_meanwhile_and_at_the_end(tmp_path: Path):
    """In one step, so that no other file is left."""
    path = tmp_path / "made" / "%(name)s.html"
    report = extension_with(path)
    written = tmp_path / "made" / "reported.html"
    report.write()
    assert "still running" in written.read_text(encoding="utf-8")
    close(report)
    assert "finished</span>" in written.read_text(encoding="utf-8")
    assert list(written.parent.iterdir()) == [written]


def test_without_pages_an_older_report_is_left(tmp_path: Path):
    """``scrapy fetch`` and ``scrapy shell`` do not replace the report of a crawl."""
    path = tmp_path / "report.html"
    path.write_text("older")
    report = extension_with(path, is_used=False)
    report.write()
    close(report)
    assert path.read_text() == "older"


def test_failures_are_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """The older report is left."""
    path = tmp_path / "report.html"
    report = extension_with(path)
    report.write()
    before = path.read_bytes()

    def broken(*_: object) -> None:
        raise RuntimeError("no figure today")

    monkeypatch.setattr(extension, "report_html", broken)
    with caplog.at_level(logging.ERROR):
        report.write()
        close(report)
    assert len(caplog.records) == 2
    assert "the crawl continues" in caplog.text
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("path", ["file/report.html", ".", "file/deeper/report.html"])
def test_a_path_that_cannot_be_written_stops_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str):
    """A folder, or a path below a file: the message says why."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(TemplexSettingsError, match=rf"TEMPLEX_REPORT = '{re.escape(path)}' cannot be written"):
        extension_with(path)


def test_a_crawl_with_a_report(new_site, tmp_path, crawl):
    """The log says where the report is; the numbers are the stats; a crawl that ends early says so."""
    site, path = new_site(), tmp_path / "report.html"
    for page_path in MENU:
        site.add(page_path)
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_REPORT=str(path), CLOSESPIDER_ITEMCOUNT=4)
    assert f"Crawl report: {path.as_uri()}" in crawled.messages(logging.INFO)
    written = path.read_text(encoding="utf-8")
    assert f"<span>Items</span><b>{crawled.count('items')}</b>" in written
    assert "ended early: closespider_itemcount" in written
    assert "Removed texts" in written
