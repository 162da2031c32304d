"""A real site, crawled three times with the templates of the first crawl; bench/scripts/recrawl.py does it with all."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.shared

SITES = Path(__file__).resolve().parents[4] / "shared" / "sites"


@pytest.mark.skipif(not SITES.is_dir(), reason="NO ../shared/sites: no recrawl is tested")
def test_recrawls_need_no_search_and_are_equal() -> None:
    from recrawl import recrawl  # noqa: PLC0415 - it imports the tools in ../shared

    first, second, third = recrawl(["fraser-lab"])
    assert first.stat("searches") > 0
    assert first.items.keys() == second.items.keys() == third.items.keys()
    for later in (second, third):
        assert later.stat("searches") == later.stat("candidates/requested") == 0
        assert later.stat("items/cleaned") == later.count == first.count
    assert second.differing(third) == []
