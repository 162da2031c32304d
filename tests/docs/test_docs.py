"""The documentation builds, its links lead somewhere, and its tables and names are those of the code."""

import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

import templex_scrapy
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.stats import Stat

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("bench/*.md")]


def run(*arguments):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603


@pytest.mark.subprocess
def test_the_documentation_builds_without_warnings(tmp_path):
    pytest.importorskip("sphinx")
    built = run("-m", "sphinx", "-b", "html", "--fail-on-warning", "--keep-going", "--quiet", "docs", tmp_path)
    assert built.returncode == 0, built.stderr
    assert 'href="changes.html"' in (tmp_path / "index.html").read_text("utf-8")


def anchors(file):
    """The anchors that code hosts make of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_code_host_shows_the_pages_without_sphinx(file):
    """Links lead to files and headings, and no page has directives, roles or labels."""
    text = re.sub(r"`[^`\n]+`", "", file.read_text("utf-8"))
    assert re.findall(r"^```\{.*|^\(.*\)=$|\{[a-z:]+\}`.*|^: .*", text, re.MULTILINE) == []
    for path, anchor in re.findall(r"\]\((?!\w+:)([^)#]*)#?([^)]*)\)", text):
        target = (file.parent / path).resolve() if path else file
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


@pytest.mark.subprocess
def test_tables_are_up_to_date():
    checked = run("docs/tables.py", "--check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_pages_name_only_settings_and_stats_that_exist():
    settings = {f"TEMPLEX_{field.name.upper()}" for field in fields(TemplexSettings)}
    stats = {stat.value for stat in Stat}
    # a wrong name in an example, and variables of dev.py and the build
    others = {"TEMPLEX_HTML_FEILD", "TEMPLEX_VENV", "TEMPLEX_COMPILED"}
    for file in PAGES:
        text = file.read_text(encoding="utf-8")
        assert set(re.findall(r"\bTEMPLEX_[A-Z_]+[A-Z]", text)) <= settings | others, file
        assert set(re.findall(r"`(templex/[a-z_]+(?:/[a-z_]+)?)`", text)) <= stats, file


def test_set_up_names_the_extras_and_installs_from_a_clone():
    """No page needs a release of the package."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    text = (ROOT / "docs/setup.md").read_text("utf-8").partition("## Extras")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(extras) - {"docs", "test"}
    for file in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        assert 'install "templex-scrapy' not in file.read_text("utf-8"), file


def test_the_reference_has_the_names_that_the_package_exports():
    reference = (ROOT / "docs/reference/python.md").read_text("utf-8")
    assert set(re.findall(r"^### (\w+)$", reference, re.MULTILINE)) == set(templex_scrapy.__all__)
