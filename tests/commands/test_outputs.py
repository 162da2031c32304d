"""What `scrapy templex` writes, and where: the same for pages from the web and for saved ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from mirrors import NAMES, mirror, write
from running import call

from templex_scrapy import Match, outputs
from templex_scrapy.commands import finding

README = Path(__file__).resolve().parents[2] / "README.md"
KINDS = ("html", "text", "markdown", "annotated", "template")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A saved page of a site."""
    return mirror(tmp_path / "site") / "news.html"


def data(saved: Path, *options: str) -> dict:
    ran = call(saved, "--json", *options, cwd=saved.parent)
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_alone_go_to_standard_output(saved, kind):
    """What is asked for goes to standard output, the result for people to standard error."""
    ran = call(saved, f"--{kind}", cwd=saved.parent)
    assert ran.code == 0
    assert "Story /news" in ran.out
    assert ("repeated banner" in ran.out) is (kind in {"annotated", "template"})
    assert ("<" in ran.out) is (kind not in {"text", "markdown"})
    assert "template  found" in ran.err
    assert "template  found" not in ran.out
    if kind == "annotated":
        assert 'class="top template_node"' in ran.out
    if kind == "template":
        assert "visibility: hidden" in ran.out
    if kind == "markdown":
        assert "# Headline of /news" in ran.out


