"""What is compiled, and what runs as plain Python, give the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from helpers.detector_cases import SITES, needs_sites
from helpers.strategies import PIECES
from helpers.variants import load

import templex_scrapy
from sample_project.demo_site import build_site
from templex_scrapy.compiled import IS_COMPILED, digest_of, edited

FOLDER = Path(templex_scrapy.__file__).parent
COMPILED = [
    path.relative_to(FOLDER)
    for path in sorted(FOLDER.glob("**/*.py"))
    if "from templex_scrapy import cython\n" in path.read_text("utf-8")
]

READ = """
import hashlib, json, sys
from templex_scrapy import Page, Template
from templex_scrapy.compiled import running

found = [running()]
for sources in json.load(sys.stdin):
    pages = [Page(source, f"https://site.test/{number}/") for number, source in enumerate(sources)]
    template = Template.from_pages(pages[0], pages[1:4])
    for page in pages:
        match = template.match(page)
        told = [match.clean.html, match.clean.content_text, sorted(match.nodes), match.coverage, sorted(page.links)]
        found.append(hashlib.md5(json.dumps(told).encode()).hexdigest())
json.dump(found, sys.stdout)
"""


def run(code: str, value: str, text: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TEMPLEX_COMPILED": value, "PYTHONHASHSEED": value or "0"}
    return subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", code],
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )


def made_sites() -> list[list[str]]:
    """Pages of the demo site, with odd pieces of HTML at their ends."""
    pages = [page.html for page in build_site().pages.values() if page.kind in {"product", "article"}]
    sites = [pages[at : at + 8] for at in range(0, len(pages), 8)]
    return [[html + "".join(PIECES[number::8]) for number, html in enumerate(site)] for site in sites]


def saved_sites() -> list[list[str]]:
    """The first pages of some saved sites."""
    folders = sorted(SITES.glob("*"))[::3]
    found = [sorted(folder.glob("**/*.html"))[:5] for folder in folders]
    return [[path.read_text("utf-8", "replace") for path in paths] for paths in found if len(paths) == 5]


@pytest.mark.skipif(not IS_COMPILED, reason="this installation is plain Python")
@pytest.mark.parametrize(
    "sites", [made_sites, pytest.param(saved_sites, marks=[pytest.mark.integration, pytest.mark.shared, needs_sites])]
)
def test_compiled_and_plain_give_the_same(sites):
    """Also with another seed of hashes."""
    text = json.dumps(sites())
    done = [run(READ, value, text) for value in ("1", "0")]
    assert [process.stderr for process in done] == ["", ""]
    (compiled, *pages), (plain, *expected) = [json.loads(process.stdout) for process in done]
    assert pages == expected
    assert compiled.endswith(", compiled")
    assert plain.endswith(", plain Python")


@pytest.mark.skipif(not IS_COMPILED, reason="this installation is plain Python")
def test_all_modules_that_import_the_decorators_are_compiled():
    names = [".".join(("templex_scrapy", *path.with_suffix("").parts)) for path in COMPILED]
    code = f"import importlib, templex_scrapy\nfor name in {names!r}: print(importlib.import_module(name).__file__)"
    for value, is_source in (("1", False), ("0", True)):
        files = run(code, value).stdout.splitlines()
        assert len(files) == len(names) > 0
        assert {file.endswith(".py") for file in files} == {is_source}


@pytest.mark.skipif(not IS_COMPILED, reason="this installation is plain Python")
def test_modules_are_loaded_in_both_variants():
    compiled, plain, room = load("page.words", "compiled"), load("page.words", "plain"), load("page", "plain")
    assert not compiled.__file__.endswith(".py")
    assert plain.__file__.endswith(".py")
    assert room.count_words is plain.count_words is not compiled.count_words
    assert sys.modules["templex_scrapy.page.words"] is compiled


@pytest.mark.parametrize("room", sorted({path.parent.name for path in COMPILED}))
def test_a_room_with_compiled_modules_is_tested_in_both_variants(room):
    texts = [path.read_text("utf-8") for path in (Path(__file__).parent / room).glob("test_*.py")]
    assert any('usefixtures("compiled_and_plain")' in text for text in texts)


def test_other_values_are_an_error():
    done = run("import templex_scrapy.page", "2")
    assert done.returncode == 1
    assert "TEMPLEX_COMPILED is '2': allowed are 0 and 1" in done.stderr


@pytest.fixture
def installed(tmp_path):
    """A development install of two compiled modules."""
    package = tmp_path / "templex_scrapy"
    (package / "page").mkdir(parents=True)
    for name in ("__init__.py", "compiled.py"):
        shutil.copy(FOLDER / name, package)
    for name in ("a.py", "b.pxd"):
        (package / name).write_text("x = 1\n")
    digests = [f"{digest_of(package / name)}  {name}\n" for name in ("a.py", "b.pxd")]
    (package / "compiled.sha256").write_text("".join(digests))
    (package / "page" / f"reader{EXTENSION_SUFFIXES[0]}").touch()
    return package


def test_a_source_that_was_edited_or_removed_after_it_was_compiled_is_known(installed):
    assert edited(installed) == []
    (installed / "a.py").write_text("x = 2\n")
    assert edited(installed) == ["a.py"]
    (installed / "b.pxd").unlink()
    assert edited(installed) == ["a.py", "b.pxd"]
    (installed / "compiled.sha256").unlink()  # as in a wheel
    assert edited(installed) == []


def test_after_an_edit_the_package_tells_of_it_and_runs_plain_or_not_at_all(installed):
    code = "import sys; sys.path.insert(0, '.'); from templex_scrapy import compiled; print(compiled.IS_COMPILED)"
    assert run(code, "1", cwd=installed.parent).stdout == "True\n"
    (installed / "a.py").write_text("x = 2\n")
    done = run(code, "", cwd=installed.parent)
    assert done.stdout == "False\n"
    assert "RuntimeWarning: templex_scrapy runs as plain Python, ten times slower: a.py" in done.stderr
    done = run(code, "1", cwd=installed.parent)
    assert done.returncode == 1
    assert "ImportError: TEMPLEX_COMPILED is 1, but the compiled modules are out of date: a.py" in done.stderr
    assert run(code, "0", cwd=installed.parent).stderr == ""
