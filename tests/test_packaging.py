"""What is built of the project, and what its workflows may do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))  # not in the sdist

READ_OR_TRUSTED = (["contents:", "read"], ["id-token:", "write"])

BUILD = """
import json, sys
from pathlib import Path
from hatchling.bridge.app import Application
from hatch_build import CompileHook

hook = CompileHook(sys.argv[1], {}, None, None, "", "wheel", Application())
data = {"force_include": {}}
hook.initialize("standard", data)
print(json.dumps(data))
"""


def test_the_sdist_has_all_documents_of_the_root() -> None:
    builder = pytest.importorskip("hatchling.builders.sdist").SdistBuilder(str(ROOT))
    packed = {file.distribution_path for file in builder.recurse_included_files()}
    assert {file.name for file in ROOT.glob("*.md")} | {"LICENSE"} <= packed


@pytest.mark.subprocess
@pytest.mark.parametrize(("value", "code"), [("", 0), ("1", 1)])
def test_a_module_that_cython_refuses_is_left_plain_and_nothing_stays_behind(
    tmp_path: Path, value: str, code: int
) -> None:
    pytest.importorskip("hatchling")
    pytest.importorskip("Cython")
    package, temporary = tmp_path / "root" / "templex_scrapy", tmp_path / "temporary"
    package.mkdir(parents=True)
    temporary.mkdir()
    (package / "__init__.py").touch()
    (package / "broken.py").write_text("from templex_scrapy import cython\n\n\ndef f():\n    return unknown\n")
    environment = {**os.environ, "TMPDIR": str(temporary), "TEMPLEX_COMPILED": value, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", BUILD, str(package.parent)],
        cwd=package.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert ("is installed as plain Python, which is slower" in done.stderr + done.stdout) is (code == 0)
    assert "broken" in done.stderr + done.stdout
    assert not list(temporary.iterdir())


@pytest.mark.skipif(not WORKFLOWS, reason="the workflows are not here")
@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_workflows_have_the_rights_that_they_need_and_run_fixed_actions(file: Path) -> None:
    text = file.read_text("utf-8")
    assert "\npermissions: {}\n" in text
    jobs = re.split(r"\n  (?=[a-z]+:\n)", text.partition("\njobs:\n")[2])
    rights = [re.findall(r"\n    permissions:\n((?:      .*\n)+)", job + "\n") for job in jobs]
    assert all(len(one) == 1 and one[0].split("#")[0].split() in READ_OR_TRUSTED for one in rights)
    actions = re.findall(r"uses: (.*)", text)
    assert actions
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[0-9.]+", action) for action in actions)