@pytest.mark.parametrize("kind", [*KINDS, "json"])
def test_output_to_a_file(saved, kind):
    """With -o the output goes to the file, byte for byte; the result stays on standard output and names it."""
    piped = call(saved, f"--{kind}", cwd=saved.parent)
    ran = call(saved, f"--{kind}", "-o", "left", cwd=saved.parent)
    assert (ran.code, ran.err) == (0, "")
    assert "written   left" in ran.out
    assert (saved.parent / "left").read_bytes() == piped.bytes


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--text", "-o", "no/such/folder"), "no/such/folder: No such file or directory"),
        (("--view", "no/v.html"), "no/v.html: No such file or directory"),
        (("--text", "-o", "."), ".: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_written(saved, options, said):
    """One line says which file cannot be written, before anything is searched for it."""
    ran = call("no-such-page.html", *options, cwd=saved.parent)
    assert (ran.code, ran.problem) == (1, f"scrapy templex: {said}")


@pytest.mark.parametrize(
    ("options", "place"),
    [
        (("--html", "-o", "a.html", "--view", "a.html"), "a.html"),
        (("--html", "-o", "link.html", "--view", "./a.html"), "./a.html"),
        (("--html", "--view", "-"), "standard output"),
        (("--json", "-o", "-", "--view", "-"), "standard output"),
    ],
)
def test_two_outputs_need_two_places(saved, options, place):
    """One output would be lost, or both would be mixed: that is wrong usage, and nothing is written."""
    (saved.parent / "link.html").symlink_to("a.html")
    ran = call(saved, *options, cwd=saved.parent)
    assert (ran.code, ran.out) == (2, "")
    assert f"{options[0]} and --view cannot both go to {place}" in ran.err
    assert not (saved.parent / "a.html").exists()


def test_two_outputs_in_two_places(saved):
    """An output and the view side by side, one of them in a pipe."""
    ran = call(saved, "--html", "--view", "a.html", cwd=saved.parent)
    assert ran.code == 0
    assert "Story /news" in ran.out
    assert (saved.parent / "a.html").exists()
    assert call(saved, "--view", "-", "-o", "-", cwd=saved.parent).code == 0


@pytest.mark.parametrize(("options", "rendered"), [((), 0), (("--html",), 0), (("--json",), 1), (("--markdown",), 1)])
def test_only_what_is_asked_for_is_rendered(saved, monkeypatch, options, rendered):
    """Markdown, which costs more than the search on a large page, is made where it is asked for."""
    made = []
    markdown = Match.markdown
    for renderers in (finding._RENDER, outputs._RENDER):
        monkeypatch.setitem(renderers, "markdown", lambda match: (made.append(match), markdown(match))[1])
    assert call(saved, *options, cwd=saved.parent).code == 0
    assert len(made) == rendered


def test_json_tells_why_there_is_no_template(tmp_path):
    """JSON is written for programs even if no template was found."""
    ran = call(write(tmp_path / "one.html", "<p>alone</p>"), "--json", cwd=tmp_path)
    told = json.loads(ran.out)
    assert ran.code == 1
    assert (told["found"], told["reason"]) == (False, "the page links to no other page of its site")
    assert "html" not in told


def test_a_template_of_too_few_pages(tmp_path):
    """One page that links back is no complete subdigraph that could vote."""
    write(tmp_path / "one.html", '<a href="two.html">two</a>')
    write(tmp_path / "two.html", '<a href="one.html">one</a><p>other</p>')
    ran = call(tmp_path / "one.html", cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem.endswith("no template: of 1 linked page no two link each other and differ")


def test_search_options(saved):
    """Size and loads bound the search."""
    found = data(saved, "--size", "2", "--votes", "2", "--max-loads", "2")
    assert (found["loads"], len(found["pages"]), found["votes"]) == (2, 2, 2)


def test_settings_count(saved):
    """TEMPLEX settings given with -s are the defaults of the options."""
    found = data(saved, "-s", "TEMPLEX_CS_SIZE=2", "-s", "TEMPLEX_PRESERVE=.bottom")
    assert len(found["pages"]) == 2
    assert "Repeated footer" in found["text"]
    assert "repeated banner" not in found["text"]


def test_options_overrule_settings(saved):
    """What an option says counts more than a setting."""
    assert len(data(saved, "-s", "TEMPLEX_CS_SIZE=2", "--size", "3")["pages"]) == 3


def test_a_page_cannot_take_hold_of_the_terminal(saved):
    """Control characters in a page's links and words are not written to the terminal."""
    for name in NAMES:
        file = saved.parent / f"{name}.html"
        hostile = file.read_text(encoding="utf-8").replace("Section shop", "Shop\x1b]0;pwned\x07\x1b[2J\u202e\r\nmore")
        file.write_text(hostile, encoding="utf-8")
    ran = call(saved, cwd=saved.parent)
    assert ran.code == 0
    assert "Shop" in ran.out
    assert not set("\x1b\x07\r\u202e") & set(ran.out)


def test_options_in_the_readme(tmp_path):
    """Every option that the README names is one, and every output that is one is named there."""
    text = README.read_text(encoding="utf-8")
    section = text[text.index("## The command") : text.index("## How it works")]
    named = set(re.findall(r"--[a-z-]+", section))
    known = set(re.findall(r"--[a-z-]+", call("-h", cwd=tmp_path).out))
    assert named <= known
    assert {f"--{kind}" for kind in (*KINDS, "json", "view")} <= named


def test_words_of_the_menu(saved):
    """The result for people lists the links of the menu with their words and targets."""
    assert "Section shop.html   shop.html" in call(saved, cwd=saved.parent).out


def test_the_share_of_the_page_that_is_template(saved):
    """The share of nodes, since a page covers the template that was made of it in any case."""
    found = data(saved)
    share = len(found["template_nodes"]) / found["nodes"]
    assert found["coverage"] == 1.0
    assert 0.1 < share < 0.9
    assert f"  template  found, {share:.0%} of the page's nodes\n" in call(saved, cwd=saved.parent).out


def test_a_menu_that_is_no_template(tmp_path):
    """Where none of the links of what looks like the menu is template, the result says so, and JSON of each link."""
    own = "".join(f'<li><a href="own/{{name}}/{number}.html">Own {{name}} {number}</a></li>' for number in range(12))
    folder = mirror(tmp_path / "site")
    told = call(folder, cwd=tmp_path)
    assert "none of its links" not in told.out
    assert all(link["is_template"] for link in data(folder)["menu"]["links"])
    for name in NAMES:
        file = folder / f"{name}.html"
        menu = f"<nav><ul>{own.format(name=name)}</ul></nav>"
        links = "".join(f'<p>see <a href="{other}.html">{other}</a> for more of what it says</p>' for other in NAMES)
        write(file, f"<html><body><h1>A heading on all pages</h1>{menu}<main>{name} {links}</main></body></html>")
    links = data(folder)["menu"]["links"]
    assert len(links) == 12, "the list of links is taken for the menu"
    assert not any(link["is_template"] for link in links)
    assert "(none of its links is template: perhaps not the site's menu)" in call(folder, cwd=tmp_path).out


def test_what_is_little_is_not_nothing(saved):
    """A share of less than a half percent is told as such, as at the end of a crawl."""
    file = saved.parent / "index.html"
    file.write_text(
        file.read_text(encoding="utf-8").replace("</main>", f"<p>{'own ' * 9000}</p></main>"), encoding="utf-8"
    )
    assert ": <1% taken out" in call(file, cwd=saved.parent).out
