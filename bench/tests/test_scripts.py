"""The scripts: where they look for the helpers of the tests, and what one of them switches off in the product."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).resolve().parents[1] / "scripts").glob("*.py"))
CHANGES = """
import ablate

for name, change in ablate.changes():
    with change():
        pass
"""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_imports_what_finds_the_helpers_before_them(script):
    modules = re.findall(r"^(?:import|from) ([\w.]+)", script.read_text("utf-8"), re.MULTILINE)
    helpers = [at for at, module in enumerate(modules) if module.startswith("helpers")]
    assert not helpers or "isolated" in modules[: helpers[0]]


@pytest.mark.subprocess
def test_all_that_ablate_switches_off_is_there():
    environment = {**os.environ, "TEMPLEX_COMPILED": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", CHANGES], env=environment, check=True, timeout=120)  # noqa: S603 - this Python
