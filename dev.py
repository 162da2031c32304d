#!/usr/bin/env python3
"""Make a virtual environment, install the project in it, and run something there. It needs only Python 3.11 or newer.

    python3 dev.py demo      crawl the bundled web site and print what was removed (some minutes, the first time)
    python3 dev.py test      ruff, mypy, import-linter and pytest, compiled and uncompiled (about three minutes)
    python3 dev.py fast      the same with the fast tests only (under two minutes)
    python3 dev.py docs      build the documentation into docs/_build

Further arguments are passed on to `scrapy crawl demo`, pytest or Sphinx: python3 dev.py test -k rank
The environment is .venv beside this file, or the folder in $TEMPLEX_VENV. What maintainers run is in tox.ini.
"""

# no syntax newer than Python 3.8: an older Python should reach the message about its age
from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OLDEST_PYTHON = (3, 11)
EXTRAS = {"demo": "parquet", "test": "test", "fast": "test", "docs": "docs"}
CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy", "--strict"),
    ("lint-imports",),
)


class ProblemError(Exception):
    """Something that the user has to know; the message says what to do about it."""


def say(text: str) -> None:
    """Print what happens."""
    print(f"dev.py: {text}", flush=True)


def run(*command: str | Path) -> int:
    """Run a program to its end, and return its exit code."""
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode


def make_environment(folder: Path) -> Path:
    """Make a virtual environment if it is missing; returns its Python."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    probe = [str(python), "-m", "pip", "--version"]
    if python.exists() and subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        return python
    if folder.exists() and not (folder / "pyvenv.cfg").exists() and any(folder.iterdir()):
        raise ProblemError(f"{folder} is not empty and no virtual environment. Name another folder in TEMPLEX_VENV.")
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        version = ".".join(map(str, sys.version_info[:2]))
        raise ProblemError(
            f"This Python has no module {' and no module '.join(missing)}. On Debian and Ubuntu: "
            f"sudo apt install python{version}-venv"
        )
    say(f"Making a virtual environment in {folder}")
    if run(sys.executable, "-m", "venv", "--clear", folder) != 0:
        raise ProblemError(f"No virtual environment could be made in {folder}; the lines above say why.")
    return python


def install(python: Path, folder: Path, extra: str) -> None:
    """Install the project with an extra, unless that was done for the same requirements and compiled modules."""
    requirements = [ROOT / "pyproject.toml", ROOT / "bench" / "pyproject.toml", ROOT / "hatch_build.py"]
    types = sorted(ROOT.glob("templex_scrapy/**/*.pxd"))
    modules = sorted(ROOT.glob("templex_scrapy/**/*.py"))
    compiled = [path for path in modules if b"from templex_scrapy import cython\n" in path.read_bytes()]
    written = b"".join(path.read_bytes() for path in (*requirements, *types, *compiled))
    wanted = hashlib.sha256(written + os.environ.get("TEMPLEX_COMPILED", "").encode()).hexdigest()
    stamp = folder / f"templex-{extra.replace(',', '-')}.installed"
    # the extra for tests includes the others
    for made in (stamp, folder / "templex-test.installed"):
        if made.exists() and made.read_text(encoding="utf-8") == wanted:
            return
    say(f"Installing the project with [{extra}]: a minute or two, the first time")
    packages: list[str | Path] = ["--editable", f"{ROOT}[{extra}]"]
    if extra == "test":
        packages += ["--editable", ROOT / "bench"]
    if run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages) != 0:
        raise ProblemError("pip could not install that; the lines above say why. Is there a network?")
    stamp.write_text(wanted, encoding="utf-8")


def main() -> int:
    """Run the command that the user names."""
    if sys.version_info < OLDEST_PYTHON:
        say(f"Python {'.'.join(map(str, OLDEST_PYTHON))} or newer is needed; this is {sys.version.split()[0]}.")
        return 2
    command, *arguments = sys.argv[1:] or ["help"]
    if command not in EXTRAS:
        print(__doc__)
        return 0 if command in {"help", "-h", "--help"} else 2
    folder = Path(os.environ.get("TEMPLEX_VENV") or ROOT / ".venv").absolute()
    python = make_environment(folder)
    install(python, folder, EXTRAS[command])
    if command == "demo":
        return run(python, "-m", "scrapy", "crawl", "demo", *arguments)
    if command == "docs":
        options = ("-b", "html", "--fail-on-warning", "--keep-going", "--quiet", *arguments)
        return run(python, "-m", "sphinx", *options, "docs", "docs/_build")
    # the tests of one file share servers and browsers; many wait for a process or a server, so there is room for more
    # processes than processors
    processes = min(4, 2 * (os.cpu_count() or 1))
    pytest = ["pytest", "-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"]
    pytest += ["-m", "not integration and not slow"] if command == "fast" else []
    for check in (*CHECKS, (*pytest, *arguments)):
        line = " ".join(check)
        say(line)
        code = run(python.parent / check[0], *check[1:])
        if code != 0:
            say(f"Failed: {line} (exit code {code})")
            return code
    say("All checks passed")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ProblemError as problem:
        say(str(problem))
        sys.exit(1)
    except KeyboardInterrupt:
        say("Stopped")
        sys.exit(130)
