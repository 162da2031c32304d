#!/usr/bin/env python3
"""Sets up what the project needs and runs it; nothing but Python 3.11 or newer has to be there.

    python3 dev.py demo            crawl the bundled web site and see what comes out
    python3 dev.py test            ruff, mypy and pytest
    python3 dev.py docs            build the documentation and check its links
    python3 dev.py build           build wheel and sdist, and try them in a fresh environment
    python3 dev.py test-minimum    pytest with the oldest versions that pyproject.toml allows

Further arguments go on to `scrapy crawl demo` or to pytest: python3 dev.py test -k rank
The environment is made in .venv beside this file, or in --venv FOLDER, or in $TEMPLEX_VENV.
"""

# No syntax newer than Python 3.8 in this file: an older Python should get to the message about its age.
from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
OLDEST_PYTHON = (3, 11)
STAMP = "templex-installed.json"
DEMO = "parquet,report"
"""Extras that the sample project has a use for: it stores Parquet too, and writes a report of what was taken out."""
CHECKERS = {"mypy", "ruff", "types-lxml", "build"}
"""Tools that look at the code; the oldest versions of libraries are none of their business."""


class ProblemError(Exception):
    """Something the user has to know; the message says what to do about it."""


class Environment:
    """A virtual environment.

    Args:
        path: its folder; made on first use.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._scripts = path / ("Scripts" if os.name == "nt" else "bin")
        self.python = self._scripts / ("python.exe" if os.name == "nt" else "python")

    def make(self) -> None:
        """Makes the environment where it is missing or does not work."""
        if self._works():
            return
        if self.path.exists() and not (self.path / "pyvenv.cfg").exists() and any(self.path.iterdir()):
            message = f"{self.path} is no virtual environment and not empty; it is left alone. Name another folder."
            raise ProblemError(message)
        missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
        if missing:
            message = (
                f"This Python has no module {' and no module '.join(missing)}. On Debian and Ubuntu: "
                f"sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv"
            )
            raise ProblemError(message)
        say(f"Making a virtual environment in {self.path}")
        if run([sys.executable, "-m", "venv", "--clear", self.path]) != 0:
            message = f"No virtual environment could be made in {self.path}; the lines above say why."
            raise ProblemError(message)

    def install(self, *arguments: str | Path, note: str) -> None:
        """Installs packages.

        Args:
            arguments: those of `pip install`.
            note: what to tell the user meanwhile.
        """
        self.make()
        say(note)
        begun = time.monotonic()
        pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if run([*pip, *arguments]) != 0:
            raise ProblemError("pip could not install that; the lines above say why. Is there a network?")
        say(f"Installed in {time.monotonic() - begun:.0f} s")

    def install_project(self, extra: str) -> None:
        """Installs the project with extras, unless that has been done for this very pyproject.toml.

        Args:
            extra: an extra, or several with commas between them.
        """
        self.make()
        wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
        stamp = self.path / STAMP
        installed = _read_stamp(stamp)
        if installed.get(extra) != wanted:
            bench = ["--editable", ROOT / "bench"] if extra == "test" else []
            note = f"Installing the project with what it needs [{extra}]: a minute or two, the first time"
            self.install("--editable", f"{ROOT}[{extra}]", *bench, note=note)
            stamp.write_text(json.dumps({**installed, extra: wanted}), encoding="utf-8")

    def module(self, *arguments: str | Path, folder: Path = ROOT) -> int:
        """Runs a module of the environment and returns its exit code."""
        return run([self.python, "-m", *arguments], folder)

    def _works(self) -> bool:
        if not self.python.exists():
            return False
        probe = [str(self.python), "-m", "pip", "--version"]
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def say(text: str) -> None:
    """Tells the user what is going on."""
    print(f"dev.py: {text}", flush=True)


def run(command: Sequence[str | Path], folder: Path = ROOT) -> int:
    """Runs a program to its end and returns its exit code."""
    return subprocess.run([str(part) for part in command], cwd=folder, check=False).returncode


def demo(environment: Environment, arguments: list[str]) -> int:
    """Crawls the bundled web site."""
    environment.install_project(DEMO)
    return environment.module("scrapy", "crawl", "demo", *arguments)


def test(environment: Environment, arguments: list[str]) -> int:
    """Runs all checks, and stops at the first that fails."""
    environment.install_project("test")
    checks: list[tuple[str, ...]] = [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("mypy", "--strict"),
        # the tests of one file share servers and browsers
        ("pytest", "-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", *arguments),
    ]
    for check in checks:
        say(" ".join(check))
        code = environment.module(*check)
        if code != 0:
            return _failed(" ".join(check), code)
    say("All checks passed")
    return 0


def docs(environment: Environment, arguments: list[str]) -> int:
    """Builds the documentation into build/docs, with warnings as errors, and checks the links between its pages."""
    environment.install_project("docs")
    built = ROOT / "build" / "docs"
    say("Building the documentation")
    sphinx = ("sphinx", "--builder", "html", "--fail-on-warning", "--keep-going", "--quiet")
    code = environment.module(*sphinx, *arguments, ROOT / "docs", built)
    if code != 0:
        return _failed("sphinx", code)
    code = run([environment.python, ROOT / "docs" / "links.py", built])
    if code == 0:
        say(f"The documentation is in {built / 'index.html'}")
    return _failed("checking links", code)


def build(environment: Environment, arguments: list[str]) -> int:
    """Builds wheel and sdist into dist, and tries both in an environment that has nothing else."""
    environment.install_project("test")
    with tempfile.TemporaryDirectory() as name:
        # The wheel is built from the sdist, and so a file that the sdist lacks shows here.
        say("Building sdist and wheel")
        code = environment.module("build", "--outdir", Path(name, "dist"), *arguments)
        if code != 0:
            return _failed("build", code)
        code = _try_out(Path(name))
        if code == 0:
            _keep(Path(name, "dist"))
        return code


def _try_out(folder: Path) -> int:
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    fresh = Environment(folder / "fresh")
    fresh.install(f"{wheel}[{DEMO}]", note=f"Installing {wheel.name} in a fresh environment")
    say("Trying the wheel: a small match, and the add-on in a crawler")
    # From another folder, lest the source tree be imported instead of the wheel.
    code = run([fresh.python, "-c", _TRIAL], folder)
    if code != 0:
        return _failed("trying the wheel", code)
    shutil.unpack_archive(sdist, folder / "sdist")
    (unpacked,) = (folder / "sdist").iterdir()
    say("Trying the sdist: its demo, with templex_scrapy from the wheel")
    # Without the package beside it, the sample project can only import the one that the wheel installed.
    (unpacked / "templex_scrapy").rename(folder / "set-aside")
    code = fresh.module("scrapy", "crawl", "demo", folder=unpacked)
    return _failed("trying the sdist", code) if code != 0 else 0


def _keep(built: Path) -> None:
    (ROOT / "dist").mkdir(exist_ok=True)
    for file in built.iterdir():
        (ROOT / "dist" / file.name).write_bytes(file.read_bytes())
        say(f"dist/{file.name}, {file.stat().st_size:,} bytes")


_TRIAL = """
import templex_scrapy
from scrapy.utils.test import get_crawler

