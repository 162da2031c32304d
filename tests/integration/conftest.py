"""Tests of whole crawls, which take long: ``python3 dev.py fast`` leaves them out."""

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# the environment of the oldest versions has no bench
collect_ignore = [] if find_spec("templex_bench") else ["test_saved_sites.py", "scale/test_scale.py"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.integration)
