"""How long the generated tests run: a fixed quick set by default, HYPOTHESIS_PROFILE=thorough for more."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# The quick set is the same in every run, so that CI fails for what changed and not by chance.
SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "quick", max_examples=300, deadline=None, derandomize=True, suppress_health_check=SLOW_IS_FINE
)
settings.register_profile(
    "thorough", max_examples=5_000, deadline=None, print_blob=True, suppress_health_check=SLOW_IS_FINE
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# In the background of a shell Ctrl-C is ignored, and programs inherit that; some tests send it to programs they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