def page(number):
    head = "<ul><li><a href=/a>Home</a></li><li><a href=/b>News</a></li></ul>"
    html = f"<html><body>{head}<p>Story number {number}.</p><div>All rights reserved</div></body></html>"
    return templex_scrapy.Page(html, f"http://example.com/{number}")

template = templex_scrapy.Template.from_pages(page(1), [page(2), page(3)])
text = template.match(page(4)).text()
assert "Story number 4." in text and "Home" not in text, text
crawler = get_crawler(settings_dict={"ADDONS": {"templex_scrapy.Addon": 500}})
pipelines = [str(key) for key in crawler.settings.getdict("ITEM_PIPELINES")]
assert any("templex" in key for key in pipelines), pipelines
print("  ", templex_scrapy.__file__)
print("   the match left:", text.strip())
"""


def test_minimum(environment: Environment, arguments: list[str]) -> int:
    """Runs pytest with the oldest versions allowed, in an environment of its own beside the usual one."""
    oldest = Environment(environment.path.with_name(f"{environment.path.name}-minimum"))
    pins = oldest_versions(_pyproject(), "test")
    say("The oldest versions: " + ", ".join(pins))
    oldest.install("--editable", ROOT, *pins, note="Installing them: a minute or two, the first time")
    say("pytest")
    return _failed("pytest", oldest.module("pytest", *arguments))


def oldest_versions(project: dict[str, Any], extra: str) -> list[str]:
    """Pins each requirement to its floor.

    Args:
        project: the table `project` of pyproject.toml.
        extra: the extra to take in, with those that it names.

    Returns:
        Requirements such as "lxml==5.0.*" for "lxml>=5.0", without the tools in `CHECKERS`.
    """
    pins = []
    for requirement in _requirements(project, extra):
        match = re.match(r"([\w.-]+)(?:\[[^]]*\])?\s*>=\s*([\w.]+)", requirement)
        if match and match[1] not in CHECKERS:
            pins.append(f"{match[1]}=={match[2]}.*")
    return pins


def _requirements(project: dict[str, Any], extra: str) -> list[str]:
    found = list(project["dependencies"])
    waiting = [extra]
    while waiting:
        for requirement in project["optional-dependencies"][waiting.pop()]:
            own = re.match(rf"{re.escape(project['name'])}\[([\w, -]+)\]", requirement)
            if own:
                waiting.extend(name.strip() for name in own[1].split(","))
            else:
                found.append(requirement)
    return found


def _pyproject() -> dict[str, Any]:
    import tomllib  # noqa: PLC0415  (an old Python, which lacks it, should get to its message)

    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


def _read_stamp(stamp: Path) -> dict[str, str]:
    if not stamp.exists():
        return {}
    try:
        data = json.loads(stamp.read_text(encoding="utf-8"))
    except ValueError:
        # Cut off while it was written: the installation is done once more.
        return {}
    return data if isinstance(data, dict) else {}


def _failed(what: str, code: int) -> int:
    if code != 0:
        say(f"Failed: {what} (exit code {code})")
    return code


COMMANDS = {"demo": demo, "test": test, "docs": docs, "build": build, "test-minimum": test_minimum}


def main() -> int:
    """Runs the command that the user asks for."""
    if sys.version_info < OLDEST_PYTHON:
        needed = ".".join(map(str, OLDEST_PYTHON))
        say(f"Python {needed} or newer is needed; this is {sys.version.split()[0]}.")
        return 2
    parser = argparse.ArgumentParser(
        prog="dev.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--venv", type=Path, default=os.environ.get("TEMPLEX_VENV") or ROOT / ".venv")
    options, arguments = parser.parse_known_args()
    try:
        return COMMANDS[options.command](Environment(Path(options.venv).absolute()), arguments)
    except ProblemError as problem:
        say(str(problem))
        return 1
    except KeyboardInterrupt:
        say("Stopped")
        return 130


if __name__ == "__main__":
    sys.exit(main())
