"""A real site, crawled again with the templates of the first crawl."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.shared

SITES = Path(__file__).resolve().parents[4] / "shared" / "sites"


@pytest.mark.skipif(not SITES.is_dir(), reason="NO ../shared/sites: no recrawl is tested")
def test_a_recrawl_needs_no_search(tmp_path: Path) -> None:
    from crawl_sites import crawl  # noqa: PLC0415 - it imports the tools in ../shared

    settings = {"TEMPLEX_STORE": str(tmp_path / "templates.sqlite3")}
    spec = {"sites": ["fraser-lab"], "addon": True, "keep": True, "settings": settings}
    first, second = crawl(spec), crawl(spec)
    assert first["stats"]["templex/searches"] > 0
    assert first["items"] == second["items"]
    assert second["stats"].get("templex/searches", 0) == second["stats"].get("templex/candidates/requested", 0) == 0
    assert second["stats"]["templex/items/cleaned"] == sum(first["items"].values())
