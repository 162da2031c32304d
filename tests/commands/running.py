"""Runs the command as a shell does."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from scrapy.cmdline import execute

COMMAND = (sys.executable, "-m", "scrapy", "templex")


def environment(**more: str) -> dict[str, str]:
    """The environment of a process outside any project, without a browser."""
    left_out = ("SCRAPY", "COV", "DISPLAY", "WAYLAND")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    path = os.pathsep.join(filter(None, (more.get("PYTHONPATH"), kept.get("PYTHONPATH"))))
    return {**kept, "BROWSER": "false", "PYTHONUTF8": "1", **more, "PYTHONPATH": path}


def start(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None, **options: Any) -> Any:
    """Start the command."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(  # noqa: S603 - the program is this one
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env=environment(**(env or {})),
        **{**pipes, **options},
    )


class Ran:
    """What a run of the command left behind."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.bytes = out
        self.out = out.decode("utf-8", "replace")
        self.err = err.decode("utf-8", "replace")

    @property
    def problem(self) -> str:
        """The one line that it said on standard error."""
        assert "Traceback" not in self.err
        (line,) = self.err.splitlines()
        return line


def run(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 120) -> Ran:
    """Run the command to its end."""
    process = start(*arguments, cwd=cwd, env=env)
    out, err = process.communicate(timeout=timeout)
    return Ran(process.returncode, out, err)


def call(*arguments: str | Path, cwd: Path) -> Ran:
    """Run the command in this process, outside any project: for what needs no crawler."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    code = 0
    with (
        contextlib.chdir(cwd),
        mock.patch.dict(os.environ),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        os.environ.pop("SCRAPY_SETTINGS_MODULE", None)
        try:
            execute(["scrapy", "templex", *map(str, arguments)])
        except SystemExit as left:
            code = int(left.code or 0)
    for stream in (out, err):
        stream.flush()
    return Ran(code, out.buffer.getvalue(), err.buffer.getvalue())  # type: ignore[attr-defined]


class Project:
    """A Scrapy project on disk; its settings and spiders can be added to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "shop" / "spiders").mkdir(parents=True)
        for package in ("shop", "shop/spiders"):
            (folder / package / "__init__.py").touch()
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n", encoding="utf-8")
        self._settings = folder / "shop" / "settings.py"
        self._settings.write_text(
            "BOT_NAME = 'shop'\nSPIDER_MODULES = ['shop.spiders']\nLOG_LEVEL = 'DEBUG'\n", encoding="utf-8"
        )

    def add_settings(self, source: str) -> None:
        """Add lines to settings.py."""
        self._settings.write_text(f"{self._settings.read_text(encoding='utf-8')}{source}\n", encoding="utf-8")

    def add_module(self, name: str, source: str) -> None:
        """Add a module to the project's package."""
        (self.folder / "shop" / f"{name}.py").write_text(source, encoding="utf-8")

    def run(self, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Ran:
        """Run the command in the project."""
        return run(*arguments, cwd=self.folder, env=env)
