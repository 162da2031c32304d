"""The code blocks of the documentation run."""

import doctest
import re
from typing import Any

import pytest
from helpers.blocks import ROOT, Project, blocks_of
from scrapy import Spider
from scrapy.settings import Settings

from templex_scrapy.crawl.settings import TemplexSettings

pytestmark = pytest.mark.integration

FILES = [file for file in sorted((ROOT / "docs").rglob("*.md")) if file != ROOT / "docs" / "README.md"]
PAGES = {str(file.relative_to(ROOT)): [block for block in blocks_of(file) if block.kind != "shown"] for file in FILES}
# the commands of the README make environments and take minutes
PAGES["README.md"] = [block for block in blocks_of(ROOT / "README.md") if block.language == "python"]


class PageRunner:
    """Runs the blocks of one page from top to bottom."""

    def __init__(self, folder, blocks):
        self.project = Project(folder)
        self._scripts = "".join(block.source for block in blocks if block.language == "sh")
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._output = ""

    def run(self, block):
        """Do what language and kind ask for."""
        getattr(self, f"_{block.language}_{block.kind.replace(' ', '_')}")(block)

    def _python_run(self, block):
        block.execute(self._names)

    def _python_settings(self, block):
        settings = {name: value for name, value in block.execute({}).items() if name.isupper()}
        assert settings
        TemplexSettings.from_crawler_settings(Settings(settings))

    def _python_project_settings(self, block):
        self._python_settings(block)
        self.project.add_settings(block.source)

    def _python_spider(self, block):
        """Crawl the demo site with the spiders of the block, unless the page does so further down."""
        classes = [one for one in block.execute({"__name__": "shop"}).values() if isinstance(one, type)]
        names = [one.name for one in classes if issubclass(one, Spider) and one.__module__ == "shop"]
        assert names
        self.project.add_spiders(block.source, f"line_{block.line}")
        for name in names:
            if f"scrapy crawl {name}" not in self._scripts:
                self._check(self.project.run(f"scrapy crawl {name} -s CLOSESPIDER_ITEMCOUNT=4"))

    def _sh_run(self, block):
        self._output = self.project.run(block.source)
        if "-L INFO" in block.source:
            self._check(self._output)

    def _check(self, output):
        """Items came out, and nothing failed."""
        assert "'templex/items': " in output
        assert "'templex/errors'" not in output
        assert "'log_count/ERROR'" not in output, output

    def _text_run(self, block):
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(block.source, self._output, flags), self._output

    def _text_output_lines(self, block):
        for line in filter(None, map(str.strip, block.source.splitlines())):
            assert re.search(re.sub(r"\d[\d,]*", r"[\\d,]+", re.escape(line)), self._output), f"{line}\n{self._output}"


@pytest.mark.subprocess
@pytest.mark.parametrize("page", [page for page, blocks in PAGES.items() if blocks])
def test_blocks_run(page, tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    runner = PageRunner(folder, PAGES[page])
    for block in PAGES[page]:
        runner.run(block)
