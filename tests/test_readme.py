"""The README against the code: whatever exists is documented, whatever is documented exists, and the examples run."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.stats import Stat

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def rows(table: str) -> list[list[str]]:
    found = re.search(rf"<!-- {table} -->\n(.*?)\n<!-- /{table} -->", README, re.DOTALL)
    assert found is not None
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found[1].splitlines()[2:]]


def test_all_settings_with_their_defaults():
    defaults = TemplexSettings()
    documented = {name.strip("`"): default.strip("`") for name, default, _ in rows("settings")}
    assert set(documented) == {f"TEMPLEX_{field.name.upper()}" for field in fields(TemplexSettings)}
    for name, default in documented.items():
        value = getattr(defaults, name.removeprefix("TEMPLEX_").lower())
        plain = dict(value) if hasattr(value, "items") else list(value) if isinstance(value, tuple) else value
        assert eval(default) == plain, name  # noqa: S307 - of our own README


def test_all_stats():
    assert {name.strip("`") for name, _ in rows("stats")} == {stat.value for stat in Stat}


def test_links_inside_the_project_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:|#)([^)]+)\)", README):
        assert (ROOT / target).exists(), target
    for target in re.findall(r"`((?:benchmarks|sample_project|tests)/[\w./]+)`", README):
        assert (ROOT / target).exists(), target


def python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", python_blocks(), ids=range(len(python_blocks())))
def test_python_blocks_are_python(block):
    compile(block, "README.md", "exec")


def test_the_python_example_runs():
    (block,) = [block for block in python_blocks() if "find_template" in block]
    menu = "".join(f'<li><a href="/news/{name}.html">{name}</a></li>' for name in "abcd")
    pages = {
        f"https://example.com/news/{name}.html": f"<html><body><ul>{menu}</ul><p>Text of {name}.</p></body></html>"
        for name in "abcd"
    }
    names = {"pages": pages, "html": f"<html><body><ul>{menu}</ul><p>Own text.</p></body></html>"}
    exec(block, names)  # noqa: S102 - of our own README
    assert names["match"].fits
    assert "Own text." in names["match"].strip()
    assert "/news/b.html" not in names["match"].strip()


def test_no_placeholder_is_left():
    assert "FIXME" not in README
