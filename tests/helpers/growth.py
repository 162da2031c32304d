"""How the time of some work grows with its size."""

from __future__ import annotations

import time
from collections.abc import Callable


def growth(make: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times as long the work takes at twice the size: some 2 if its time is linear, 4 if it is quadratic."""

    def seconds(size: int) -> float:
        times = []
        for _ in range(3):
            work = make(size)
            began = time.process_time()
            work()
            times.append(time.process_time() - began)
        return min(times)

    # of three measures the best: another process may slow down any of them
    return min(seconds(2 * size) / max(seconds(size), 1e-3) for _ in range(3))
