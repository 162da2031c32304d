"""A whole run: any input, any order, any number of processes, ended at any time."""

from __future__ import annotations

import gc
import gzip
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archived import FOOTER, clean, json_lines, packed, pages, record, response, rows, texts, warc, with_peak
from helpers.waiting import wait_for

from templex_scrapy import Page, SiteCleaner, Template
from templex_scrapy.archives import (
    ArchiveError,
    Columns,
    Counts,
    ObservedPage,
    Outcome,
    Record,
    cleaning,
    parquet,
    partitions,
)
from templex_scrapy.archives import run as runs
from templex_scrapy.archives.records import Skip
from templex_scrapy.page import NodeArrays
from templex_scrapy.stores import StoredTemplate, open_store
from templex_scrapy.template import TemplateSet

SITES = [page for number in range(6) for page in pages(6, f"host{number}.test")]
FEW = [record("https://site.test/gone", response(b"", "404 Gone")), *warc(pages(1))]
WORDS = pa.dictionary(pa.int8(), pa.string())
BOTH = {"html": "html", "content": "content_text"}


def table(some: list[Page]) -> list[dict[str, Any]]:
    return [{"url": page.url, "html": page.text, "n": number} for number, page in enumerate(some)]


def outcomes(counts: Counts) -> dict[Outcome, int]:
    return {outcome: counts.outcomes[outcome] for outcome in Outcome if counts.outcomes[outcome]}


def shuffled(some: list[Any]) -> list[Any]:
    return random.Random(7).sample(some, len(some))


def test_every_page_is_cleaned_as_a_site_cleaner_does(tmp_path: Path) -> None:
    (tmp_path / "in.warc.gz").write_bytes(packed(warc(shuffled(SITES))))
    grouped, counts = clean(tmp_path / "in.warc.gz", out=tmp_path / "out.jsonl", outputs=BOTH)
    found = rows(tmp_path / "out.jsonl")
    assert [row["url"] for row in found] == [page.url for page in SITES]
    # the rows of a site are together
    hosts = [line.split("/")[2] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len([*groupby(hosts)]) == 6
    cleaner = SiteCleaner.learn(SITES[:6])
    own = {page.url: page for page in cleaner.clean(SITES[:6])}
    for row in found:
        assert FOOTER not in row["html"]
        if row["url"] in own:
            wanted = {"url": row["url"], "html": own[row["url"]].html, "content": own[row["url"]].content_text}
            assert row == {**wanted, "status": 200, "warc_date": "2026-01-01T00:00:00Z"}
    assert (grouped.pages, counts.sites, outcomes(counts)) == (36, 6, {Outcome.CLEANED: 36})
    assert counts.words_before > counts.words_after > 0
    assert {file.name for file in tmp_path.iterdir()} == {"in.warc.gz", "out.jsonl"}


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_the_output_is_the_same_for_any_order_number_of_processes_and_size_of_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    source, found = tmp_path / "in.jsonl", []
    # sites of 6 pages are held in memory; or read twice; or large ones, learnt first and cleaned in several parts
    for number, (sample, part_pages, jobs) in enumerate(((400, 1000, 1), (5, 1000, 1), (400, 2, 2))):
        monkeypatch.setattr(cleaning, "SAMPLE", sample)
        monkeypatch.setattr(partitions, "PART_PAGES", part_pages)
        monkeypatch.setattr(partitions, "LARGE_SITE", 2 * part_pages)
        source.write_bytes(json_lines(random.Random(number).sample(table(SITES), 36)))
        _, counts = clean(source, out=tmp_path / f"{number}.{ending}", outputs=BOTH, jobs=jobs)
        found.append(((tmp_path / f"{number}.{ending}").read_bytes(), counts))
    assert found[0] == found[1] == found[2]


def test_pages_are_freed_without_the_garbage_collector(tmp_path: Path) -> None:
    """So it may run rarely."""

    def alive() -> int:
        return sum(type(item) in {Page, NodeArrays, SiteCleaner} for item in gc.get_objects())

    (tmp_path / "in.jsonl").write_bytes(json_lines(table(SITES)))
    gc.collect()
    before = alive()
    gc.disable()
    try:
        clean(tmp_path / "in.jsonl", out=tmp_path / "out.jsonl", outputs=BOTH)
        assert alive() == before
    finally:
        gc.enable()


def test_columns_too_deep_to_be_written_cost_a_row(tmp_path: Path) -> None:
    """Wherever the limit of recursion is."""
    deep = b"".join(
        b'{"url": "https://site.test/0.html", "html": "<p>Words", "x": %s%s}\n' % (b"[" * n, b"]" * n)
        for n in range(900, 1100)
    )
    (tmp_path / "in.jsonl").write_bytes(json_lines(table(pages())) + deep)
    grouped, _ = clean(tmp_path / "in.jsonl", out=tmp_path / "out.jsonl", outputs={"text": "content_text"})
    assert len(rows(tmp_path / "out.jsonl")) == grouped.pages == len(pages()) + 200 - grouped.skipped[Skip.DAMAGED]
    assert grouped.skipped[Skip.DAMAGED] > 10


def test_rows_keep_their_other_columns_and_rows_without_a_page_stay(tmp_path: Path) -> None:
    some = [
        *table(pages()),
        {"url": "https://site.test/none", "html": None, "n": 8},
        {"url": "no address", "html": "<p>Words \ud800", "tags": ["a"]},
        {"n": {"deep": 1.5}, "url": 3, "html": 5},
    ]
    lines = [*json_lines(some[:8]).splitlines(keepends=True), b"{no json\n", b"[1]\n", b"\n", json_lines(some[8:])]
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(b"".join(lines)))
    grouped, counts = clean(tmp_path / "in.jsonl.gz", out=tmp_path / "out.jsonl", outputs={"text": "content_text"})
    found = rows(tmp_path / "out.jsonl")
    assert [row.get("n") for row in found] == [{"deep": 1.5}, *range(9), None]
    assert found[1] == {"url": "https://site.test/0.html", "n": 0, "text": "Headline 0\n\nWords of page 0 alone."}
    assert found[9]["text"] is None
    assert found[10] == {"url": "no address", "tags": ["a"], "text": "Words ?"}
    assert grouped.skipped == {Skip.DAMAGED: 2}
    assert grouped.places == {Skip.DAMAGED: f"{tmp_path / 'in.jsonl.gz'}, line 9"}
    assert outcomes(counts) == {Outcome.CLEANED: 8, Outcome.NO_PAGE: 2, Outcome.NO_SITE: 1}


