"""`scrapy templex --view`: where the toggle view goes."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest
from crawling import MENU, Reply, page
from mirrors import mirror
from running import Ran, call, run

LOGO = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def is_view(source: str) -> bool:
    return "template view</title>" in source and 'sandbox="allow-same-origin"' in source


@pytest.fixture
def browser(tmp_path: Path) -> tuple[str, Path]:
    """A browser that writes down what it opens: its command, and the file."""
    opened = tmp_path / "opened.txt"
    script = tmp_path / "browser.py"
    script.write_text(f"import sys; open({str(opened)!r}, 'w').write(sys.argv[1])", encoding="utf-8")
    return f"{sys.executable} {script} %s", opened


@pytest.mark.parametrize("arguments", [("{url}", "--view"), ("--view", "{url}")], ids=["after", "before"])
def test_opens_in_the_browser(site, tmp_path, browser, arguments):
    """Without a file name the view is opened; the option may stand before the page."""
    command, opened = browser
    given = [argument.format(url=f"{site.url}/news/") for argument in arguments]
    ran = run(*given, cwd=tmp_path, env={"BROWSER": command, "TMPDIR": str(tmp_path)})
    assert ran.code == 0, ran.err
    file = Path(opened.read_text(encoding="utf-8").removeprefix("file://"))
    assert file.parent == tmp_path
    assert is_view(file.read_text(encoding="utf-8"))
    assert f"view      {file}" in ran.out
    assert "template  found" in ran.out


def test_without_a_browser(site, tmp_path):
    """Where no browser can be opened, the file is named."""
    ran = run(f"{site.url}/news/", "--view", cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    assert ran.code == 0
    assert ran.problem == "scrapy templex: no browser could be opened; the view is in the file below"
    (file,) = tmp_path.glob("templex-*.html")
    assert ran.out.splitlines()[-1] == f"  view      {file}"


def text_of(ran: Ran, file: Path) -> str:
    assert ran.code == 0, ran.err
    return file.read_text(encoding="utf-8")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A saved page of a site."""
    return mirror(tmp_path / "site") / "news.html"


def test_to_a_file(saved, tmp_path):
    """With a file name, or with -o, the view is written there and nothing is opened."""
    first = call(saved, "--view", "v.html", cwd=tmp_path)
    second = call(saved, "--view", "-o", "w.html", cwd=tmp_path)
    assert is_view(text_of(first, tmp_path / "v.html"))
    assert text_of(second, tmp_path / "w.html") == text_of(first, tmp_path / "v.html")
    assert "view      v.html" in first.out
    assert first.err == second.err == ""


def test_to_standard_output(saved, tmp_path):
    """The view can be piped too."""
    ran = call(saved, "--view", "-", cwd=tmp_path)
    assert is_view(ran.out)
    assert ran.out.startswith("<!DOCTYPE html>")
    assert "template  found" in ran.err


def test_with_another_output(saved, tmp_path):
    """Output and view are both written; -o is then the output's."""
    ran = call(saved, "--text", "-o", "left.txt", "--view", "v.html", cwd=tmp_path)
    assert is_view(text_of(ran, tmp_path / "v.html"))
    assert "Story /news" in text_of(ran, tmp_path / "left.txt")
    assert "written   left.txt\n  view      v.html\n" in ran.out
    piped = call(saved, "--text", "--view", "v.html", cwd=tmp_path)
    assert "Story /news" in piped.out
    assert "view      v.html" in piped.err


def test_stylesheets_are_fetched_as_pages_are(new_site, tmp_path):
    """The page's style sheets are fetched, as robots.txt allows, and only for a view."""
    site = new_site()
    links = "".join(f'<link rel="stylesheet" href="/{name}.css">' for name in ("good", "lost", "forbidden", "binary"))
    for path in MENU:
        site.add(path, page(path, head=links))
    site.add("/good.css", Reply("h1 { color: rgb(1, 2, 3) }", content_type="text/css"))
    site.add("/forbidden.css", Reply("h1 { color: rgb(4, 5, 6) }", content_type="text/css"))
    site.add("/binary.css", Reply(b"\x89PNG", content_type="image/png"))
    site.add("/robots.txt", Reply("User-agent: *\nDisallow: /forbidden.css", content_type="text/plain"))
    assert run(f"{site.url}/news/", cwd=tmp_path).code == 0
    assert not [path for path in site.log if path.endswith(".css")]
    written = text_of(run(f"{site.url}/news/", "--view", "v.html", cwd=tmp_path), tmp_path / "v.html")
    assert "rgb(1, 2, 3)" in written
    assert "rgb(4, 5, 6)" not in written
    assert "/forbidden.css" not in site.log


def test_pictures_are_fetched_as_pages_are(new_site, tmp_path):
    """Pictures come into the view, for pages through a browser or a proxy in the same way; slow ones are left out."""
    site = new_site()
    images = "".join(f'<img src="/{name}.gif">' for name in ("good", "lost", "large", "text", "forbidden"))
    for path in MENU:
        site.add(path, page(path, body=images))
    dot = base64.b64decode(LOGO.partition(",")[2])
    site.add("/good.gif", Reply(dot, content_type="image/gif"))
    site.add("/forbidden.gif", Reply(dot, content_type="image/gif"))
    site.add("/large.gif", Reply(dot + b"x" * 600_000, content_type="image/gif"))
    site.add("/text.gif", Reply("<script>", content_type="text/html"))
    site.add("/robots.txt", Reply("User-agent: *\nDisallow: /forbidden.gif", content_type="text/plain"))
    written = text_of(run(f"{site.url}/news/", "--view", "v.html", cwd=tmp_path), tmp_path / "v.html")
    assert written.count(LOGO) == 1
    assert len(written) < 100_000
    assert {"/good.gif", "/lost.gif", "/large.gif", "/text.gif"} <= set(site.log)
    assert "/forbidden.gif" not in site.log


