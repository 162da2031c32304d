"""`scrapy templex URL` against a local server."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from crawling import MENU, Reply, page
from mirrors import mirror
from running import COMMAND, call, environment, run, start

import templex_scrapy
from templex_scrapy import Page


def test_listed_by_scrapy(tmp_path):
    """`scrapy -h` lists the command, and `scrapy templex -h` explains its options."""
    listed = subprocess.run(  # noqa: S603 - the program is this one
        [*COMMAND[:-1], "-h"], cwd=tmp_path, env=environment(), capture_output=True, check=True
    )
    assert b"  templex  " in listed.stdout
    told = run("-h", cwd=tmp_path)
    assert told.code == 0
    for option in ("--method", "--votes", "--view", "--markdown", "--spider", "store"):
        assert option in told.out


def test_other_commands_do_not_wait_for_this_one(tmp_path):
    """Scrapy loads all commands whichever it runs: loading this one brings in nothing else of the package."""
    script = (
        "import sys; from templex_scrapy.commands.templex import Command; Command().short_desc();"
        "print(*(name for name in sys.modules if name.startswith('templex_scrapy.')))"
    )
    loaded = subprocess.run(  # noqa: S603 - the program is this one
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == ["templex_scrapy.commands", "templex_scrapy.commands.templex"]


def test_all_names_of_the_package_are_there():
    """What the package offers is imported when it is asked for, and nothing else is there."""
    assert all(getattr(templex_scrapy, name) is not None for name in templex_scrapy.__all__)
    assert set(templex_scrapy.__all__) <= set(dir(templex_scrapy))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = templex_scrapy.no_such_name


def test_result_for_people(site, tmp_path):
    """Without options a short result is printed, and nothing else."""
    ran = run(f"{site.url}/news/", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == f"{site.url}/news/"
    assert lines[1].split()[:2] == ["template", "found,"]
    assert re.fullmatch(r"  template  found, [1-9][0-9]% of the page's nodes", lines[1])
    assert [line.split()[-1] for line in lines[2:5]] == [f"{site.url}{path}" for path in ("/", "/shop/", "/about/")]
    assert "loads     3 of 4 linked pages" in ran.out
    assert "words     86 before, 65 after: 24% taken out" in ran.out
    assert f"Section /shop/     {site.url}/shop/" in ran.out


def test_result_is_the_same_each_time(site, tmp_path):
    """Pages that answer slowly or quickly do not change which template is found."""
    for number, path in enumerate(MENU):
        site.add(path, Reply(page(path), delay=0.2 * (len(MENU) - number)))
    slow = run(f"{site.url}/news/", cwd=tmp_path).out
    for path in MENU:
        site.add(path)
    assert run(f"{site.url}/news/", cwd=tmp_path).out == slow


def leaves(site, kind=""):
    """Pages that link downwards only: to others that link to nothing."""
    for number in range(1, 5):
        site.add(f"/leaf/{number}", menu=[], body=kind)
    site.add("/leaf/", menu=[f"/leaf/{number}" for number in range(1, 5)])


def test_pages_of_one_kind_that_were_loaded_stand_in(new_site, tmp_path):
    """Where no pages link each other, those of the page's kind that the search has loaded vote, at no further load."""
    site = new_site()
    leaves(site)
    ran = run(f"{site.url}/leaf/", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "of the page's nodes; pages of its kind vote, since no two of the linked pages link each other" in ran.out
    assert "loads     4 of 4 linked pages" in ran.out
    assert site.fetches().total() == 6  # with robots.txt
    data = json.loads(run(f"{site.url}/leaf/", "--json", cwd=tmp_path).out)
    assert data["stands_in"] is True
    assert len(data["pages"]) == 4
    assert "Repeated footer" not in data["text"]
    assert "Story /leaf/:" in data["text"]


def test_pages_of_another_kind_that_were_loaded_do_not_stand_in(new_site, tmp_path):
    """A list and what it lists have little in common but the address."""
    site = new_site()
    leaves(site, "".join(f'<div class="box{number}">x</div>' for number in range(9)))
    ran = run(f"{site.url}/leaf/", cwd=tmp_path)
    assert ran.code == 1
    assert ran.problem.endswith("no template: of 4 linked pages no two link each other and differ")


def test_json_has_everything(site, tmp_path):
    """All results and all outputs in one JSON object, positions included."""
    ran = run(f"{site.url}/news/", "--json", cwd=tmp_path)
    data = json.loads(ran.out)
    key = Page(page("/news/"), f"{site.url}/news/")
    assert data["found"] is True
    assert data["reason"] is None
    assert data["method"] == "temex"
    assert data["coverage"] == 1.0
    assert len(data["pages"]) == data["loads"] == 3
    assert data["words"] == {"before": 86, "after": 65}
    assert [link["url"] for link in data["menu"]["links"]] == [f"{site.url}{path}" for path in MENU]
    assert key.nodes[data["menu"]["node"]].tag == "ul"
    assert set(data["removable_nodes"]) <= set(data["template_nodes"]) <= set(range(len(key)))
    assert "repeated banner" not in data["html"] + data["text"] + data["markdown"]
    assert "template_node" in data["annotated"]


def test_pages_keep_their_charset(new_site, tmp_path):
    """A cleaned page is written in the charset that it declares; what that lacks becomes a reference."""
    site = new_site()
    head = '<meta charset="iso-8859-2">'
    for path in MENU:
        source = page(path, head=head, body=f"<p>Žluťoučký kůň &#8364; {path}</p>")
        site.add(path, Reply(source.encode("iso-8859-2"), content_type="text/html"))
    ran = run(f"{site.url}/news/", "--html", cwd=tmp_path)
    assert "Žluťoučký kůň &#8364; /news/" in ran.bytes.decode("iso-8859-2")


@pytest.mark.parametrize(
    ("reply", "options", "said"),
    [
        (Reply("gone", 404), (), "answered with status 404"),
        (Reply(b"%PDF-1.7", content_type="application/pdf"), ("--html",), "no HTML page, but application/pdf"),
        (Reply("{}", content_type="application/json; charset=utf-8"), (), "no HTML page, but application/json"),
        (Reply(""), ("--view", "v.html"), "the page is empty"),
        (Reply("<p>alone</p>"), ("--html",), "no template: the page links to no other page of its site"),
        (Reply('<a href="/lost">l</a>'), ("--view", "v.html"), "no template: none of 1 linked page could be loaded"),
    ],
    ids=["404", "pdf", "json", "empty", "no links", "lost links"],
)
def test_no_template(site, tmp_path, reply, options, said):
    """Where there is no page or no template, one line says why, nothing is written, and the exit code is 1."""
    site.add("/odd", reply)
    ran = run(f"{site.url}/odd", *options, cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem == f"scrapy templex: {site.url}/odd: {said}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://nobody.invalid/", "not fetched: its host is not known, or there is no network"),
        ("http://127.0.0.1:9/", "not fetched: its host refuses the connection"),
        ("https://", "no address of a page"),
        ("http://exa mple.com/", "no address of a page"),
        ("http://exa%20mple.com/", "no address of a page"),
        ("http://a<b>.com/", "no address of a page"),
        ("http://[", "no address of a page"),
    ],
)
def test_no_network(tmp_path, url, said):
    """A host that cannot be reached is told in one line."""
    ran = run(url, cwd=tmp_path)
    assert ran.code == 1
    assert ran.problem == f"scrapy templex: {url}: {said}"


