"""The documentation is built without a warning, and its links lead somewhere."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the documentation's tests need the extra 'docs'")

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINKS = DOCS / "links.py"


def check_links(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, str(LINKS), str(folder)], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built documentation; warnings fail the build."""
    folder = tmp_path_factory.mktemp("docs")
    command = [
        "-m",
        "sphinx",
        "-b",
        "html",
        "-W",
        "--keep-going",
        "-q",
        "-d",
        folder / "doctrees",
        DOCS,
        folder / "html",
    ]
    built = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, *map(str, command)],
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder / "html"


def test_every_page_is_built(site: Path) -> None:
    """No source is left out by accident."""
    sources = {file.relative_to(DOCS).with_suffix("") for file in DOCS.rglob("*.md")} - {Path("README")}
    assert sources <= {file.relative_to(site).with_suffix("") for file in site.rglob("*.html")}


def test_links_between_pages_lead_somewhere(site: Path) -> None:
    """Pages, files and anchors are all there."""
    checked = check_links(site)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_pages_request_nothing_from_elsewhere(site: Path) -> None:
    """A reader without a network sees them whole."""
    for file in site.rglob("*.html"):
        for start in ('<script src="http', '<img src="http', '<link rel="stylesheet" type="text/css" href="http'):
            assert start not in file.read_text(encoding="utf-8"), file


def test_dev_py_builds_it_and_checks_the_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure of either step is the command's."""
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    dev = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dev)
    for build, links in ((0, 0), (0, 1), (2, 0)):
        ran: list[str] = []

        def step(code: int, words: tuple[object, ...], ran: list[str] = ran) -> int:
            ran.append(" ".join(map(str, words)))
            return code

        monkeypatch.setattr(dev.Environment, "install_project", lambda _self, extra, ran=ran: ran.append(extra))
        monkeypatch.setattr(dev.Environment, "module", lambda _self, *words, code=build: step(code, words))
        monkeypatch.setattr(dev, "run", lambda words, code=links: step(code, tuple(words)))
        assert dev.docs(dev.Environment(tmp_path), ["--nitpicky"]) == (build or links)
        assert ran[0] == "docs"
        assert "--fail-on-warning" in ran[1]
        assert "--nitpicky" in ran[1]
        assert [str(LINKS) in line for line in ran[2:]] == ([True] if build == 0 else [])


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("gone.html", "no such file"),
        ("other.html#gone", "no such anchor"),
        ("#gone", "no such anchor"),
        ("other.html#h%C3%A9re", None),
        ("other.html", None),
        ("#here", None),
        ("https://example.com/gone", None),
        ("mailto:nobody@example.com", None),
    ],
)
def test_broken_links_are_found(tmp_path: Path, link: str, problem: str | None) -> None:
    """The check finds what it is for, and nothing else."""
    (tmp_path / "index.html").write_text(f'<p id="here"><a href="{link}">link</a>', encoding="utf-8")
    (tmp_path / "other.html").write_text('<meta charset="utf-8"><p id="hére">Text', encoding="utf-8")
    checked = check_links(tmp_path)
    assert checked.returncode == (1 if problem else 0)
    expected = f"index.html: {link}: {problem}" if problem else "No link between the pages is broken."
    assert checked.stdout.strip() == expected