MARK = "templex-secret-7f3a"


@pytest.mark.parametrize("based", [False, True], ids=["written out", "by the base address"])
def test_files_of_this_machine_are_none_of_a_page_s(new_site, tmp_path, based):
    """By whatever way a page of the web names a file on disk, none of it gets into the view."""
    sheet, drawing = tmp_path / "secret.css", tmp_path / "secret.svg"
    sheet.write_text(f".{MARK} {{ color: red }}", encoding="utf-8")
    drawing.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" id="{MARK}"/>', encoding="utf-8")
    names = [file.name if based else file.as_uri() for file in (sheet, drawing)]
    site = new_site()
    own = [f"{site.url}/{name}" for name in ("away.css", "import.css", "away.svg")]
    head = (f'<base href="{tmp_path.as_uri()}/">' if based else "") + (
        "".join(f'<link rel="stylesheet" href="{url}">' for url in (names[0], *own[:2]))
        + f'<style>@import "{names[0]}"; h1 {{ background: url({names[1]}) }}</style>'
    )
    images = f'<img src="{names[1]}"><img src="{own[2]}"><img srcset="{names[1]} 1x">'
    for path in MENU:
        site.add(path, page(path, menu=[site.url + one for one in MENU], head=head, body=images))
    for name, file in (("/away.css", sheet), ("/away.svg", drawing)):
        site.add(name, Reply("", 302, headers={"Location": file.as_uri()}))
    imports = f'@import "{sheet.as_uri()}"; h1 {{ color: rgb(7, 8, 9) }}'
    site.add("/import.css", Reply(imports, content_type="text/css"))
    written = text_of(run(f"{site.url}/news/", "--view", "v.html", cwd=tmp_path), tmp_path / "v.html")
    assert "rgb(7, 8, 9)" in written
    assert MARK not in written
    assert base64.b64encode(drawing.read_bytes()).decode() not in written


@pytest.mark.parametrize(
    ("kind", "is_used"),
    [
        ("text/css", True),
        ("Text/CSS; charset=utf-8", True),
        ("", True),
        ("application/json", False),
        ("text/plain", False),
        ("text/html", False),
    ],
)
def test_a_style_sheet_is_what_is_declared_as_one(new_site, tmp_path, kind, is_used):
    """What a server calls something else is not copied into the view, though a page links it as a style sheet."""
    site = new_site()
    for path in MENU:
        site.add(path, page(path, head='<link rel="stylesheet" href="/s.css">'))
    site.add("/s.css", Reply(f".{MARK} {{ color: red }}", content_type=kind))
    written = text_of(run(f"{site.url}/news/", "--view", "v.html", cwd=tmp_path), tmp_path / "v.html")
    assert (MARK in written) is is_used


def test_files_that_redirect(new_site, tmp_path):
    """Style sheets and pictures are followed where they lead, on the web, and not for ever."""
    site = new_site()
    links = '<link rel="stylesheet" href="/old.css"><link rel="stylesheet" href="/round.css">'
    for path in MENU:
        site.add(path, page(path, head=links))
    site.add("/old.css", Reply("", 301, headers={"Location": "/new.css"}))
    site.add("/round.css", Reply("", 301, headers={"Location": "/round.css"}))
    site.add("/new.css", Reply("h1 { color: rgb(7, 8, 9) }", content_type="text/css"))
    written = text_of(run(f"{site.url}/news/", "--view", "v.html", cwd=tmp_path), tmp_path / "v.html")
    assert "rgb(7, 8, 9)" in written
    assert site.log.count("/round.css") < 10


def test_saved_pages_get_no_files_but_theirs(tmp_path):
    """Of a saved page, sheets and pictures inside its folder are taken, and nothing else on disk, links followed."""
    outside = tmp_path / "outside.css"
    outside.write_text(f".{MARK} {{ color: red }}", encoding="utf-8")
    urls = (
        "link.css",
        "../outside.css",
        "..%2Foutside.css",
        "%2e%2e/outside.css",
        outside.as_uri(),
        str(outside),
        "n.txt",
    )
    head = "".join(f'<link rel="stylesheet" href="{url}">' for url in (*urls, "own.css"))
    folder = mirror(tmp_path / "site", head=head)
    (folder / "link.css").symlink_to(outside)
    (folder / "n.txt").write_text(f".{MARK} {{ color: red }}", encoding="utf-8")
    (folder / "own.css").write_text("h1 { color: rgb(7, 8, 9) }", encoding="utf-8")
    written = text_of(call(folder / "news.html", "--view", "v.html", cwd=tmp_path), tmp_path / "v.html")
    assert "rgb(7, 8, 9)" in written
    assert f".{MARK}" not in written


def test_without_the_extra(site, tmp_path):
    """Without nh3 the command works, and --view says what to install."""
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['nh3'] = None", encoding="utf-8")
    env = {"PYTHONPATH": str(tmp_path)}
    assert run(f"{site.url}/news/", cwd=tmp_path, env=env).code == 0
    ran = run(f"{site.url}/news/", "--view", cwd=tmp_path, env=env)
    assert ran.code == 2
    assert 'pip install "templex-scrapy[view]"' in ran.err
