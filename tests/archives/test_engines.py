"""The examples of docs/usage/engines.md on Ray Data, Spark and datatrove give the rows of the command."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.archived import clean, json_lines, pages, rows
from helpers.blocks import ROOT, blocks_of

pytestmark = pytest.mark.subprocess

PAGES = [{"url": page.url, "html": page.text} for host in ("one.example", "two.example") for page in pages(12, host)]


@pytest.fixture
def wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The rows of the command, in the order of their addresses; its input is in the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("pages.jsonl").write_bytes(json_lines(PAGES))
    clean(Path("pages.jsonl"), out=Path("wanted.jsonl"), outputs={"html": "html", "content": "content_text"})
    return sorted(rows(Path("wanted.jsonl")), key=lambda row: row["url"])


def run_example(package: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run the example with this text, after another one if its names are given; return its names."""
    blocks = blocks_of(ROOT / "docs" / "usage" / "engines.md")
    (block,) = (block for block in blocks if block.language == "python" and package in block.source)
    return block.execute(names or {"__name__": "__main__"})


def compared(found: list[Any]) -> list[dict[str, str]]:
    """Rows in the order of their addresses, without the column of the site."""
    plain = [{name: row[name] for name in ("url", "html", "content")} for row in found]
    return sorted(plain, key=lambda row: row["url"])


def test_ray(wanted: list[dict[str, str]]) -> None:
    ray = pytest.importorskip("ray", reason="the example on Ray Data was not run: ray is missing")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
    try:
        names = run_example("import ray")
        assert compared(names["cleaned"].take_all()) == wanted
        large = run_example("large.map_batches", names)["cleaned_large"].take_all()
        assert compared(large) == [row for row in wanted if row["url"].startswith("https://one.example/")]
    finally:
        ray.shutdown()


def test_spark(wanted: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="the example on Spark was not run: pyspark is missing")
    if shutil.which("java") is None:
        pytest.skip("the example on Spark was not run: java is missing")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    names = run_example("pyspark")
    try:
        assert compared([row.asDict() for row in names["cleaned"].collect()]) == wanted
    finally:
        names["spark"].stop()


def test_datatrove(wanted: list[dict[str, str]]) -> None:
    data = pytest.importorskip("datatrove.data", reason="the example on datatrove was not run: datatrove is missing")
    step = run_example("datatrove")["TakeOutTemplates"]()
    documents = [data.Document(row["html"], row["url"], metadata={"url": row["url"]}) for row in PAGES]
    found = {document.id: document.text for document in step.run(documents)}
    assert found == {row["url"]: row["content"] for row in wanted}