@pytest.mark.parametrize("out", ["out.jsonl", "out.parquet"])
def test_a_table_without_pages_costs_no_other_input(tmp_path: Path, out: str) -> None:
    """Nor does one without addresses."""
    for name, row in (("a", {"url": "https://site.test/", "n": 1}), ("b", {"html": "<p>Words", "n": 2})):
        (tmp_path / f"{name}.jsonl").write_bytes(json_lines([row]))
    grouped, counts = clean(tmp_path / "a.jsonl", tmp_path / "b.jsonl", out=tmp_path / out, outputs={"text": "text"})
    found = {row["n"]: row["text"] for row in rows(tmp_path / out)}
    assert found == {1: None, 2: "Words"}
    assert grouped.skipped == {Skip.NO_COLUMN: 1}
    assert outcomes(counts) == {Outcome.NO_PAGE: 1, Outcome.NO_SITE: 1}


def test_a_column_that_the_first_rows_lack_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "RowGroups", partial(parquet.RowGroups, rows=2))
    for late in range(8):
        some = [{**row, "late": row["n"]} if row["n"] == late else row for row in table(pages())]
        (tmp_path / "in.jsonl").write_bytes(json_lines(some))
        clean(tmp_path / "in.jsonl", out=tmp_path / "out.parquet")
        assert str(rows(tmp_path / "out.parquet")[late]["late"]) == str(late)


def test_the_types_of_parquet_stay(tmp_path: Path) -> None:
    fields = {
        "when": pa.timestamp("ns", "UTC"),
        "price": pa.decimal128(9, 2),
        "tags": pa.list_(pa.struct([("a", pa.int8())])),
        "kind": WORDS,
    }
    schema = pa.schema([("url", pa.string()), ("html", pa.binary()), *fields.items()])
    one = {"when": datetime(2026, 1, 1, tzinfo=UTC), "price": Decimal("1.50"), "tags": [{"a": 1}], "kind": "k"}
    some = [{**row, **one, "html": row["html"].encode()} for row in table(pages())]
    pq.write_table(pa.Table.from_pylist([*some, {"url": None}], schema), tmp_path / "in.parquet")
    outputs = {"html": "html", "kind": "content_text"}
    clean(tmp_path / "in.parquet", out=tmp_path / "out.parquet", outputs=outputs)
    schema = pq.read_schema(tmp_path / "out.parquet")
    assert schema.names == ["url", "when", "price", "tags", "html", "kind"]
    assert [schema.field(name).type for name in ("when", "price", "tags")] == list(fields.values())[:3]
    found = rows(tmp_path / "out.parquet")
    assert len(found) == 9
    assert not any(found[0].values())
    assert {**found[8], "html": ""} == {
        **one, "url": "https://site.test/7.html", "html": "", "kind": "Headline 7\n\nWords of page 7 alone."
    }  # fmt: skip
    clean(tmp_path / "in.parquet", out=tmp_path / "out.jsonl", outputs=outputs)
    as_json = rows(tmp_path / "out.jsonl")
    assert as_json[1]["price"] == "1.50"
    assert [row["html"] for row in as_json] == [row["html"] for row in found]


