"""Every code block of the documentation is run, or, where that is not possible, checked as far as it goes."""

from __future__ import annotations

import doctest
import importlib.util
import json
import re
import shlex
import tomllib
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from templex_scrapy import Page
from templex_scrapy.commands.templex import Command
from templex_scrapy.crawl.settings import TemplexSettings

pytest.importorskip("markdown_it", reason="the documentation's tests need the extra 'docs'")

from blocks import KINDS, NEEDS_REASON, Block, Project, blocks_of

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(file for file in DOCS.rglob("*.md") if "_build" not in file.parts)
_CRAWL = re.compile(r"^scrapy crawl (\w+)", re.MULTILINE)
BLOCKS = {file: blocks_of(file) for file in PAGES}


class Bench:
    """Runs the blocks of one page one after the other; later ones see what earlier ones made."""

    def __init__(self, folder: Path, blocks: Sequence[Block]) -> None:
        self.project = Project(folder)
        runs = [block.source for block in blocks if (block.language, block.kind) == ("sh", "run")]
        self._crawled_by_page = {name for source in runs for name in _CRAWL.findall(source)}
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._output = ""

    def run(self, block: Block) -> None:
        """Do what the block's language and kind ask for."""
        getattr(self, f"_{block.kind.replace(' ', '_')}_{block.language}")(block)

    def _run_python(self, block: Block) -> None:
        exec(block.compiled(), self._names)  # noqa: S102 - of our own documentation

    def _compiled_python(self, block: Block) -> None:
        block.compiled()

    def _settings_python(self, block: Block) -> None:
        names: dict[str, Any] = {"ADDONS": {"templex_scrapy.Addon": 500}}
        exec(block.compiled(), names)  # noqa: S102 - as above
        settings = {name: value for name, value in names.items() if name.isupper()}
        assert settings.keys() - {"ADDONS"} or "ADDONS" in block.source, "a block of settings sets something"
        TemplexSettings.from_crawler_settings(Settings(settings))
        crawler = get_crawler(settings_dict=settings)
        assert any("Templex" in str(name) for name in crawler.settings.getdict("ITEM_PIPELINES"))

    def _project_settings_python(self, block: Block) -> None:
        self._settings_python(block)
        self.project.add_settings(block.source)

    def _spider_python(self, block: Block) -> None:
        """Crawl the demo site with the spiders of the block, unless the page itself does so further down."""
        names: dict[str, Any] = {"__name__": "shop"}
        exec(block.compiled(), names)  # noqa: S102 - as above
        classes = [one for one in names.values() if isinstance(one, type) and issubclass(one, Spider)]
        spiders = [one.name for one in classes if one.__module__ == "shop"]
        assert spiders, f"{block.place}: no spider"
        self.project.add_spider(block.source)
        for name in spiders:
            if name not in self._crawled_by_page:
                done = self.project.run(f"scrapy crawl {shlex.quote(name)} -s CLOSESPIDER_ITEMCOUNT=8")
                assert done.returncode == 0, f"{block.place}\n{done.stderr}"
                self._check_crawl(name, done.stderr)

    def _check_crawl(self, name: str, log: str) -> None:
        """Items came out, the plug-in saw them, and nothing failed."""
        file = self.project.folder / f"stats-{name}.json"
        stats = json.loads(file.read_text(encoding="utf-8"))
        file.unlink()
        assert stats.get("item_scraped_count", 0) > 0, log
        assert stats.get("templex/items", 0) > 0, log
        assert not {"templex/errors", "log_count/ERROR"} & stats.keys(), log

    def _run_sh(self, block: Block) -> None:
        done = self.project.run(block.source)
        assert done.returncode == 0, f"{block.place}\n{done.stdout}\n{done.stderr}"
        self._output = done.stdout + done.stderr
        for name in dict.fromkeys(_CRAWL.findall(block.source)):
            self._check_crawl(name, self._output)

    def _words_sh(self, block: Block) -> None:
        for line in block.source.splitlines():
            words = shlex.split(line, comments=True)
            if words:
                check_words(words)

    def _output_text(self, block: Block) -> None:
        told = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        same = doctest.OutputChecker().check_output(block.source, self._output, told)
        assert same, f"{block.place}: the command says\n{self._output}"

    def _output_lines_text(self, block: Block) -> None:
        """Each line is in the output, whatever numbers stand in it there."""
        for line in filter(None, map(str.strip, block.source.splitlines())):
            pattern = re.sub(r"\d[\d,]*", r"[\\d,]+", re.escape(line))
            assert re.search(pattern, self._output), f"{block.place}: no line {line!r} in\n{self._output}"

    def _shown_text(self, block: Block) -> None:
        assert block.source.strip()

    def _parsed_json(self, block: Block) -> None:
        json.loads(block.source)

    def _parsed_toml(self, block: Block) -> None:
        tomllib.loads(block.source)

    def _parsed_html(self, block: Block) -> None:
        assert len(Page(block.source, "https://example.com/")) > 1


def check_words(words: list[str]) -> None:
    """Check a command that is not run: what it names has to exist."""
    checks: dict[tuple[str, ...], Callable[[list[str]], None]] = {
        ("pip", "install"): _check_requirements,
        ("python3", "dev.py"): _check_dev,
        ("python", "dev.py"): _check_dev,
        ("python", "-m"): _check_module,
        ("scrapy", "crawl"): _check_spider,
        ("scrapy", "templex"): _check_templex,
    }
    for start, check in checks.items():
        if tuple(words[: len(start)]) == start:
            check(words[len(start) :])
            return
    raise AssertionError(f"nothing is known about {shlex.join(words)}")


def _check_requirements(requirements: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in requirements:
        own = re.fullmatch(r"(?:\.|templex-scrapy)(?:\[([\w,-]+)\])?", requirement)
        if own is not None:
            assert set((own[1] or "").split(",")) - {""} <= project["optional-dependencies"].keys(), requirement


def _check_dev(arguments: list[str]) -> None:
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    dev = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dev)
    assert arguments[0] in dev.COMMANDS


def _check_module(arguments: list[str]) -> None:
    assert importlib.util.find_spec(f"{arguments[0]}.__main__") is not None


def _check_templex(arguments: list[str]) -> None:
    parser = ArgumentParser(exit_on_error=False, conflict_handler="resolve")
    command = Command()
    command.settings = Settings()
    command.add_options(parser)
    options, rest = parser.parse_known_args(arguments)
    command.process_options(rest, options)


def _check_spider(arguments: list[str]) -> None:
    names = [file.stem for file in (ROOT / "sample_project" / "spiders").glob("*.py")]
    assert arguments[0] in names


def test_each_block_has_a_kind_that_its_language_knows() -> None:
    """A block without a language, or with a misspelt marker, would not be tested; so there must be none."""
    for block in (block for blocks in BLOCKS.values() for block in blocks):
        assert block.language in KINDS, f"{block.place}: language {block.language!r}"
        assert block.kind in KINDS[block.language], f"{block.place}: {block.language} is not {block.kind}"
        assert bool(block.reason) == (block.kind in NEEDS_REASON), f"{block.place}: a reason is missing, or of no use"


@pytest.mark.parametrize("file", [pytest.param(file, id=str(file.relative_to(DOCS))) for file in PAGES if BLOCKS[file]])
def test_the_blocks_of_a_page(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page, from the top, in a project of their own."""
    bench = Bench(tmp_path / "project", BLOCKS[file])
    monkeypatch.chdir(bench.project.folder)
    monkeypatch.syspath_prepend(Path(__file__).parent)
    for block in BLOCKS[file]:
        bench.run(block)
