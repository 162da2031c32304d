"""The summary at the end of a crawl."""

from __future__ import annotations

import io

from sample_project.summary import summary, write_to


def test_an_early_end_and_errors_are_reported() -> None:
    lines = summary("pages", {"finish_reason": "shutdown", "templex/errors": 2}, None, [])
    assert "# The crawl of the spider pages (it ended early: shutdown)" in lines
    assert "  Items cleaned            0   2 errors, see the log" in lines


def test_a_terminal_with_few_letters_gets_question_marks() -> None:
    raw = io.BytesIO()
    terminal = io.TextIOWrapper(raw, encoding="ascii")
    write_to(terminal, "Acampada al límite")
    assert raw.getvalue() == b"Acampada al l?mite"
