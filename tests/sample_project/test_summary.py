"""What a person reads at the end of a crawl."""

from __future__ import annotations

import io

from sample_project.summary import Example, Report, in_bytes, write_to

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
    "templex/candidates/requested": 12,
    "templex/pages/handed_over": 9,
}


def test_the_whole_summary() -> None:
    example = Example(title="How to ride", url="http://a/b", before="Menu " * 30, after="Sit down.")
    outputs = (("output/demo/items.jsonl", "1.2 MB"), ("s3://bucket/items.parquet", ""))
    lines = Report(spider="demo", stats=STATS, outputs=outputs, example=example).render().splitlines()
    assert lines == [
        "",
        "=" * 78,
        "  The crawl of the spider demo",
        "=" * 78,
        "",
        "  Pages                1,084   2 redirects, 1 page answered 404",
        "  Items stored         1,084   in 3.1 s",
        "  Items cleaned        1,080   4 that no template fits",
        "  Templates found          4   in 5 searches",
        "  Extra loads              3   pages fetched only to find a template",
        "",
        "                      before       after    taken out",
        "  HTML               2.50 MB    500.0 kB          80%",
        "  Words               40,000      10,000          75%",
        "",
        "  A page before and after: How to ride",
        "  http://a/b",
        "  before | Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu",
        "         | Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu Menu",
        "         | Menu Menu Menu Menu ...",
        "  after  | Sit down. ...",
        "",
        "  The items are in",
        "  output/demo/items.jsonl     1.2 MB",
        "  s3://bucket/items.parquet",
    ]


def test_missing_stats_leave_lines_out() -> None:
    text = Report(spider="site", stats={}).render()
    assert "Pages" in text
    assert "template" not in text.lower()
    assert "taken out" not in text


def test_templates_of_all_origins_count() -> None:
    stats = {**STATS, "templex/templates/standing_in": 2, "templex/store/loaded": 3}
    text = Report(spider="site", stats=stats).render()
    assert "  Templates found          9   in 5 searches, 2 from pages of one kind, 3 from the store\n" in text


def test_the_report_is_named() -> None:
    text = Report(spider="site", stats={}, report="file:///somewhere/report.html").render()
    assert text.endswith("  What was taken out, page by page: open\n  file:///somewhere/report.html\n")


def test_an_early_end_is_told() -> None:
    text = Report(spider="site", stats={"finish_reason": "shutdown"}).render()
    assert "(it ended early: shutdown)" in text


def test_bold_is_for_headings_on_a_terminal_only() -> None:
    report = Report(spider="site", stats=STATS)
    assert "\x1b" not in report.render()
    assert "\x1b[1mThe crawl of the spider site\x1b[0m" in report.render(bold=True)


def test_a_terminal_with_few_letters_gets_question_marks() -> None:
    raw = io.BytesIO()
    terminal = io.TextIOWrapper(raw, encoding="ascii")
    write_to(terminal, "Acampada al límite")
    assert raw.getvalue() == b"Acampada al l?mite"


def test_bytes_as_people_read_them() -> None:
    assert [in_bytes(n) for n in (999, 1000, 12_345, 9_876_543)] == ["999 B", "1.0 kB", "12.3 kB", "9.88 MB"]
