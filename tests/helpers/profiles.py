"""How long generated tests run: 30 examples, or 200 with ``HYPOTHESIS_PROFILE=ci``, as tox sets it."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# The examples are the same in every run, so that a failure is caused by a change and not by chance.
_PROFILE = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.differing_executors],
)
settings.register_profile("dev", _PROFILE, max_examples=30)
settings.register_profile("ci", _PROFILE, max_examples=200)
# not where CI is set: .ci/run has ten minutes
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))
