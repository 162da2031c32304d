"""Waiting for what happens in other processes and threads."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something is so; the test fails if it takes too long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it did not happen within {seconds:.0f} s"
        time.sleep(0.02)
