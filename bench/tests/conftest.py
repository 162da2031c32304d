"""What several tests of the workbench share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import pytest
from templex_bench import pool


class InProcess(Executor):
    """Does at once what processes would do, for starting one takes longer than a miniature suite does."""

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__()

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*arguments, **named))
        return future


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs without processes of their own: for tests that ask what a run makes, not how it is carried out."""
    monkeypatch.setattr(pool, "ProcessPoolExecutor", InProcess)
