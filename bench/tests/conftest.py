"""Generated tests of the bench: few examples, the same in every run, and no deadline on busy machines."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "bench",
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.differing_executors],
)
settings.load_profile("bench")
