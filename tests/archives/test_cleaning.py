"""Tables of Arrow."""

from __future__ import annotations

import pyarrow as pa
import pytest
from helpers.archived import FOOTER, clean, json_lines, pages, rows, texts

from templex_scrapy import SiteCleaner, clean_table


def table(count: int = 8, host: str = "site.test") -> pa.Table:
    return pa.table({"url": [p.url for p in pages(count, host)], "html": [p.text for p in pages(count, host)]})


def test_the_same_rows_come_out_as_from_the_command(tmp_path) -> None:  # type: ignore[no-untyped-def]
    given = table().append_column("n", pa.array(range(8), pa.int16()))
    outputs = {"html": "html", "content": "content_text"}
    (tmp_path / "in.jsonl").write_bytes(json_lines(given.to_pylist()))
    clean(tmp_path / "in.jsonl", out=tmp_path / "out.jsonl", outputs=outputs)
    found = clean_table(given, outputs=outputs)
    assert sorted(found.to_pylist(), key=lambda row: row["n"]) == rows(tmp_path / "out.jsonl")
    assert found.schema.names == ["url", "n", "html", "content"]
    assert found.schema.field("n").type == pa.int16()


def test_rows_without_a_page_and_of_other_sites_stay() -> None:
    odd = pa.table({"url": ["https://site.test/none", None, "x", "y"], "html": [None, "<p>a", "<p>b", " "]})
    given = pa.concat_tables([table(), odd, table(host="other.test")])
    found = clean_table(given)
    assert found.column("url") == given.column("url")
    html = found.column("html").to_pylist()
    assert html[8:12] == [None, "<p>a", "<p>b", None]
    assert not any(FOOTER in one for one in html[:8] + html[12:])


def test_texts_that_are_no_utf8_cost_no_row() -> None:
    broken = [texts(b"https://site.test/\xff", b"x"), texts(b"<p>a\xff", b"<p>b")]
    given = pa.concat_tables([table(), pa.table(broken, ["url", "html"])])
    assert clean_table(given).column("html").to_pylist()[8:] == ["<p>a\ufffd", "<p>b"]


def test_templates_may_be_learnt_before_from_a_sample() -> None:
    cleaner = SiteCleaner.from_dict(SiteCleaner.learn(pages()[:6]).to_dict())
    found = clean_table(table().slice(7), cleaner=cleaner, outputs={"text": "text"})
    assert found.to_pylist() == [{"url": "https://site.test/7.html", "text": "Headline 7\n\nWords of page 7 alone."}]


def test_columns_may_have_other_names_and_pages_be_bytes() -> None:
    given = table().rename_columns(["at", "raw"])
    given = given.set_column(1, "raw", given.column("raw").cast(pa.binary()))
    found = clean_table(given, url="at", html="raw")
    assert found.schema == pa.schema([("at", pa.string()), ("raw", pa.string())])
    assert found.column("raw").to_pylist() == clean_table(table()).column("html").to_pylist()
    with pytest.raises(KeyError):
        clean_table(given)
    assert clean_table(table().slice(0, 0)).num_rows == 0