def test_robots(site, tmp_path):
    """Outside a project robots.txt is obeyed, for the page and for the candidates."""
    site.add("/robots.txt", Reply("User-agent: *\nDisallow: /news/\nDisallow: /shop/", content_type="text/plain"))
    refused = run(f"{site.url}/news/", cwd=tmp_path)
    assert refused.code == 1
    assert "not fetched: Forbidden by robots.txt" in refused.problem
    assert run(f"{site.url}/about/", cwd=tmp_path).code == 0
    assert not {"/news/", "/shop/"} & set(site.log)


def test_redirects(site, tmp_path):
    """A page that redirects is found under its final address."""
    site.add("/old", Reply("", 301, headers={"Location": "/news/"}))
    ran = run(f"{site.url}/old", cwd=tmp_path)
    assert ran.out.splitlines()[0] == f"{site.url}/news/"


@pytest.mark.parametrize("how", ["redirect", "meta refresh"])
def test_a_page_that_leads_to_a_dead_host(site, tmp_path, how):
    """The host that refuses is named, not the one that was given and has answered."""
    dead = "http://127.0.0.1:9/gone"
    refresh = Reply(f'<html><head><meta http-equiv="refresh" content="0; url={dead}"></head></html>')
    site.add("/old", Reply("", 302, headers={"Location": dead}) if how == "redirect" else refresh)
    ran = run(f"{site.url}/old", cwd=tmp_path)
    said = f"{site.url}/old leads to {dead}: not fetched: its host refuses the connection"
    assert (ran.code, ran.problem) == (1, f"scrapy templex: {said}")


