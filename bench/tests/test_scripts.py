"""The scripts that reach into private parts of the product."""

import os
import subprocess
import sys

import pytest

CHANGES = """
import ablate

for name, change in ablate.changes():
    with change():
        pass
"""


@pytest.mark.subprocess
def test_all_that_ablate_switches_off_is_there():
    environment = {**os.environ, "TEMPLEX_COMPILED": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", CHANGES], env=environment, check=True, timeout=120)  # noqa: S603 - this Python
