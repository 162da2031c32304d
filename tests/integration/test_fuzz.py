"""The fuzzer for a while; ``python tests/fuzzing.py --seconds 3600`` runs it on demand."""

from __future__ import annotations

import pytest
from fuzzing import fuzz


@pytest.mark.subprocess
def test_what_must_hold_for_every_page_holds() -> None:
    assert fuzz(20) > 0
