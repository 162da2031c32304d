"""The developer script, as far as it goes without a network."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script, for an environment that is there already."""
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "make_environment", lambda _: Path("bin/python"))
    monkeypatch.setenv("TEMPLEX_VENV", str(tmp_path))
    return module


def programs(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str, failing: str = "") -> list[list[str]]:
    """The programs that the script runs, of which one may fail."""
    ran: list[list[str]] = []

    def run(*command: object) -> int:
        ran.append([Path(str(command[0])).name, *map(str, command[1:])])
        return 3 if ran[-1][0] == failing else 0

    monkeypatch.setattr(dev, "run", run)
    monkeypatch.setattr(sys, "argv", ["dev.py", *arguments])
    assert dev.main() == (3 if failing else 0)
    return [command for command in ran if "pip" not in command]


def test_an_unknown_command_prints_the_help(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["dev.py", "tset"])
    assert dev.main() == 2
    assert "python3 dev.py demo" in capsys.readouterr().out


def test_an_old_python_is_reported(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    assert dev.main() == 2
    assert "Python 3.11 or newer is needed" in capsys.readouterr().out


def test_a_python_without_venv_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None if name == "ensurepip" else object())
    with pytest.raises(module.ProblemError, match=r"no module ensurepip.*apt install python3"):
        module.make_environment(tmp_path / "none")


def test_the_demo_installs_what_it_needs_once(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert programs(dev, monkeypatch, "demo", "-L", "INFO") == [
        ["python", "-m", "scrapy", "crawl", "demo", "-L", "INFO"]
    ]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {extra for extras in dev.EXTRAS.values() for extra in extras.split(",")} <= extras.keys()
    assert len(list(tmp_path.glob("*.installed"))) == 1
    monkeypatch.setattr(dev, "run", lambda *_: 1)
    dev.install(Path("python"), tmp_path, dev.EXTRAS["demo"])  # runs nothing, or it would raise


def test_fast_runs_all_checks_and_leaves_out_slow_tests(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = programs(dev, monkeypatch, "fast", "-k", "rank")
    assert [command[0] for command in ran] == ["ruff", "ruff", "mypy", "lint-imports", "pytest"]
    assert ran[-1][-4:] == ["-m", "not integration and not slow", "-k", "rank"]


def test_the_first_failure_ends_the_checks(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [command[0] for command in programs(dev, monkeypatch, "test", failing="mypy")] == ["ruff", "ruff", "mypy"]
