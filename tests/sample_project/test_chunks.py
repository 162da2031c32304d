"""Chunks of pages for retrieval."""

import json

import pytest
from helpers.made_sites import made_site
from hypothesis import given
from hypothesis import strategies as st

from sample_project.chunks import MOST_WORDS, ChunksPipeline, chunks_of
from templex_scrapy import Template

URL = "https://site.test/a"


def texts(markdown):
    return [(chunk["headings"], chunk["text"]) for chunk in chunks_of(URL, "", markdown)]


def test_a_chunk_has_the_headings_above_it():
    written = "before\n\n# One\n\na\n\n## Two\n\nb\n\n## Three\n\nc\n\n# Four\n\n```\n# no heading\n```"
    assert texts(written) == [
        ("", "before"),
        ("One", "a"),
        ("One > Two", "b"),
        ("One > Three", "c"),
        ("Four", "```\n# no heading\n```"),
    ]


def test_a_link_in_a_heading_is_text():
    assert texts("# [One](<https://a.test/x(1)>) and [two](#b)\n\n[c](#c)") == [("One and two", "[c](#c)")]


def test_paragraphs_are_together_as_far_as_they_are_short():
    half = " ".join(["word"] * (MOST_WORDS // 2))
    assert [len(text.split()) for _, text in texts(f"{half}\n\n{half}\n\nmore")] == [MOST_WORDS, 1]
    assert [len(text.split()) for _, text in texts(f"{half} {half} more\n\nand more")] == [MOST_WORDS, 3]


@given(st.lists(st.integers(1, 700), max_size=6))
def test_no_word_is_lost_and_no_chunk_is_too_long(lengths):
    paragraphs = [" ".join(f"w{number}x{word}" for word in range(length)) for number, length in enumerate(lengths)]
    found = [text for _, text in texts("\n\n".join(paragraphs))]
    assert " ".join(found).split() == " ".join(paragraphs).split()
    assert all(0 < len(text.split()) <= MOST_WORDS for text in found)


def test_an_id_changes_with_the_text_alone():
    (before,), (later,), (other,) = (
        list(chunks_of(URL, title, text)) for title, text in (("", "a"), ("t", "a"), ("", "b"))
    )
    assert before["id"] == later["id"] != other["id"]


@pytest.mark.parametrize(
    "code",
    [
        "- ```\n  y\n  ```",
        "````\n```\n# none\n````",
        "> ~~~\n> # none\n> ~~~",
        "1. ```\n   y\n   ```",
        "```\nnever closed",
    ],
)
def test_code_ends_where_its_fence_ends(code):
    found = texts(f"# A\n\ntext\n\n{code}\n\n## B\n\nmore")
    assert found[0][1].startswith("text")
    assert found[-1][1].endswith("more")
    assert [headings for headings, _ in found] == (["A"] if "never" in code else ["A", "A > B"])


def test_scripts_without_blanks_are_cut():
    found = [text for _, text in texts("".join(map(chr, range(0x4E00, 0x4E00 + 2000))))]
    assert [len(text) for text in found] == [2 * MOST_WORDS] * 4


def test_equal_parts_of_a_page_are_one():
    assert texts("# A\n\nsame\n\n# A\n\nsame") == [("A", "same")]


def test_the_frame_of_a_site_is_written_once(tmp_path):
    pages = made_site()
    pipeline = ChunksPipeline(tmp_path / "chunks.jsonl")
    pipeline.open_spider()
    template = Template.from_pages(pages[0], pages[1:])
    for page in pages:
        clean = template.match(page).clean
        pipeline.page_cleaned(clean)
        item = {"url": page.url, "markdown": clean.content_markdown}
        assert pipeline.process_item(item) is item
    pipeline.close_spider()
    written = [json.loads(line) for line in (tmp_path / "chunks.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [part["url"] for part in written] == [*(page.url for page in pages), "//site.test/"]
    assert [part["is_frame"] for part in written] == [*(False for _ in pages), True]
    assert "Footer of the made site" in written[-1]["text"].splitlines()
    assert not any("Footer" in part["text"] for part in written[:-1])
