"""Real processes: a project on disk, Ctrl-C, pipes that close, and files that do not take everything."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from helpers.running import run, start
from helpers.waiting import wait_for
from helpers.web import MENU, NAMES, Reply, html_page, mirror, write

pytestmark = pytest.mark.subprocess


@pytest.fixture
def long_page(tmp_path: Path) -> Path:
    """A saved page longer than any pipe takes at once."""
    folder = mirror(tmp_path / "site")
    source = html_page("/news", menu=[f"{name}.html" for name in NAMES], body=f"<p>{'long ' * 60_000}</p>")
    return write(folder / "news.html", source)


def test_in_a_project(site, tmp_path):
    """The command runs in a project on disk, without a log and without its settings' reactor."""
    write(tmp_path / "scrapy.cfg", "[settings]\ndefault = shop.settings\n")
    write(tmp_path / "shop" / "__init__.py", "")
    write(
        tmp_path / "shop" / "settings.py",
        "BOT_NAME = 'shop'\nUSER_AGENT = 'shop/1'\nLOG_LEVEL = 'DEBUG'\nPRINTED = print('settings') if 0 else None\n"
        "TWISTED_REACTOR = 'twisted.internet.selectreactor.SelectReactor'\n",
    )
    ran = run(f"{site.url}/news/", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "template  86%" in ran.out
    assert {headers["User-Agent"] for _, headers in site.headers} == {"shop/1"}


def test_the_package_costs_nothing_until_it_is_used():
    """Other commands of Scrapy import neither lxml's users nor the crawl of this package."""
    code = "import sys, templex_scrapy.commands.templex; sys.exit('templex_scrapy.page' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own program


def test_a_reader_that_closes_the_pipe(long_page):
    """The exit code is that of SIGPIPE, and nothing is reported."""
    process = start(long_page, "--output", "html", cwd=long_page.parent)
    assert len(process.stdout.read(10)) == 10
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (141, b"")
    process.stderr.close()


def test_a_file_that_may_not_grow(long_page):
    """An incomplete output is reported, with exit code 1, behind the log, if that was asked for."""
    with (long_page.parent / "left").open("wb") as left:
        limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (100_000, 100_000))
        process = start(
            long_page, "--output", "html", "-L", "DEBUG", cwd=long_page.parent, stdout=left, preexec_fn=limit
        )
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"scrapy.utils.log" in err
    assert err.endswith(b"\nscrapy templex: [Errno 27] File too large\n")


@pytest.mark.parametrize("slow", ["/news/", "/shop/"])
def test_interrupt(site, tmp_path, slow):
    """Ctrl-C ends the crawl at once: while the page is fetched, and while linked pages are."""
    for path in MENU[MENU.index(slow) :]:
        site.add(path, Reply(html_page(path), delay=120))
    if slow != "/news/":
        site.add("/news/")
    process = start(f"{site.url}/news/", "--output", "html", cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    wait_for(lambda: slow in site.log)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"scrapy templex: interrupted\n")
