"""The file as a whole: title, figures, legend, reasons, and what is missing."""

from __future__ import annotations

import builtins
import importlib
import sys

import pytest
from site_pages import learn, page, show, site

from templex_scrapy.page import Page
from templex_scrapy.template import Match
from templex_scrapy.view import view

HOSTILE = '</title><script>1</script>"><img src=x onerror=alert(1)>'


def test_what_pages_decide_is_escaped():
    """Titles and URLs of the page and of others stay text."""
    key, voters = site(title="&lt;/title&gt;&lt;script&gt;1&lt;/script&gt;")
    voters[0] = Page(voters[0].text, f"https://site.test/{HOSTILE}")
    written = show(Page(key.text, f"https://site.test/{HOSTILE}"), voters)
    assert key.title == "</title><script>1</script>"
    assert written.count("<script") == 2
    assert written.count("<img") == 0
    assert written.count("</title>") == 1


def test_a_page_that_fits_in_part_or_not_at_all():
    """The bar says how much of the template is in it, where that is not all, and whether it fits."""
    key, voters = site()
    template, match = learn(key, voters)
    assert "coverage" not in view(match).partition('<ul class="figures">')[2].partition("</ul>")[0]
    other = template.match(Page(key.text.replace("<footer", "<div").replace("Repeated footer", "x"), key.url))
    assert f"coverage <b>{other.coverage:.0%}</b>" in view(other)
    assert "the template does not fit" in view(template.match(Page("<p>nothing alike</p>", "https://site.test/x")))


def test_without_a_template():
    """Of a page without template the view says so."""
    assert "No template was found for this page." in view(Match(page(0)))


@pytest.mark.parametrize(("base", "schemes"), [(None, "http: https:"), ("file:///home/page.html", "file:")])
def test_what_may_be_loaded(base, schemes):
    """A page from the web loads no file of this machine, and a saved page nothing from the network."""
    written = show(*site(head='<base href="file:///">'), base=base)
    assert written.count(f"img-src data: {schemes};") == 2
    assert written.count("Content-Security-Policy") == 2


def test_lone_surrogates():
    """A URL that has no form in UTF-8 does not keep the file from being written."""
    show(Page(page(0).text, "https://site.test/\udcff"), site()[1]).encode("utf-8")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    """Without nh3 the error says what to install."""
    for name in [name for name in sys.modules if name == "nh3" or name.startswith("templex_scrapy.view")]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def without_nh3(name, *args, **kwargs):
        if name == "nh3":
            raise ModuleNotFoundError("No module named 'nh3'", name="nh3")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_nh3)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "templex-scrapy\[view\]"'):
        importlib.import_module("templex_scrapy.view")
