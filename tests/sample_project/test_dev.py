"""The developer script, as far as it goes without a network."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "dev.py"


@pytest.fixture(scope="module")
def dev() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dev", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, cwd="/", timeout=60, check=False
    )


def test_help_lists_the_commands() -> None:
    run = call("--help")
    assert run.returncode == 0
    assert all(f"dev.py {command} " in run.stdout for command in ("demo", "test", "docs", "build", "test-minimum"))


def test_an_unknown_command_is_told() -> None:
    run = call("tset")
    assert run.returncode == 2
    assert "invalid choice: 'tset'" in run.stderr


def test_an_old_python_is_told(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    assert dev.main() == 2
    assert "Python 3.11 or newer is needed" in capsys.readouterr().out


def test_a_python_without_venv_is_told(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda name: None if name == "ensurepip" else object())
    with pytest.raises(dev.ProblemError, match=r"no module ensurepip.*apt install python3"):
        dev.Environment(tmp_path / "none").make()


def test_the_project_is_installed_once_for_each_pyproject(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[tuple[object, ...]] = []
    (tmp_path / "pyproject.toml").write_text("one", encoding="utf-8")
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev.Environment, "make", lambda _: None)
    monkeypatch.setattr(dev.Environment, "install", lambda _, *arguments, **__: calls.append(arguments))
    environment = dev.Environment(tmp_path)
    for extra in ("test", "test", "parquet"):
        environment.install_project(extra)
    assert calls == [("--editable", f"{tmp_path}[test]"), ("--editable", f"{tmp_path}[parquet]")]
    (tmp_path / "pyproject.toml").write_text("two", encoding="utf-8")
    environment.install_project("test")
    (tmp_path / dev.STAMP).write_text('{"cut o', encoding="utf-8")
    environment.install_project("test")
    assert len(calls) == 4


def test_the_demo_has_its_report(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[str] = []
    monkeypatch.setattr(dev.Environment, "install_project", lambda _, extra: installed.append(extra))
    monkeypatch.setattr(dev.Environment, "module", lambda *_: 0)
    assert dev.demo(dev.Environment(Path("none")), []) == 0
    (extras,) = installed
    assert {"parquet", "report"} <= set(extras.split(",")) <= set(dev._pyproject()["optional-dependencies"])


def test_oldest_versions_are_the_floors(dev: ModuleType) -> None:
    project = {
        "name": "it",
        "dependencies": ["scrapy>=2.15", "lxml>=5.0,<9"],
        "optional-dependencies": {"a": ["x>=1"], "b": ["it[a]", "ruff>=1", "y-z>=2.3", "unbounded"]},
    }
    assert dev.oldest_versions(project, "b") == ["scrapy==2.15.*", "lxml==5.0.*", "y-z==2.3.*", "x==1.*"]


def test_the_first_failure_ends_the_checks(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[object, ...]] = []

    def module(_: object, *arguments: object) -> int:
        ran.append(arguments)
        return 3 if arguments[0] == "mypy" else 0

    monkeypatch.setattr(dev.Environment, "install_project", lambda *_: None)
    monkeypatch.setattr(dev.Environment, "module", module)
    assert dev.test(dev.Environment(Path("none")), ["-k", "foo"]) == 3
    assert [arguments[0] for arguments in ran] == ["ruff", "ruff", "mypy"]
