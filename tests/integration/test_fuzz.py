"""The fuzzer for a while; with ``FUZZ_SECONDS=3600`` in the environment for an hour."""

import os

from helpers.fuzzing import fuzz


def test_what_must_hold_for_every_page_holds():
    assert fuzz(float(os.environ.get("FUZZ_SECONDS", "20"))) > 0
