"""The options of `scrapy templex`, its outputs and where they are written: the same for all pages."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest
from web import NAMES, page, write

from templex_scrapy.commands import page_command

KINDS = ("html", "text", "markdown", "annotated", "template")


@pytest.mark.parametrize("kind", KINDS)
def test_an_output_goes_to_standard_output(templex, saved, kind):
    """Only the output is written to standard output; the summary is written to standard error."""
    ran = templex(saved, f"--{kind}")
    assert ran.code == 0
    assert ("Story /news" in ran.out) is (kind != "template" or "visibility" in ran.out)
    assert ("repeated banner" in ran.out) is (kind in {"annotated", "template"})
    assert ("<" in ran.out) is (kind not in {"text", "markdown"})
    assert "template  found" in ran.err
    assert "template  found" not in ran.out
    if kind == "annotated":
        assert 'class="top template_node"' in ran.out
    if kind == "markdown":
        assert "# Headline of /news" in ran.out


def test_an_output_to_a_file(templex, saved, tmp_path):
    """With -o the same bytes are written to the file, and the summary, which names it, to standard output."""
    piped = templex(saved, "--html")
    ran = templex(saved, "--html", "-o", "left")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("  written   left\n")
    assert (tmp_path / "left").read_bytes() == piped.bytes


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--text", "-o", "no/such/folder"), "no/such/folder: No such file or directory"),
        (("--text", "-o", "."), ".: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_written(templex, options, problem):
    """One line says which file cannot be written, before any page is fetched."""
    ran = templex("no-such-page.html", *options)
    assert (ran.code, ran.problem) == (1, f"scrapy templex: {problem}")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk(templex, saved):
    """The message names the file of -o."""
    ran = templex(saved, "--html", "-o", "/dev/full")
    assert (ran.code, ran.problem) == (1, "scrapy templex: /dev/full: No space left on device")


@pytest.mark.parametrize("opens", [True, False])
def test_the_view(templex, saved, monkeypatch, opens):
    """Without -o it is opened in the browser. The option may precede the page."""
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda url: (opened.append(url), opens)[1])
    ran = templex("--view", saved)
    file = Path(opened[0].removeprefix("file://"))
    assert ran.code == 0
    assert "· templex</title>" in file.read_text(encoding="utf-8")
    assert ran.out.endswith(f"  written   {file}\n")
    assert ran.err == ("" if opens else "scrapy templex: no browser could be opened; the view is in the file below\n")
    file.unlink()


def test_options_of_the_crawl(templex, saved):
    """Options override settings, and both limit the search."""
    found = templex(saved, "--json", "--size", "2", "--votes", "2", "--max-loads", "2").data
    assert (found["loads"], len(found["template_pages"]), found["votes"]) == (2, 2, 2)
    assert len(templex(saved, "--json", "-s", "TEMPLEX_CS_SIZE=2", "--size", "3").data["template_pages"]) == 3


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "one URL, file or folder is needed, not 0"),
        (("",), "one URL, file or folder is needed, not 0"),
        (("a", "b"), "one URL, file or folder is needed, not 2"),
        (("--frobnicate", "a"), "unrecognised option --frobnicate"),
        (("a", "--votes", "many"), "invalid int value: 'many'"),
        (("a", "--votes", "9"), "TEMPLEX_VOTES = 9 is not allowed; allowed: 1 to TEMPLEX_CS_SIZE"),
        (("a", "-s", "TEMPLEX_VOTE=1"), "did you mean TEMPLEX_VOTES?"),
        (("a", "--html", "--text"), "not allowed with argument"),
        (("a", "-o", "x"), "-o needs to know what to write"),
        (("http://x.invalid/", "--meta", "[1"), "--meta is no JSON"),
        (("http://x.invalid/", "--meta", "[1]"), "--meta is no JSON object"),
        (("a", "--spider", "nobody"), "--spider is for pages from the web"),
        (("http://x.invalid/", "--spider", "nobody"), "there is no spider 'nobody'"),
        (("a", "--store", "ftp://x"), "--store: ftp:// is not a store"),
    ],
)
def test_wrong_usage(templex, arguments, problem):
    """Wrong usage is reported with exit code 2, and nothing is fetched."""
    ran = templex(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert problem in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("page_", "problem"),
    [
        ("nothing.html", "nothing.html: no such file or folder"),
        ("example.com", "example.com: no such file or folder; pages on the web begin with https:// or http://"),
        ("htps://example.com/", "htps://example.com/: no such file or folder; pages on the web begin with"),
        ("http://[", "http://[: no address of a page"),
        (".", ".: no HTML page in this folder"),
    ],
)
def test_no_page(templex, page_, problem):
    """A missing file, a mistyped address and a folder without pages are reported in one line."""
    ran = templex(page_)
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem.startswith(f"scrapy templex: {problem}")


def test_interrupt_before_the_crawl(templex, saved, monkeypatch):
    """Ctrl-C while files are read ends the command with exit code 130."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(page_command, "SavedSite", interrupt)
    ran = templex(saved)
    assert (ran.code, ran.out, ran.err) == (130, "", "scrapy templex: interrupted\n")


def test_a_page_cannot_control_the_terminal(templex, saved):
    """Control characters of a page are not written to the terminal."""
    source = page("/news", menu=[f"{name}.html" for name in NAMES])
    write(saved, source.replace("<title>/news", "<title>News\x1b]0;pwned\x07\x1b[2J\u202e\r\nmore"))
    ran = templex(saved)
    assert "title     News" in ran.out
    assert not set("\x1b\x07\r\u202e") & set(ran.out)
