"""The code blocks of the documentation, and the Scrapy project in which those of one page are run.

What is done with a block follows from its language, or from a comment right above it, ``<!-- block: KIND -->`` or
``<!-- block: KIND; REASON -->``; docs/README.md lists the kinds for those who write.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKER = re.compile(r"<!-- block: (?P<kind>[a-z ]+?)(?:; (?P<reason>.+?))? -->\s*")
_DIRECTIVE = re.compile(r"\{[a-z-]+\}")

NEEDS_REASON = frozenset({"compiled", "words", "shown"})
"""Kinds of blocks that are not run; the marker says why."""

KINDS = {
    "python": {"run", "settings", "project settings", "spider", "compiled"},
    "sh": {"run", "words"},
    "text": {"output", "output lines", "shown"},
    "json": {"parsed"},
    "toml": {"parsed"},
    "html": {"parsed"},
}
"""What may be done with a block, by its language; the default comes first in ``DEFAULTS``."""

DEFAULTS = {"python": "run", "sh": "run", "text": "output", "json": "parsed", "toml": "parsed", "html": "parsed"}


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block of code.

    Attributes:
        file: the page that it is in.
        line: number of its first line of code, from 1.
        language: the word behind the fence.
        kind: what is done with it.
        reason: why it is not run.
        source: the code.
    """

    file: Path
    line: int
    language: str
    kind: str
    reason: str
    source: str

    @property
    def place(self) -> str:
        """Where it is, as editors understand it."""
        return f"{self.file}:{self.line}"

    def compiled(self) -> CodeType:
        """The code of a Python block, whose tracebacks name the page and its lines."""
        code: CodeType = compile("\n" * (self.line - 1) + self.source, str(self.file), "exec", dont_inherit=True)
        return code


def blocks_of(file: Path) -> list[Block]:
    """All blocks of a page, from the top."""
    return list(_blocks(file, MarkdownIt().parse(file.read_text(encoding="utf-8"))))


def _blocks(file: Path, tokens: list[Token]) -> Iterator[Block]:
    marker = None
    for token in tokens:
        if token.type == "html_block":
            marker = _MARKER.fullmatch(token.content.splitlines()[-1]) if token.content.strip() else None
        elif token.type == "fence" and not _DIRECTIVE.match(token.info):
            language = token.info.strip()
            yield Block(
                file=file,
                line=(token.map or [0])[0] + 2,
                language=language,
                kind=marker["kind"] if marker else DEFAULTS.get(language, "?"),
                reason=(marker["reason"] or "") if marker else "",
                source=token.content,
            )
            marker = None
        else:
            marker = None


class Project:
    """A Scrapy project with the plug-in in it, in which ``https://example.com`` is the demo site.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        package = folder / "shop"
        (package / "spiders").mkdir(parents=True)
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n", encoding="utf-8")
        for file in (package / "__init__.py", package / "spiders" / "__init__.py"):
            file.touch()
        self._settings = package / "settings.py"
        self._settings.write_text(
            "BOT_NAME = 'shop'\n"
            "SPIDER_MODULES = ['shop.spiders']\n"
            "ADDONS = {'templex_scrapy.Addon': 500}\n"
            "DOWNLOAD_HANDLERS = dict.fromkeys(('http', 'https'), 'demo_project.DemoDownloadHandler')\n"
            "EXTENSIONS = {'demo_project.StatsFile': 0}\n"
            "CONCURRENT_REQUESTS = 1\n"
            "DOWNLOAD_DELAY = 0\n"
            "TELNETCONSOLE_ENABLED = False\n",
            encoding="utf-8",
        )
        self._spiders = 0

    @property
    def settings(self) -> str:
        """The source of the project's settings."""
        return self._settings.read_text(encoding="utf-8")

    def add_settings(self, source: str) -> None:
        """Add to the project's settings."""
        self._settings.write_text(f"{self.settings}\n{source}", encoding="utf-8")

    def add_spider(self, source: str) -> None:
        """Add a module with spiders."""
        self._spiders += 1
        file = self.folder / "shop" / "spiders" / f"spiders_{self._spiders}.py"
        file.write_text(source, encoding="utf-8")

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a shell script in the project's folder, with the ``scrapy`` and ``python`` of these tests."""
        left_out = ("SCRAPY", "COV", "DISPLAY", "WAYLAND")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        environment |= {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]]),
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])]),
            "PYTHONUTF8": "1",
            "BROWSER": "true",
        }
        return subprocess.run(  # noqa: S603 - of our own documentation
            ["bash", "-euo", "pipefail", "-c", command],  # noqa: S607 - the user's shell
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
