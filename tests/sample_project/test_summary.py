"""The summary at the end of a crawl."""

from __future__ import annotations

import io

from sample_project.summary import Example, summary, write_to

STATS = {
    "finish_reason": "finished",
    "elapsed_time_seconds": 3.14159,
    "item_scraped_count": 1084,
    "sample/pages": 1084,
    "sample/bytes_before": 2_500_000,
    "sample/bytes_after": 500_000,
    "sample/words_before": 40_000,
    "sample/words_after": 10_000,
    "downloader/response_status_count/200": 1085,
    "downloader/response_status_count/302": 2,
    "downloader/response_status_count/404": 2,
    "robotstxt/response_status_count/404": 1,
    "templex/items/cleaned": 1080,
    "templex/items/no_template": 4,
    "templex/searches": 5,
    "templex/searches/learnt": 4,
    "templex/templates/from_peers": 2,
    "templex/candidates/requested": 12,
    "templex/pages/handed_over": 9,
}


def test_the_whole_summary() -> None:
    example = Example(title="How to ride", url="http://a/b", before="Menu " * 30, after="Sit down.")
    places = [("output/demo/items.jsonl", "1.2 MB"), ("s3://bucket/items.parquet", "")]
    assert summary("demo", STATS, example, places) == [
        "",
        "=" * 78,
        "# The crawl of the spider demo",
        "=" * 78,
        "",
        "  Pages                1,084   2 redirects, 1 page answered 404",
        "  Items stored         1,084   in 3.1 s",
        "  Items cleaned        1,080   4 that fit no template",
        "  Templates                6   from 5 searches, 2 from pages of one type",
        "  Extra loads              3   pages requested only to find a template",
        "",
        "#                     before       after      removed",
        "  HTML               2.50 MB    500.0 kB          80%",
        "  Words               40,000      10,000          75%",
        "",
        "# A page before and after: How to ride",
        "  http://a/b",
        "  before | Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu",
        "         | Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu",
        "         | Menu Menu Menu Menu ...",
        "  after  | Sit down. ...",
        "",
        "# Look at",
        "  output/demo/items.jsonl     1.2 MB",
        "  s3://bucket/items.parquet",
    ]


def test_an_early_end_and_errors_are_reported() -> None:
    lines = summary("pages", {"finish_reason": "shutdown", "templex/errors": 2}, None, [])
    assert "# The crawl of the spider pages (it ended early: shutdown)" in lines
    assert "  Items cleaned            0   2 errors, see the log" in lines


def test_a_terminal_with_few_letters_gets_question_marks() -> None:
    raw = io.BytesIO()
    terminal = io.TextIOWrapper(raw, encoding="ascii")
    write_to(terminal, "Acampada al límite")
    assert raw.getvalue() == b"Acampada al l?mite"