def test_links_that_do_something_are_left_alone(site, tmp_path):
    """A search never follows a link that logs out, deletes or puts into a basket."""
    site.add("/logout", Reply("bye"))
    site.add("/menu/", page("/menu/", menu=["/logout", "/add-to-cart?id=3", *MENU]))
    assert run(f"{site.url}/menu/", cwd=tmp_path).code == 0
    assert not {path for path in site.log if "logout" in path or "cart" in path}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "one URL, file or folder is needed, not 0"),
        (("",), "one URL, file or folder is needed, not 0"),
        (("a", "b"), "one URL, file or folder is needed, not 2"),
        (("--frobnicate", "a"), "unrecognised option --frobnicate"),
        (("a", "--method", "magic"), "invalid choice: 'magic'"),
        (("a", "--votes", "many"), "invalid int value: 'many'"),
        (("a", "--votes", "9"), "--votes 9 is not allowed; allowed: 1 to TEMPLEX_CS_SIZE"),
        (("a", "-s", "TEMPLEX_VOTE=1"), "did you mean TEMPLEX_VOTES?"),
        (("a", "--html", "--text"), "not allowed with argument"),
        (("a", "-o", "x"), "-o needs to know what to write"),
        (("http://x.invalid/", "--meta", "[1"), "--meta is no JSON"),
        (("http://x.invalid/", "--meta", "[1]"), "--meta is no JSON object"),
        (("a", "--spider", "nobody"), "--spider is for pages from the web"),
    ],
)
def test_wrong_usage(tmp_path, arguments, said):
    """Wrong usage is told with exit code 2, and nothing is fetched."""
    ran = call(*arguments, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_spider_that_is_not_there(project):
    """A wrong name of a spider is wrong usage."""
    ran = project.run("http://x.invalid/", "--spider", "nobody")
    assert ran.code == 2
    assert "there is no spider 'nobody'" in ran.err


def test_a_pipe_that_closes_early(site, tmp_path):
    """A reader that goes away is no error that is told; the exit code is that of SIGPIPE."""
    site.add("/news/", page("/news/", body="<p>long</p>" * 20_000))
    process = start(f"{site.url}/news/", "--html", cwd=tmp_path)
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 141
    assert err == b""


def test_a_pipe_that_closes_early_without_output(site, tmp_path):
    """The same for the result for people."""
    process = start(f"{site.url}/news/", cwd=tmp_path)
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, b"")


def wait_for(has_happened: Callable[[], bool]) -> None:
    """Wait until something has happened in another process."""
    patience = time.monotonic() + 60
    while not has_happened():
        assert time.monotonic() < patience
        time.sleep(0.05)


