"""``templex diff``: what became of the pages of two tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from helpers.made_sites import made_site

from templex_scrapy.commands import program

Compare = Callable[..., tuple[int, str, str]]


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Compare:
    """Write two tables, compare them, and return the exit code and what was printed."""
    monkeypatch.chdir(tmp_path)

    def run(old: list[Mapping[str, object]], new: list[Mapping[str, object]], *options: str) -> tuple[int, str, str]:
        for name, rows in (("old.jsonl", old), ("new.jsonl", new)):
            Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return program.main(["diff", "old.jsonl", "new.jsonl", *options]), *capsys.readouterr()

    return run


def table(**hashes: str | None) -> list[Mapping[str, object]]:
    return [{"url": f"https://site.test/{name}", "content_hash": found} for name, found in hashes.items()]


OLD = table(a="1:aa", b="1:bb", c="1:cc", d=None)
NEW = table(e="1:ee", b="1:bb", c="1:c2", d=None)


def test_pages_that_are_added_removed_changed_and_unchanged(compare: Compare) -> None:
    """A page without a hash may have changed."""
    code, out, err = compare(OLD, NEW)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "added    https://site.test/e",
        "changed  https://site.test/c",
        "changed  https://site.test/d",
        "removed  https://site.test/a",
        "1 added, 1 removed, 2 changed, 1 unchanged",
    ]
    lines = map(json.loads, compare(OLD, NEW, "--json")[1].splitlines())
    told = {line["url"][-1]: line["change"] for line in lines}
    assert told == {"a": "removed", "b": "unchanged", "c": "changed", "d": "changed", "e": "added"}


def test_lines_that_changed_pages_have_lost_and_gained(compare: Compare) -> None:
    """A page whose lines are the same is changed in what is no text; a line that moved is no change."""
    old, new = ([dict(row, text="Head\n\nSame words") for row in rows] for rows in (OLD, NEW))
    old[2] |= {"text": "Head\nA lamp of brass.\nLast\nGone"}
    new[2] |= {"text": "Gone\nHead  \nA lamp of iron.\n\nA lamp of iron.\nLast"}
    out = compare(old, new, "--text-column", "text")[1].splitlines()
    lines = ["       - A lamp of brass.", "       + A lamp of iron.", "       + A lamp of iron."]
    assert out[1:6] == ["changed  https://site.test/c", *lines, "changed  https://site.test/d"]
    rows = map(json.loads, compare(old, new, "--text-column", "text", "--json")[1].splitlines())
    told = {row.pop("url")[-1]: row for row in rows}
    assert told["b"] == {"change": "unchanged"}
    assert told["d"] == {"change": "changed", "lost": [], "gained": []}
    assert told["c"] == {"change": "changed", "lost": ["A lamp of brass."], "gained": ["A lamp of iron."] * 2}


def test_standard_input_has_no_texts(compare: Compare) -> None:
    """It would be read twice, as two tables from it would be."""
    compare(OLD, NEW)
    assert program.main(["diff", "-", "new.jsonl", "--text-column", "text"]) == program.main(["diff", "-", "-"]) == 1


def test_outputs_of_clean_are_compared_whatever_their_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    for name, word in (("old.parquet", "Words"), ("new.jsonl", "Verbs")):
        pages = [*made_site(8)[:7], *made_site(8, text=f"{word} of page {{number}} alone.")[7:]]
        (tmp_path / "in.jsonl").write_text("".join(json.dumps({"url": p.url, "html": p.text}) + "\n" for p in pages))
        assert program.main(["clean", "in.jsonl", "-o", name, "--outputs", "hash=content_hash"]) == 0
    capsys.readouterr()
    assert program.main(["diff", "old.parquet", "new.jsonl", "--hash-column", "hash"]) == 0
    assert capsys.readouterr().out == "changed  https://site.test/7.html\n0 added, 0 removed, 1 changed, 7 unchanged\n"


@pytest.mark.parametrize(
    ("old", "why"),
    [
        (table(a="2:aa"), "hashes of several versions, or no hashes; hash OLD anew"),
        ([{"url": "https://site.test/a", "hash": "1:aa"}], "no column 'content_hash'; it has url, hash"),
        ([{"address": "https://site.test/a", "content_hash": "1:aa"}], "no row has an address in the column 'url'"),
    ],
)
def test_tables_that_cannot_be_compared(compare: Compare, old: list[Mapping[str, object]], why: str) -> None:
    code, out, err = compare(old, NEW)
    assert (code, out) == (1, "")
    assert why in err
    assert err.count("\n") == 1


def test_rows_without_an_address_are_told(compare: Compare) -> None:
    code, _, err = compare([*OLD, {"content_hash": "1:a"}], NEW)
    assert (code, err) == (0, "templex diff: old.jsonl: 1 row without an address, or damaged, left out\n")


def test_a_column_of_other_hashes_is_refused(compare: Compare) -> None:
    code, _, err = compare(table(a="0cc175b9"), table(a="0cc175b9"))
    assert (code, "or no hashes" in err) == (1, True)