def test_columns_of_several_parquet_files_may_differ(tmp_path: Path) -> None:
    some = table(pages())
    one = pa.schema([pa.field("url", pa.string(), nullable=False), pa.field("html", pa.string()), ("n", pa.int64())])
    pq.write_table(pa.Table.from_pylist([{**row, "n": 2**60 + 1} for row in some[:4]], one), tmp_path / "a.parquet")
    pq.write_table(pa.Table.from_pylist([{**row, "n": 0.5} for row in some[4:]]), tmp_path / "b.parquet")
    clean(tmp_path / "a.parquet", tmp_path / "b.parquet", out=tmp_path / "out.parquet")
    assert [row["n"] for row in rows(tmp_path / "out.parquet")] == [float(2**60)] * 4 + [0.5] * 4


def test_a_value_that_cannot_be_written_costs_no_other_row(tmp_path: Path) -> None:
    some = table(pages())
    when = pa.array([10**15, *range(7)], pa.timestamp("s"))
    made = pa.Table.from_pylist(some).append_column("when", when)
    pq.write_table(made, tmp_path / "in.parquet")
    clean(tmp_path / "in.parquet", out=tmp_path / "out.jsonl")
    assert [row["url"] for row in rows(tmp_path / "out.jsonl")] == [row["url"] for row in some[1:]]


@pytest.mark.parametrize("out", ["out.jsonl", "out.parquet"])
def test_names_that_are_no_text_cost_no_row(tmp_path: Path, out: str) -> None:
    """Lone surrogates in the names of skipped files, and in the names and texts of columns."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "caf\udce9.html").write_bytes(b"")
    odd = {"k\ud800": "a", f"k{chr(0xD801)}": "b", "title": "t\ud83d", "tags": ["c\ud800"], "deep": {"d\ud800": 1}}
    (tmp_path / "in.jsonl").write_bytes(json_lines([{**row, **odd} for row in table(pages())]))
    grouped, _ = clean(tmp_path / "in", tmp_path / "in.jsonl", out=tmp_path / out)
    assert grouped.skipped == {Skip.NO_BODY: 1}
    found = rows(tmp_path / out)
    assert len(found) == 8
    as_parquet = {"k\\ud800": "a", "k\\ud801": "b", "title": "t?", "tags": ["c?"], "deep": '{"d\\ud800": 1}'}
    wanted = odd if out == "out.jsonl" else as_parquet
    assert {name: found[0].get(name) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (
            pa.struct([("n", pa.int16()), ("flags", pa.list_(pa.bool_()))]),
            lambda n: {"n": n if n % 3 else None, "flags": [True, None] * n},
        ),
        (WORDS, str),
        (pa.list_(pa.string_view()), lambda n: [str(n)] * (n % 4)),
        (pa.list_(WORDS, 1), lambda n: [str(n)]),
        (pa.large_list(WORDS), lambda n: [str(n), None] if n % 3 else None),
        (pa.list_(pa.struct([("w", WORDS)])), lambda n: [{"w": str(n)} if n % 3 else {"w": None}, None]),
        (pa.map_(pa.string(), WORDS), lambda n: [("k", str(n))] if n % 3 else None),
    ],
)
def test_rows_of_parquet_depend_on_no_other_row(tmp_path: Path, kind: pa.DataType, value: Any) -> None:
    """Neither their values, nor their order, also of equal pages."""
    schema = pa.schema([("url", pa.string()), ("html", pa.string()), ("deep", kind)])
    some = [{"url": "https://site.test/", "html": "<p>Words", "deep": value(n)} for n in range(40)]
    written = []
    for lines in (some, shuffled(some)):
        pq.write_table(pa.Table.from_pylist(lines, schema), tmp_path / "in.parquet")
        clean(tmp_path / "in.parquet", out=tmp_path / "out.parquet")
        written.append((tmp_path / "out.parquet").read_bytes())
    found = pq.read_table(tmp_path / "out.parquet").column("deep").to_pylist()
    assert sorted(map(repr, found)) == sorted(repr(row["deep"]) for row in some)
    assert written[0] == written[1]


def test_dictionaries_within_other_values_may_differ_from_file_to_file(tmp_path: Path) -> None:
    """Each of two row groups has a hundred values, as a dictionary of int8 has 128 at most; a third file has texts."""
    fields = [pa.field("url", pa.string()), pa.field("html", pa.string())]
    schema = pa.schema([*fields, ("deep", pa.struct([pa.field("w", WORDS)]))])
    some = [{**row, "deep": {"w": f"{row['n']}"}} for row in table(pages(201))]
    with pq.ParquetWriter(tmp_path / "a.parquet", schema) as writer:
        for at in (0, 100):
            writer.write_table(pa.Table.from_pylist(some[at : at + 100], schema))
    pq.write_table(pa.Table.from_pylist(some[200:]), tmp_path / "b.parquet")
    clean(tmp_path / "a.parquet", tmp_path / "b.parquet", out=tmp_path / "out.parquet")
    found = {row["url"]: row["deep"] for row in rows(tmp_path / "out.parquet")}
    assert found == {row["url"]: row["deep"] for row in some}


def test_values_that_python_has_no_form_for_stay_in_parquet(tmp_path: Path) -> None:
    """Whatever the names and types of the fields beside them."""
    far = pa.array([2**62, 2**62 + 1], pa.timestamp("us"))
    fields = {"page_views": far, "dictionary": pa.array(["a", "b"], WORDS), "text": texts(b"\xff", b"b")}
    deep = pa.StructArray.from_arrays(fields.values(), fields.keys())
    made = pa.Table.from_pylist(table(pages(2))).append_column("deep", deep)
    pq.write_table(made, tmp_path / "in.parquet")
    clean(tmp_path / "in.parquet", out=tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet").column("deep").combine_chunks()
    assert sorted(found.field("page_views").cast(pa.int64()).to_pylist()) == [2**62, 2**62 + 1]
    assert sorted(found.field("text").cast(pa.binary()).to_pylist()) == [b"b", b"\xff"]


def test_columns_of_the_same_name_are_the_last_of_them_or_an_error(tmp_path: Path) -> None:
    made = pa.Table.from_pylist(table(pages())).append_column("n", pa.array(range(10, 18)))
    pq.write_table(made, tmp_path / "in.parquet")
    clean(tmp_path / "in.parquet", out=tmp_path / "out.jsonl")
    assert [row["n"] for row in rows(tmp_path / "out.jsonl")] == [*range(10, 18)]
    with pytest.raises(ArchiveError, match="duplicate field names"):
        clean(tmp_path / "in.parquet", out=tmp_path / "out.parquet")
    pq.write_table(made.rename_columns(["url", "html", "n", "html"]), tmp_path / "in.parquet")
    with pytest.raises(ArchiveError, match="several columns are named 'html'"):
        clean(tmp_path / "in.parquet", out=tmp_path / "out.jsonl")


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_times_in_json_are_those_of_iso_8601(tmp_path: Path, unit: str) -> None:
    """Zones before 1900 have offsets with seconds."""
    per_second = {"us": 10**6, "ns": 10**9}[unit]
    times = {
        "there": pa.array([-(2**31) * per_second], pa.timestamp(unit, "Europe/Amsterdam")),
        "when": pa.array([2**31 * per_second], pa.timestamp(unit)),
        "span": pa.array([86_400 * per_second], pa.duration(unit)),
        "day": pa.array([2**14], pa.date32()),
    }
    made = pa.Table.from_pylist(table(pages(1)))
    for name, column in times.items():
        made = made.append_column(name, column)
    pq.write_table(made, tmp_path / "in.parquet")
    clean(tmp_path / "in.parquet", out=tmp_path / "out.jsonl")
    (found,) = rows(tmp_path / "out.jsonl")
    assert datetime.fromisoformat(found["there"]) == datetime(1901, 12, 13, 20, 45, 52, tzinfo=UTC)
    assert (found["when"], found["day"]) == ("2038-01-19T03:14:08", "2014-11-10")
    assert found["span"] in {"P1D", "P1DT0H0M0S"}


@pytest.mark.parametrize("is_dictionary", [False, True])
def test_texts_of_parquet_that_are_no_utf8_cost_no_page(tmp_path: Path, is_dictionary: bool) -> None:
    some = pages()
    html = texts(*(page.text.encode().replace(b"alone", b"\xff") for page in some))
    urls = texts(b"\xff", *(page.url.encode() for page in some[1:]))
    tags = texts(*[b"a"] * 7, b"\xff")
    pq.write_table(pa.table({"url": urls, "html": html.dictionary_encode() if is_dictionary else html, "tag": tags}),
                   tmp_path / "in.parquet")  # fmt: skip
    clean(tmp_path / "in.parquet", out=tmp_path / "out.parquet", outputs={"page": "html"})
    found = pq.read_table(tmp_path / "out.parquet", columns=["page"]).to_pylist()
    assert [row["page"].count("\ufffd") for row in found] == [1] * 8
    grouped, counts = clean(tmp_path / "in.parquet", out=tmp_path / "out.jsonl", outputs={"page": "html"})
    assert [row["url"] for row in rows(tmp_path / "out.jsonl")] == [*(page.url for page in some[1:]), "\ufffd"]
    assert rows(tmp_path / "out.jsonl")[6]["tag"] == "\ufffd"
    assert (grouped.skipped, outcomes(counts)) == ({}, {Outcome.CLEANED: 7, Outcome.NO_SITE: 1})


def test_several_inputs_of_several_kinds(tmp_path: Path) -> None:
    some = pages()
    (tmp_path / "a.warc").write_bytes(b"".join(warc(some[:3])))
    pq.write_table(pa.Table.from_pylist(table(some[3:6])), tmp_path / "b.parquet")
    folder = tmp_path / "site.test"
    folder.mkdir()
    for page in some[6:]:
        (folder / page.url.rpartition("/")[2]).write_text(page.text)
    for out in ("out.parquet", "out.jsonl"):
        clean(tmp_path / "a.warc", tmp_path / "b.parquet", folder, out=tmp_path / out)
    found = rows(tmp_path / "out.parquet")
    # the addresses of the folder begin with http:
    assert [row["n"] for row in found] == [None] * 5 + [0, 1, 2]
    assert [row["status"] for row in found] == [None] * 2 + [200] * 3 + [None] * 3
    assert {row["url"].partition("://")[2] for row in found} == {page.url.partition("://")[2] for page in some}
    assert [row["html"] for row in rows(tmp_path / "out.jsonl")] == [row["html"] for row in found]


def test_options(tmp_path: Path) -> None:
    """Columns have other names, selectors count, and an output that is no text is JSON."""
    some = [page.text.replace("<html", '<html lang="en"') for page in pages()]
    lines = [{"at": page.url, "raw": text} for page, text in zip(pages(), some, strict=True)]
    (tmp_path / "in.jsonl").write_bytes(json_lines(lines))
    options = {"columns": Columns("at", "raw"), "preserve": ("footer",), "remove": ("h1",)}
    outputs = {"raw": "html", "language": "language", "about": "metadata"}
    clean(tmp_path / "in.jsonl", out=tmp_path / "out.jsonl", outputs=outputs, **options)
    (found,) = (row for row in rows(tmp_path / "out.jsonl") if row["at"] == "https://site.test/3.html")
    assert found["language"] == "en"
    assert [part in found["raw"] for part in (FOOTER, "<nav>", "<h1>")] == [True, False, False]
    assert json.loads(found["about"])["language"] == {"value": "en", "source": "html"}


def test_pages_of_all_kinds_come_out(tmp_path: Path) -> None:
    odd = [
        ("https://site.test/large", b"<p>" * 50_000, ""),
        ("no address", b"<p>Words", ""),
        ("https://site.test/japanese", "<p>日本語".encode("iso-2022-jp"), "; charset=iso-2022-jp"),
        ("https://site.test/deep", b"<div>" * 3000 + b"deep", ""),
        ("https://site.test/lying", "<p>ü".encode("latin1"), "; charset=utf-8"),
        ("https://site.test/unknown", "<p>ü".encode(), "; charset=nonsense"),
    ]
    records = [record(url, response(body, content_type=f"text/html{charset}")) for url, body, charset in odd]
    (tmp_path / "in.warc").write_bytes(b"".join([*records, *warc(pages())]))
    _, counts = clean(tmp_path / "in.warc", out=tmp_path / "out.jsonl", outputs=BOTH)
    found = {row["url"]: row for row in rows(tmp_path / "out.jsonl")}
    large, *others = (found[url] for url, _, _ in odd)
    assert (large["html"], large["content"]) == (odd[0][1].decode(), None)
    assert [row["html"] for row in others] == ["<p>Words", "<p>日本語", odd[3][1].decode(), "<p>\ufffd", "<p>ü"]
    assert others[1]["content"] == "日本語"
    assert counts.outcomes[Outcome.TOO_LARGE] == counts.outcomes[Outcome.NO_SITE] == 1
    assert counts.outcomes[Outcome.CLEANED] == 8
    assert not any(FOOTER in row["html"] for row in found.values())


def test_an_error_costs_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.jsonl").write_bytes(json_lines(table(pages())))
    monkeypatch.setattr(TemplateSet, "judges_alike", lambda *_: False)
    for method, outcome in (("learn_held", Outcome.NO_TEMPLATE), ("match", Outcome.ERROR)):
        monkeypatch.setattr(SiteCleaner, method, lambda *_, **__: 1 / 0)
        _, counts = clean(tmp_path / "in.jsonl", out=tmp_path / "out.jsonl", outputs=BOTH)
        assert outcomes(counts) == {outcome: 8}
        assert [row["html"] for row in rows(tmp_path / "out.jsonl")] == [page.text for page in pages()]


@pytest.mark.parametrize(
    ("name", "content", "out", "why"),
    [
        ("in.txt", b"", "out.jsonl", "in.txt: unknown format"),
        ("in.parquet", b"PAR1", "out.jsonl", "no Parquet file"),
        ("in.wacz", b"", "out.jsonl", "no WACZ file"),
        ("body.parquet", None, "out.jsonl", "no column 'html'; it has url, body"),
        ("in.jsonl", b'{"url": "a", "body": "<p>"}\n{"n": 1}', "out.jsonl", "no column 'html'; it has url, body"),
        ("in.jsonl", b"{}\n[]", "out.jsonl", "no column 'html'; it has "),
        ("in.jsonl", b"", "out.jsonl", "in.jsonl: no page; passed over: nothing"),
        ("in.jsonl", b"[1]\nnothing", "out.jsonl", "in.jsonl: no page; passed over: 2 damaged"),
        ("in.warc.gz", packed(FEW)[:-99], "out.jsonl", "no page; passed over: 1 damaged, 1 redirects and errors"),
        ("folder.jsonl", None, "out.jsonl", "folder.jsonl: no page; passed over: nothing"),
        ("in.jsonl", b"", "gone/out.jsonl", "its folder does not exist"),
        ("in.jsonl", b"", "folder.jsonl", "is a folder"),
    ],
)
def test_what_cannot_be_read_or_written_is_an_error(
    tmp_path: Path, name: str, content: bytes | None, out: str, why: str
) -> None:
    pq.write_table(pa.table({"url": ["https://site.test/"], "body": ["<p>"]}), tmp_path / "body.parquet")
    (tmp_path / "folder.jsonl").mkdir()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = {*tmp_path.iterdir()}
    with pytest.raises(ArchiveError, match=re.escape(why)):
        clean(tmp_path / name, out=tmp_path / out)
    assert {*tmp_path.iterdir()} == before


def test_a_damaged_row_group_of_parquet_costs_no_other(tmp_path: Path) -> None:
    file = tmp_path / "in.parquet"
    pq.write_table(
        pa.Table.from_pylist(table(pages())), file, row_group_size=4, compression="zstd", use_dictionary=False
    )
    start = pq.ParquetFile(file).metadata.row_group(0).column(1).data_page_offset
    content = bytearray(file.read_bytes())
    content[start : start + 60] = b"\xff" * 60
    file.write_bytes(content)
    grouped, _ = clean(file, out=tmp_path / "out.jsonl")
    assert grouped.skipped == {Skip.DAMAGED: 4}
    assert [row["n"] for row in rows(tmp_path / "out.jsonl")] == [4, 5, 6, 7]


class Ended(BaseException):
    """Ends a run as a kill would."""


def end_at(target: object, name: str, run: Callable[[], object]) -> None:
    """Run with a function that ends it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(target, name, lambda *_, **__: (_ for _ in ()).throw(Ended))
        with pytest.raises(Ended):
            run()


