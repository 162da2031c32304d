"""The pictures of the documentation show what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

DOCS = Path(__file__).resolve().parents[2] / "docs"
DRAWN = DOCS / "pictures" / "drawn"
EXACT = ("before-and-after", "subdigraph", "votes")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pictures, drawn anew."""
    folder = tmp_path_factory.mktemp("pictures")
    command = [sys.executable, "-m", "pictures", str(folder)]
    done = subprocess.run(command, cwd=DOCS, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603 - ours
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", EXACT)
def test_runs_without_a_crawl_are_drawn_to_the_letter(drawn: Path, name: str) -> None:
    """A search by hand gives the same each time."""
    anew, kept = ((folder / f"{name}.svg").read_text(encoding="utf-8") for folder in (drawn, DRAWN))
    assert anew == kept, "run: cd docs && python -m pictures"


def test_the_crawl_is_drawn_as_it_is(drawn: Path) -> None:
    """Which templates a crawl learns depends on the order in which pages arrive, so its words may differ a little."""
    anew, kept = (numbers(folder / "crawl.svg") for folder in (drawn, DRAWN))
    assert anew[0] == kept[0]
    for new, old in zip(anew[1:], kept[1:], strict=True):
        assert new == pytest.approx(old, rel=0.05), "run: cd docs && python -m pictures"


def numbers(file: Path) -> list[int]:
    """Pages, words before and words after, from the picture's description."""
    description = etree.parse(file).findtext("{http://www.w3.org/2000/svg}desc")
    return [int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", description or "")]


@pytest.mark.parametrize("file", sorted(DRAWN.glob("*.svg")), ids=lambda file: file.stem)
def test_pictures_are_for_everybody(file: Path) -> None:
    """Who cannot see them is told what they show; all colours have one for dark pages as well."""
    root = etree.parse(file).getroot()
    assert root.get("role") == "img"
    for identifier in (root.get("aria-labelledby") or "").split():
        (described,) = root.xpath("//*[@id=$id]", id=identifier)
        assert described.text
    colours = {value for element in root.iter() for name in ("fill", "stroke") if (value := element.get(name))}
    assert colours
    assert all(colour.startswith("var(--") for colour in colours)
