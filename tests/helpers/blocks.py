"""The code blocks of a page of the documentation, and the Scrapy project in which they are run (docs/README.md)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(
    r"^(?:<!-- block: (?P<kind>[a-z ]+) -->\n)?```(?P<language>[a-z]+)\n(?P<source>.*?)^```$", re.MULTILINE | re.DOTALL
)
_SETTINGS = """
BOT_NAME = "shop"
SPIDER_MODULES = ["shop.spiders"]
ADDONS = {"templex_scrapy.Addon": 500}
DOWNLOAD_HANDLERS = dict.fromkeys(("http", "https"), "helpers.demo_project.DemoDownloadHandler")
CONCURRENT_REQUESTS = 1
TELNETCONSOLE_ENABLED = False
"""


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block of code: the page and line it is in, its language, and what is done with it."""

    file: Path
    line: int
    language: str
    kind: str
    source: str

    def execute(self, names: dict[str, object]) -> dict[str, object]:
        """Execute a Python block; tracebacks name the page and its lines."""
        exec(compile("\n" * (self.line - 1) + self.source, str(self.file), "exec", dont_inherit=True), names)  # noqa: S102 - our own
        return names


def blocks_of(file: Path) -> Iterator[Block]:
    """All blocks of a page, from the top."""
    text = file.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start("source")) + 1
        yield Block(
            file=file, line=line, language=found["language"], kind=found["kind"] or "run", source=found["source"]
        )


class Project:
    """A Scrapy project in an empty folder, with the plug-in, in which every host serves the demo site."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "shop"
        (self.package / "spiders").mkdir(parents=True)
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n", encoding="utf-8")
        for file in (self.package / "__init__.py", self.package / "spiders" / "__init__.py"):
            file.touch()
        self._settings = _SETTINGS
        self.add_settings("")

    def add_settings(self, source: str) -> None:
        """Add to the settings of the project."""
        self._settings += source
        (self.package / "settings.py").write_text(self._settings, encoding="utf-8")

    def add_spiders(self, source: str, name: str) -> None:
        """Add a module with spiders."""
        (self.package / "spiders" / f"{name}.py").write_text(source, encoding="utf-8")

    def run(self, script: str) -> str:
        """Run a shell script in the folder of the project, and return what it prints."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPY", "COV"))}
        environment |= {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]]),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), str(ROOT)]),
            "PYTHONUTF8": "1",
        }
        done = subprocess.run(  # noqa: S603 - of our own documentation
            ["bash", "-euo", "pipefail", "-c", script],  # noqa: S607 - the user's shell
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr
