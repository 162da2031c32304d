"""The tables of settings, stats and options say what the code says."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.stats import Stat

DOCS = Path(__file__).resolve().parents[2] / "docs"
REFERENCE = DOCS / "reference"


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    """The program that writes the tables."""
    spec = importlib.util.spec_from_file_location("documentation_tables", DOCS / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(file: Path, table: str) -> list[list[str]]:
    text = file.read_text(encoding="utf-8")
    found = re.search(rf"<!-- table: {table} -->\n(.*?)\n<!-- /table -->", text, re.DOTALL)
    assert found is not None
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found[1].splitlines()[2:]]


@pytest.mark.parametrize("file", sorted(DOCS.rglob("*.md")), ids=lambda file: str(file.relative_to(DOCS)))
def test_tables_are_up_to_date(tables: ModuleType, file: Path) -> None:
    """`python docs/tables.py` would change nothing."""
    text = file.read_text(encoding="utf-8")
    assert tables.updated(text) == text, "run: python docs/tables.py"


def test_every_table_is_in_a_page(tables: ModuleType) -> None:
    """None is forgotten."""
    text = "".join(file.read_text(encoding="utf-8") for file in DOCS.rglob("*.md"))
    assert set(re.findall(r"<!-- table: ([a-z ]+) -->", text)) == tables.TABLES.keys()


def test_every_setting_is_there_with_its_default() -> None:
    """Told independently of the program that writes the table."""
    defaults = TemplexSettings()
    documented = {
        re.sub(r"^\[?`(\w+)`.*", r"\1", name): default.strip("`")
        for name, default, _ in rows(REFERENCE / "settings.md", "settings")
    }
    assert set(documented) == {f"TEMPLEX_{field.name.upper()}" for field in fields(TemplexSettings)}
    for name, default in documented.items():
        value = getattr(defaults, name.removeprefix("TEMPLEX_").lower())
        plain = dict(value) if hasattr(value, "items") else list(value) if isinstance(value, tuple) else value
        assert eval(default) == plain, name  # noqa: S307 - of our own documentation


def test_every_section_is_about_a_setting() -> None:
    """Those for which the table is too short have one."""
    headings = re.findall(r"^### (TEMPLEX_\w+)$", (REFERENCE / "settings.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(headings) == len(set(headings)) > 10
    assert set(headings) <= {f"TEMPLEX_{field.name.upper()}" for field in fields(TemplexSettings)}


def test_every_stat_is_there() -> None:
    """With what it counts."""
    documented = {name.strip("`"): counts for name, counts in rows(REFERENCE / "stats.md", "stats")}
    assert documented == {stat.value: stat.doc for stat in Stat}


def test_figures_are_those_of_the_readme() -> None:
    """What was measured is told twice."""
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    figures = set(re.findall(r"\b0\.\d{3}\b", (DOCS / "judge.md").read_text(encoding="utf-8")))
    assert figures
    assert figures <= set(re.findall(r"\b0\.\d{3}\b", readme)), "docs/judge.md, What we measured"


def test_pages_name_no_setting_or_stat_that_is_none() -> None:
    """A renamed one would live on in the prose."""
    settings = {f"TEMPLEX_{field.name.upper()}" for field in fields(TemplexSettings)}
    stats = {stat.value for stat in Stat}
    for file in DOCS.rglob("*.md"):
        text = file.read_text(encoding="utf-8").replace("TEMPLEX_HTML_FEILD", "")
        assert set(re.findall(r"\bTEMPLEX_[A-Z_]+[A-Z]", text)) <= settings, file
        assert set(re.findall(r"\btemplex/[a-z_]+(?:/[a-z_]+)?\b(?!\.)", text)) <= stats, file
