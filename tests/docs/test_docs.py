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
def test_the_documentation_builds_without_warnings_and_broken_links(tmp_path):
    pytest.importorskip("sphinx")
    options = ("--builder", "html", "--fail-on-warning", "--keep-going", "--quiet")
    built = run("-m", "sphinx", *options, "docs", tmp_path)
    assert built.returncode == 0, built.stderr
    checked = run("docs/links.py", tmp_path)
    assert checked.returncode == 0, checked.stdout


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


def test_links_between_files_lead_somewhere():
    for file in [*ROOT.glob("*.md"), *ROOT.glob("bench/*.md")]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", file.read_text(encoding="utf-8")):
            assert (file.parent / target).exists(), f"{file}: {target}"


def test_the_reference_has_the_names_that_the_package_exports():
    reference = (ROOT / "docs/reference/python.md").read_text("utf-8")
    described = set(re.findall(r"::\s+templex_scrapy\.(\w+)(?:\(\))?$", reference, re.MULTILINE))
    assert described | {"signals"} == set(templex_scrapy.__all__)
    assert "templex_scrapy.crawl.signals" in reference
