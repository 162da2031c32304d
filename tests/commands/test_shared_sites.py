"""`scrapy templex` on real sites, at their own addresses, and on the same sites as folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import Ran, call

SHARED = Path(__file__).resolve().parents[3] / "shared"
SITES = ("absolutely-portugal", "jekyll-mulham-arabic", "kks-company", "news-90minutos", "sphinx-rtd-codeigniter-zh")


@pytest.fixture(params=SITES)
def folder(request) -> Path:
    found = SHARED / "sites" / request.param
    if not found.is_dir():
        pytest.skip(f"no saved site in {found}")
    return found


def check(ran: Ran, url: str) -> dict:
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert data["found"] is True
    assert data["url"] == url
    assert len(data["pages"]) >= 2
    assert data["loads"] <= 60
    assert 0 < data["words"]["after"] < data["words"]["before"]
    assert data["menu"]["links"]
    return data


@pytest.mark.shared
def test_through_the_crawler(folder, project):
    """The page is fetched through the project's download handler, which answers from the archive."""
    base = json.loads((folder / "site.json").read_text(encoding="utf-8"))["base_url"]
    handlers = dict.fromkeys(("http", "https"), "site_archive.ArchiveDownloadHandler")
    project.add_settings(f"DOWNLOAD_HANDLERS = {handlers!r}\nSITE_ARCHIVE = [{str(folder)!r}]")
    env = {"PYTHONPATH": str(SHARED / "tools")}
    data = check(project.run(base, "--json", "--view", "view.html", env=env), base)
    assert (project.folder / "view.html").stat().st_size > len(data["html"])


@pytest.mark.shared
def test_as_a_folder(folder, tmp_path):
    """The same site as a folder: its links, absolute or not, are found in it."""
    ran = call(folder / "www", "--json", cwd=tmp_path)
    check(ran, json.loads(ran.out)["url"])
