"""The one script of the report, in a browser: tables are sorted by a click on the heading of a column."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

from report_cases import experiment, on_site
from templex_bench.bootstrap import Bootstrap
from templex_bench.report import report

TABLE = "#table-sites-category-template-nodes-temex"


@pytest.fixture(scope="module")
def window(browser, tmp_path_factory):
    """A report in Chromium, with all that its console said."""
    rows = [on_site(name, f1=f1, category=name) for name, f1 in (("blog", 0.5), ("docs", 1.0), ("shop", 0.75))]
    rows.append(on_site("wiki", error="Boom", f1=None, category="wiki"))
    rows.append(experiment(detector="sst", site="wiki", category="wiki"))
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(report(rows, bootstrap=Bootstrap(resamples=50)).html(), encoding="utf-8")
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    yield page
    page.close()
    assert said == []


def first_cells(window) -> list[str]:
    return window.eval_on_selector_all(f"{TABLE} tbody tr > th", "cells => cells.map(cell => cell.textContent)")


def click(window, title: str) -> str | None:
    """Sort by a column, with the keyboard; how it says that it is sorted."""
    heading = window.locator(
        f"{TABLE} thead tr:last-child th", has=window.get_by_role("button", name=title, exact=True)
    )
    heading.first.locator("button").press("Enter")
    return heading.first.get_attribute("aria-sort")


def test_numbers_are_sorted_as_numbers_and_words_as_words(window) -> None:
    """Numbers begin with the highest, what has none comes last either way, and the total stays where it is."""
    assert first_cells(window) == ["blog", "docs", "shop", "wiki", "all"]
    assert click(window, "F1") == "descending"
    assert first_cells(window) == ["docs", "shop", "blog", "wiki", "all"]
    assert click(window, "F1") == "ascending"
    assert first_cells(window) == ["blog", "shop", "docs", "wiki", "all"]
    assert click(window, "Category") == "ascending"
    assert click(window, "Category") == "descending"
    assert first_cells(window) == ["wiki", "shop", "docs", "blog", "all"]
    assert window.locator(f"{TABLE} [aria-sort]").count() == 1


def test_a_heading_looks_as_it_did(window) -> None:
    """Every heading of a column is one button, and none is added to the groups above them."""
    columns = window.locator("thead tr:last-child th").count()
    assert window.locator("thead button").count() == columns
    assert window.locator("thead .groups button").count() == 0