def end_third_part(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """End a run when it begins its third part; return the list to which the parts are added."""
    do = runs._Work.clean
    done: list[Any] = []

    def third_ends(work: Any, part: Any) -> int:
        done.append(part)
        if len(done) == 3:
            raise Ended
        return do(work, part)

    monkeypatch.setattr(runs._Work, "clean", third_ends)
    return done


class Told:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.templates: list[str] = []
        self.pages: list[tuple[Any, ...]] = []

    def templates_learnt(self, templates: Iterable[Template]) -> None:
        self.templates += [template.key_url for template in templates]

    def page_cleaned(self, page: ObservedPage) -> None:
        assert page.fits == bool(page.removed)
        self.pages.append((page.url, page.template_url, page.coverage, page.words, page.removed, page.source))


def test_a_report_is_told_what_was_learnt_and_cleaned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "in.jsonl"
    odd = [{"url": "no address", "html": "<p>Words"}, {"url": "https://host0.test/none"}]
    source.write_bytes(json_lines([*shuffled(table(SITES)), *odd]))
    told, again = Told(), Told()
    clean(source, out=tmp_path / "one.jsonl", report=told)
    assert {*told.templates} <= {page.url for page in SITES}
    assert len({*told.templates}) == len(told.templates) >= 6
    found = {page[0]: page for page in told.pages}
    assert found.pop("no address")[1:] == ("", 0.0, [1, 1], [], "<p>Words")
    for page in SITES:
        url, template_url, coverage, words, removed, text = found.pop(page.url)
        clean_page = SiteCleaner.learn(page for page in SITES if page.url[:18] == url[:18]).match(page).clean
        assert template_url in told.templates
        assert (coverage, tuple(words), tuple(removed)) == (clean_page.coverage, clean_page.words, clean_page.removed)
        assert text == page.text
    assert not found
    monkeypatch.setattr(partitions, "PART_PAGES", 2)
    monkeypatch.setattr(partitions, "LARGE_SITE", 4)
    end_at(runs, "_hand_over", lambda: clean(source, out=tmp_path / "two.jsonl", jobs=2, report=Told()))
    clean(source, out=tmp_path / "two.jsonl", report=again)
    assert sorted(again.templates) == sorted(told.templates)
    assert sorted(again.pages) == sorted(told.pages)


def test_templates_of_a_store_are_used(tmp_path: Path) -> None:
    """A page alone has no template; that of a store removes its footer."""
    (tmp_path / "in.jsonl").write_bytes(json_lines(table(SITES[:1])))
    with closing(open_store(tmp_path / "store")) as store:
        for template in SiteCleaner.learn(SITES[1:6]).templates:
            store.save("host0.test", StoredTemplate(template, 1.0, 2.0))
    for place, is_left in ((None, True), (str(tmp_path / "store"), False)):
        clean(tmp_path / "in.jsonl", out=tmp_path / "out.jsonl", store=place)
        assert (FOOTER in rows(tmp_path / "out.jsonl")[0]["html"]) is is_left


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read, and the parts that were cleaned, stay; inputs that were read in part are read again."""
    for number in range(2):
        (tmp_path / f"{number}.warc").write_bytes(b"".join(warc(SITES[number::2])))
    inputs = [tmp_path / "0.warc", tmp_path / "1.warc"]
    clean(*inputs, out=tmp_path / "whole.jsonl")
    out = tmp_path / "out.jsonl"
    read = runs.read
    begun: list[Path] = []

    def cut(source: Path, *args: Any, **options: Any) -> Iterator[Any]:
        begun.append(source)
        for number, one in enumerate(read(source, *args, **options)):
            if begun == inputs and number == 3:
                raise Ended
            yield one

    monkeypatch.setattr(runs, "read", cut)
    done = end_third_part(monkeypatch)
    for _ in range(2):
        with pytest.raises(Ended):
            clean(*inputs, out=out)
        assert not out.exists()
    end_at(runs, "_hand_over", lambda: clean(*inputs, out=out))
    _, counts = clean(*inputs, out=out)
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert (counts.pages, counts.sites) == (36, 6)
    assert begun == [*inputs, *inputs]
    assert done == [*done[:3], *done[2:3], *done[4:]]
    assert len({*done}) == len(done) - 1
    assert not list(tmp_path.glob(".out*"))


def test_the_columns_of_parquet_do_not_depend_on_the_order_of_the_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "MOST_COLUMNS", 5)
    some = [{**row, f"c{n}": n} for n, row in enumerate(table(SITES))]
    found = []
    for lines in (some, some[::-1]):
        (tmp_path / "in.jsonl").write_bytes(json_lines(lines))
        found.append(clean(tmp_path / "in.jsonl", out=tmp_path / "out.jsonl")[0].columns)
    assert found == [["c0", "c1", "c10", "c11", "c12"]] * 2


def test_only_complete_work_of_the_same_run_is_used(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(json_lines(table(SITES)))
    end_at(runs, "_hand_over", lambda: clean(source, out=out))
    source.write_bytes(json_lines(table(SITES[:12])))
    # half of the folder is deleted
    end_at(shutil, "rmtree", lambda: clean(source, out=tmp_path / "other.jsonl", outputs={"text": "text"}))
    for name in ("out.jsonl", "other.jsonl"):
        clean(source, out=tmp_path / name, outputs={"text": "text"})
        assert [sorted(row) for row in rows(tmp_path / name)] == [["n", "text", "url"]] * 12
    assert {file.name for file in tmp_path.iterdir()} == {"in.jsonl", "other.jsonl", "out.jsonl"}


def test_two_runs_do_not_write_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.jsonl").write_bytes(json_lines(table(SITES)))
    read = runs.read

    def meanwhile(*args: Any, **options: Any) -> Any:
        monkeypatch.setattr(runs, "read", read)
        with pytest.raises(ArchiveError, match="another run works here"):
            clean(tmp_path / "in.jsonl", out=tmp_path / "out.jsonl", outputs={"text": "text"})
        return read(*args, **options)

    monkeypatch.setattr(runs, "read", meanwhile)
    clean(tmp_path / "in.jsonl", out=tmp_path / "out.jsonl")
    assert [sorted(row) for row in rows(tmp_path / "out.jsonl")] == [["html", "n", "url"]] * 36


def test_numbers_that_json_has_no_form_for_are_null(tmp_path: Path) -> None:
    some = [{**row, "n": {"deep": [float("inf"), 1.5]}, "m": float("nan")} for row in table(pages())]
    some[0]["title"] = "\ud800"
    (tmp_path / "in.jsonl").write_bytes(json_lines(some).replace(b"[Infinity", b"[1e400, -Infinity"))
    pq.write_table(pa.Table.from_pylist([{**row, "n": None, "title": ""} for row in some]), tmp_path / "in.parquet")
    clean(tmp_path / "in.jsonl", tmp_path / "in.parquet", out=tmp_path / "out.jsonl")
    text = (tmp_path / "out.jsonl").read_text("utf-8")
    found = [json.loads(line, parse_constant=lambda _: 1 / 0) for line in text.splitlines()]
    assert sorted(map(str, (row["n"] for row in found))) == ["None"] * 8 + [str({"deep": [None, None, 1.5]})] * 8
    assert [row["m"] for row in found] == [None] * 16


@pytest.mark.parametrize(("values", "is_read"), [(1_000_000, True), (1_000_001, False), (10_000_000, False)])
def test_a_line_of_very_many_values_is_not_read(tmp_path: Path, values: int, is_read: bool) -> None:
    # an empty list has a bracket and a comma; the row itself has four
    many = b'{"url": "https://site.test/many", "html": "<p>Words", "n": [' + b"[]," * ((values - 5) // 2) + b"[]"
    many += b',"x"' * (values % 2 == 0) + b"]}\n"
    assert values == sum(many.count(one) for one in (b"[", b"{", b","))
    (tmp_path / "in.jsonl").write_bytes(json_lines(table(pages())) + many)
    del many
    read, peak = with_peak(lambda: [*runs.read(tmp_path / "in.jsonl", Columns())])
    assert [isinstance(record, Record) for record in read] == [True] * 8 + [is_read]
    assert peak < 120_000_000


COMMAND = (
    sys.executable,
    "-c",
    "import sys; from templex_scrapy.commands.program import main\nif __name__ == '__main__': sys.exit(main())",
)


@pytest.mark.subprocess
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_may_be_killed_at_any_time(tmp_path: Path, jobs: int) -> None:
    many = [page for number in range(20) for page in pages(6, f"host{number}.test")]
    (tmp_path / "in.warc.gz").write_bytes(packed(warc(shuffled(many))))
    clean(tmp_path / "in.warc.gz", out=tmp_path / "whole.jsonl")
    command = [*COMMAND, "clean", "in.warc.gz", "-o", "out.jsonl", "--jobs", str(jobs)]
    for files in (20, 132, 135):  # while pages are grouped, and when some parts are done
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE)  # noqa: S603 - our own
        wait_for(lambda: len([*tmp_path.glob(".*.templex/*")]) >= files or process.poll() is not None)  # noqa: B023
        process.send_signal(signal.SIGKILL)
        process.communicate()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert "Pages: 120 of 20 sites, of which 120 cleaned" in done.stdout


@pytest.mark.subprocess
def test_a_full_disk_ends_a_run_with_one_line_and_the_next_goes_on(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(json_lines({**row, "filler": os.urandom(3000).hex()} for row in table(SITES)))
    command = [*COMMAND, "clean", "in.jsonl", "-o", "out.jsonl"]
    # of nothing at all; in the work folder; and for the output: 36 rows of 6 kB, in parts of six or more
    for limit in (0, 100_000, 220_000):
        failed = subprocess.run(  # noqa: S603 - our own
            command,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        assert failed.returncode == 1
        *resumed, why = failed.stderr.splitlines()
        assert len(resumed) == (limit == 220_000)
        assert ("File too large" if limit else "disk I/O error") in why
        assert not (tmp_path / "out.jsonl").exists()
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)  # noqa: S603
    assert len(rows(tmp_path / "out.jsonl")) == 36
