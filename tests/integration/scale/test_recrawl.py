"""A real site, crawled three times with the templates of the first crawl."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.shared

SITES = Path(__file__).resolve().parents[4] / "shared" / "sites"


@pytest.mark.skipif(not SITES.is_dir(), reason="NO ../shared/sites: no recrawl is tested")
def test_recrawls_need_no_search_and_are_equal(tmp_path: Path) -> None:
    from crawl_sites import crawl  # noqa: PLC0415 - it imports the tools in ../shared

    settings = {"TEMPLEX_STORE": str(tmp_path / "templates.sqlite3")}
    spec = {"sites": ["fraser-lab"], "addon": True, "keep": True, "settings": settings}
    first, second, third = (crawl(spec) for _ in range(3))
    assert first["stats"]["templex/searches"] > 0
    assert first["items"] == second["items"] == third["items"]
    for later in (second, third):
        assert later["stats"].get("templex/searches", 0) == later["stats"].get("templex/candidates/requested", 0) == 0
        assert later["stats"]["templex/items/cleaned"] == sum(first["items"].values())
    assert second["html"] == third["html"]
