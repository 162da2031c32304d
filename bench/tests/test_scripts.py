"""The scripts: what they import is there, and the private parts of the product that one of them switches off."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
CHANGES = """
import ablate

for name, change in ablate.changes():
    with change():
        pass
"""


def run(code):
    """Run code as a script is run: only the folder of the scripts is on the path."""
    path = [str(SCRIPTS), *(folder for folder in sys.path if Path(folder) != SCRIPTS.parents[1] / "tests")]
    environment = {**os.environ, "TEMPLEX_COMPILED": "0", "PYTHONPATH": os.pathsep.join(path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=120)  # noqa: S603 - this Python


@pytest.mark.subprocess
@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.py")), ids=lambda script: script.stem)
def test_each_script_finds_what_it_imports(script):
    run(f"import {script.stem}")


@pytest.mark.subprocess
def test_all_that_ablate_switches_off_is_there():
    run(CHANGES)