def interrupt(site, process, path: str) -> tuple[int, str, str]:
    """Send Ctrl-C once a page has been asked for."""
    wait_for(lambda: path in site.log)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    return process.returncode, out.decode(), err.decode()


def test_interrupt_in_mid_search(site, tmp_path):
    """Ctrl-C ends a search soon; one line says how far it has got."""
    for path in MENU[2:]:
        site.add(path, Reply(page(path), delay=20))
    code, out, err = interrupt(site, start(f"{site.url}/news/", "--html", cwd=tmp_path), "/shop/")
    assert (code, out) == (130, "")
    assert err.startswith("scrapy templex: interrupted: ")
    assert err.endswith("of 4 linked pages looked at, 0 of 3 pages found that link each other\n") or "1 of 3" in err
    assert err.count("\n") == 1


def test_interrupt_before_the_page_is_there(site, tmp_path):
    """Ctrl-C while the page itself is fetched."""
    site.add("/news/", Reply(page("/news/"), delay=20))
    code, out, err = interrupt(site, start(f"{site.url}/news/", cwd=tmp_path), "/news/")
    assert (code, out) == (130, "")
    assert err == "scrapy templex: interrupted: the page itself was not there yet\n"


SLOW = """
import time
import templex_scrapy.template.template

def slow(*_, **__):
    open("comparing", "w").close()
    time.sleep(60)

templex_scrapy.template.template.Template.from_pages = slow
"""


def test_interrupt_while_pages_are_compared(site, tmp_path):
    """Ctrl-C is heard after the crawl as well, and a saved page needs no crawl to hear it."""
    (tmp_path / "sitecustomize.py").write_text(SLOW, encoding="utf-8")
    for source in (f"{site.url}/news/", mirror(tmp_path / "saved")):
        process = start(source, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
        wait_for((tmp_path / "comparing").exists)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err.count(b"\n")) == (130, b"", 1)
        assert err.startswith(b"scrapy templex: interrupted: 3 of ")
        (tmp_path / "comparing").unlink()


def on_terminal(*arguments: str, cwd, **env: str) -> str:
    """What a run writes on standard error if that is a terminal."""
    ours, theirs = pty.openpty()
    process = start(*arguments, cwd=cwd, env={"COLUMNS": "60", "TERM": "xterm", **env}, stderr=theirs)
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    process.communicate(timeout=60)
    return written.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
def test_live_line(site, tmp_path):
    """On a terminal one line says what is being done, never longer than the terminal is wide; at the end it is gone."""
    written = on_terminal(f"{site.url}/news/", cwd=tmp_path)
    lines = written.split("\r\x1b[K")
    assert any(line.startswith("Fetching http") for line in lines)
    assert any(line.startswith("Candidate 1 of 4, 0 of 3 pages that link") for line in lines)
    assert any(line.startswith("Candidate 3 of 4, 2 of 3 pages that link") for line in lines)
    assert max(map(len, lines)) < 60
    assert lines[-1] == ""
    assert "…" not in on_terminal(f"{site.url}/news/", cwd=tmp_path, COLUMNS="24")
    assert "\x1b[K" not in on_terminal(f"{site.url}/news/", cwd=tmp_path, TERM="dumb")


def test_terminal_without_unicode(new_site, tmp_path):
    """Where the terminal's charset lacks a letter, a question mark stands for it."""
    site = new_site()
    for path in MENU:
        site.add(path, page(path).replace("Section /shop/", "Обувь"))
    ran = run(f"{site.url}/news/", cwd=tmp_path, env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert ran.code == 0
    assert "?????" in ran.out


def test_log_on_demand(site, tmp_path):
    """The log is silent unless it is asked for."""
    assert "Crawled (200)" in run(f"{site.url}/news/", "-L", "DEBUG", cwd=tmp_path).err
    assert run(f"{site.url}/news/", "--logfile", "log.txt", cwd=tmp_path).err == ""
    assert "Crawled (200)" in (tmp_path / "log.txt").read_text(encoding="utf-8")
