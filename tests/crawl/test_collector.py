"""What the plug-in asks of the garbage collector, and how it leaves it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from templex_scrapy.crawl.collector import STANDING, StandingObjects, uncollected


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    thresholds = gc.get_threshold()
    gc.unfreeze()
    yield
    gc.unfreeze()
    gc.enable()
    gc.set_threshold(*thresholds)


def test_objects_that_stand_are_spared_until_they_are_released() -> None:
    """From the opening of the spider until its closing, and not longer."""
    standing = StandingObjects()
    standing.spare()
    assert gc.get_freeze_count() > 1000
    standing.release()
    assert gc.get_freeze_count() == 0


@pytest.mark.parametrize(("own", "meanwhile"), [(700, STANDING), (50_000, 50_000)])
def test_the_collector_looks_less_often_until_then(own: int, meanwhile: int) -> None:
    """A process that has it look even less often keeps its threshold; afterwards all have their own again."""
    gc.set_threshold(own, 7, 8)
    standing = StandingObjects()
    standing.spare()
    assert gc.get_threshold() == (meanwhile, 7, 8)
    standing.release()
    assert gc.get_threshold() == (own, 7, 8)


def test_the_first_of_two_crawls_does_it_for_both() -> None:
    """The second must not take the objects of the first, nor give them back."""
    first, second = StandingObjects(), StandingObjects()
    first.spare()
    spared = gc.get_freeze_count()
    mine = [[index] for index in range(5000)]
    second.spare()
    # a few objects of the interpreter's own come and go
    assert gc.get_freeze_count() <= spared
    second.release()
    assert gc.get_freeze_count() > 1000
    first.release()
    assert len(mine) == 5000


def test_what_another_has_spared_stays_spared() -> None:
    """A server that has done the same before it forks must not be undone."""
    gc.freeze()
    standing = StandingObjects()
    standing.spare()
    standing.release()
    assert gc.get_freeze_count() > 1000


def test_a_process_without_collector_is_left_alone() -> None:
    """Who has switched it off has a reason."""
    gc.disable()
    standing = StandingObjects()
    thresholds = gc.get_threshold()
    standing.spare()
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == thresholds
    with uncollected():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_the_collector_runs_again_after_a_page_that_failed() -> None:
    """An error in the comparison must not leave the process without it."""

    def compare() -> None:
        with uncollected():
            assert not gc.isenabled()
            raise ValueError("a page")

    with pytest.raises(ValueError, match="a page"):
        compare()
    assert gc.isenabled()
